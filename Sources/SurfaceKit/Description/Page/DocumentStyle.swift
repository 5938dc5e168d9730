/// The style of the description's page. It stands in the page, and the policy permits it by its digest.
///
/// Colours are those of the pages for people (`PageStyle`): contrast 4.5:1 or more for text, in light and dark.
enum DocumentStyle {
    static let text = """
        :root{color-scheme:light dark;--page:#f3f5f8;--card:#fff;--ink:#16202e;--soft:#505d70;--line:#dde3ea;\
        --accent:#1b5fd0;--accent-tint:#e8f0fd;--good:#17703c;--good-tint:#e3f5ea;--bad:#b3261e}
        @media (prefers-color-scheme:dark){:root{--page:#0f141b;--card:#18202b;--ink:#eaf0f7;--soft:#a9b6c6;\
        --line:#2c3746;--accent:#8ab6ff;--accent-tint:#1c2d4a;--good:#76d79c;--good-tint:#16301f;--bad:#ff9d94}}
        *{box-sizing:border-box}
        html{-webkit-text-size-adjust:100%;text-size-adjust:100%;scroll-padding-top:1rem}
        body{margin:0;background:var(--page);color:var(--ink);\
        font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans",sans-serif}
        a{color:var(--accent);text-underline-offset:.15em}
        header{padding:1rem;border-bottom:1px solid var(--line);background:var(--card);font-size:.9375rem}
        nav summary{font-weight:650;cursor:pointer}
        nav h2{margin:1rem 0 .25rem;font-size:.9375rem}
        nav ul{margin:0;padding:0;list-style:none}
        nav a{display:block;padding:.1875rem 0;text-decoration:none}
        nav li a{color:var(--soft)}
        nav a:hover{text-decoration:underline}
        main{max-width:60rem;padding:1rem}
        h1{margin:0 0 .25rem;font-size:1.5rem;line-height:1.2;letter-spacing:-.01em}
        .lead{color:var(--soft)}
        section>h2{margin:2.5rem 0 .25rem;font-size:1.375rem}
        article{margin:1rem 0;padding:1rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem}
        article:target{border-color:var(--accent);box-shadow:0 0 0 1px var(--accent)}
        h3{margin:0 0 .5rem;font-size:1.125rem}
        h3 a{color:inherit;text-decoration:none}
        h3 a:hover{text-decoration:underline}
        h4{margin:1.25rem 0 .5rem;font-size:1rem}
        small{color:var(--soft);font-size:.875rem;font-weight:400}
        p{margin:0 0 .75rem}
        code{font:.9em ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;overflow-wrap:anywhere}
        .call{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center}
        .call code{font-weight:650}
        .method{padding:.0625rem .5rem;border-radius:.375rem;font-size:.8125rem;font-weight:700;\
        color:var(--accent);background:var(--accent-tint)}
        .method.get{color:var(--good);background:var(--good-tint)}
        .caller b{margin-right:.375rem}
        .scroll{overflow-x:auto}
        table{width:100%;border-collapse:collapse;font-size:.9375rem}
        th,td{padding:.375rem .75rem .375rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
        th{color:var(--soft);font-weight:550}
        td code+code{margin-left:.25rem}
        .must{color:var(--bad);font-size:.8125rem}
        pre{margin:.75rem 0 0;padding:.75rem;white-space:pre-wrap;background:var(--page);border:1px solid var(--line);\
        border-radius:.5rem}
        article details{margin-top:1rem}
        article summary{font-weight:650;cursor:pointer}
        :focus-visible{outline:3px solid var(--accent);outline-offset:2px}
        @media (min-width:60rem){body{display:grid;grid-template-columns:17rem minmax(0,1fr)}\
        header{position:sticky;top:0;height:100vh;overflow-y:auto;border-bottom:0;border-right:1px solid var(--line)}\
        main{padding:1.5rem 2.5rem}}
        @media (max-width:40rem){thead{display:none}\
        tr{display:block;padding:.5rem 0;border-bottom:1px solid var(--line)}\
        td{display:block;padding:.125rem 0;border:0}td:empty{display:none}}
        """

    /// As it stands in the page: without characters that HTML would read otherwise, so the bytes are those of `text`.
    static var markup: HTML { HTML(trusted: text) }
}
