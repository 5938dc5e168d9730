package import Possession

/// The frame of every page: one heading, one sentence below it, one main part. It is complete in itself, loads no
/// pictures or other files, and works without its script.
package struct PageFrame: Sendable {
    /// The icon beside the heading. It repeats the heading and is hidden from screen readers.
    package enum Mark: Sendable { case question, success, stop, clock }

    package let title: HTML
    package let mark: Mark
    package let heading: HTML
    package let content: HTML
    private let language: LanguageTag
    private let showsTimes: Bool

    /// - Parameter showsTimes: the page has times, which `PageScript` converts to the phone's time zone.
    package init(
        title: HTML, mark: Mark, heading: HTML, content: HTML, language: LanguageTag = .english,
        showsTimes: Bool = false
    ) {
        self.language = language
        self.showsTimes = showsTimes
        self.title = title
        self.mark = mark
        self.heading = heading
        self.content = content
    }

    package var document: HTML {
        """
        <!doctype html>
        <html lang="\(language.text)"\(language.isRightToLeft ? " dir=\"rtl\"" : .empty)>
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="format-detection" content="telephone=no">
        <meta name="robots" content="noindex, nofollow">
        <title>\(title)</title>
        <style>\(PageStyle.markup)</style>
        </head>
        <body>
        <main>
        \(picture)
        <h1>\(heading)</h1>
        \(content)
        </main>
        \(showsTimes ? "<script>\(PageScript.markup)</script>\n" : .empty)</body>
        </html>

        """
    }

    private var picture: HTML {
        switch mark {
        case .question:
            Self.picture(
                "question",
                """
                <rect x="7" y="2.5" width="10" height="19" rx="2.5"/><path d="m9.8 11.6 1.7 1.7 3-3.2M11 18.6h2"/>
                """)
        case .success: Self.picture("success", "<path d=\"m5.5 12.5 4.5 4.5 8.5-9.5\"/>")
        case .stop: Self.picture("stop", "<path d=\"m7 7 10 10M17 7 7 17\"/>")
        case .clock: Self.picture("clock", "<circle cx=\"12\" cy=\"12\" r=\"9\"/><path d=\"M12 7v5.3l3.3 2\"/>")
        }
    }

    private static func picture(_ name: String, _ shape: HTML) -> HTML {
        """
        <svg class="mark \(name)" viewBox="0 0 24 24" width="28" height="28" fill="none" stroke="currentColor" \
        stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" \
        focusable="false">\(shape)</svg>
        """
    }
}
