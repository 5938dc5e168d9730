/// The only style sheet of all pages. Each page embeds it, and the policy allows it by its digest.
///
/// Contrast is 4.5:1 or more for text and 3:1 for the edges of controls, in light and dark mode (WCAG 2.2 AA). Lengths
/// are in `rem`, so that everything grows with the person's text size. Only system fonts: nothing is fetched.
package enum PageStyle {
    package static let text = """
        :root{color-scheme:light dark;--page:#f3f5f8;--card:#fff;--ink:#16202e;--soft:#505d70;--line:#dde3ea;\
        --edge:#7b8798;--accent:#1b5fd0;--accent-on:#fff;--accent-tint:#e8f0fd;--good:#17703c;--good-tint:#e3f5ea;\
        --bad:#b3261e;--bad-tint:#fdecea;--warn:#6b4300;--warn-tint:#fff4dc;--warn-line:#e0a93a}
        @media (prefers-color-scheme:dark){:root{--page:#0f141b;--card:#18202b;--ink:#eaf0f7;--soft:#a9b6c6;\
        --line:#2c3746;--edge:#7d8b9e;--accent:#8ab6ff;--accent-on:#0a1a33;--accent-tint:#1c2d4a;--good:#76d79c;\
        --good-tint:#16301f;--bad:#ff9d94;--bad-tint:#3a1d1b;--warn:#f6d38b;--warn-tint:#302612;--warn-line:#8a6a22}}
        *{box-sizing:border-box}
        html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
        body{margin:0;min-height:100vh;min-height:100svh;display:grid;align-items:start;justify-items:center;\
        padding:min(1rem,4vw);background:var(--page);color:var(--ink);\
        font:1.0625rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans",sans-serif}
        main{width:100%;max-width:27rem;padding:min(1.5rem,6vw) min(1.25rem,5vw);background:var(--card);\
        border:1px solid var(--line);border-radius:1rem;overflow-wrap:anywhere}
        .mark{display:block;width:3.25rem;height:3.25rem;padding:.75rem;margin-bottom:1rem;border-radius:50%;\
        color:var(--soft);background:var(--page)}
        .mark.question{color:var(--accent);background:var(--accent-tint)}
        .mark.success{color:var(--good);background:var(--good-tint)}
        .mark.stop{color:var(--bad);background:var(--bad-tint)}
        h1{margin:0 0 1rem;font-size:1.375rem;line-height:1.3;font-weight:650;text-wrap:balance}
        p{margin:0 0 1rem}
        main>:last-child{margin-bottom:0}
        dl{margin:0 0 1.25rem;border-top:1px solid var(--line)}
        dl div{padding:.5rem 0;border-bottom:1px solid var(--line)}
        @media (min-width:22rem){dl div{display:grid;grid-template-columns:6rem 1fr;column-gap:.75rem}}
        dt{color:var(--soft)}
        dd{margin:0;font-weight:550}
        .warning{padding:.75rem .875rem;color:var(--warn);background:var(--warn-tint);\
        border:1px solid var(--warn-line);border-radius:.625rem}
        .help{color:var(--soft);font-size:.9375rem}
        .code{margin-bottom:1.25rem}
        .code p{margin:.125rem 0 .5rem}
        label{font-weight:650}
        input{width:6rem;min-height:3.5rem;padding:.25rem .5rem;font:inherit;font-size:1.75rem;font-weight:650;\
        font-variant-numeric:tabular-nums;letter-spacing:.2em;text-indent:.2em;text-align:center;color:var(--ink);\
        background:var(--card);border:2px solid var(--edge);border-radius:.625rem}
        select{width:100%;min-height:3.25rem;padding:.25rem .5rem;font:inherit;color:var(--ink);background:var(--card);\
        border:2px solid var(--edge);border-radius:.625rem}
        .wrong{padding-inline-start:.875rem;border-inline-start:4px solid var(--bad)}
        .wrong input{border-color:var(--bad)}
        .code .error{color:var(--bad);font-weight:650}
        button,.button{display:block;width:100%;min-height:3.25rem;padding:.75rem 1rem;font:inherit;font-weight:650;\
        text-align:center;text-decoration:none;border:2px solid var(--accent);border-radius:.75rem;cursor:pointer;\
        touch-action:manipulation}
        .approve,.button{color:var(--accent-on);background:var(--accent)}
        .deny{margin-top:.75rem;color:var(--ink);background:transparent;border-color:var(--edge)}
        button:hover,.button:hover{filter:brightness(.94)}
        .deny:hover{background:var(--page)}
        .next{margin-top:1.25rem}
        :focus-visible{outline:3px solid var(--accent);outline-offset:3px}
        .hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
        @media (max-height:42rem){.mark{display:none}main{padding:.75rem min(1.25rem,5vw)}h1{margin-bottom:.625rem;\
        font-size:1.1875rem}dl{margin-bottom:.625rem}dl div{padding:.1875rem 0;display:grid;\
        grid-template-columns:5.75rem 1fr;column-gap:.75rem}dt{font-size:.875rem}dd{font-size:.9375rem}.help{font-size:.875rem;\
        line-height:1.35}.warning{padding:.5rem .625rem;margin-bottom:.625rem;\
        font-size:.9375rem;line-height:1.4}.code{margin-bottom:.625rem;display:grid;\
        grid-template-columns:1fr auto;column-gap:.75rem;align-items:center}label{line-height:1.3}.code>*{grid-column:1/-1}\
        .code label{grid-column:1}.code input{grid-column:2;grid-row:1;width:5rem;min-height:2.75rem}.code p{margin-bottom:0}\
        button,.button{min-height:2.75rem;padding:.5rem 1rem}.deny{margin-top:.5rem}}
        @media (min-width:36rem){body{padding-top:12vh}main{padding:2rem}}
        @media (prefers-reduced-motion:no-preference){button,.button{transition:filter .12s,background-color .12s}}
        @media (forced-colors:active){.mark,.warning,main{border:1px solid CanvasText}}
        """

    /// The style sheet as embedded in the page. It contains no characters with a meaning in HTML, so its bytes are
    /// those of `text`.
    package static var markup: HTML { HTML(trusted: text) }
}
