internal import SurfaceKit

/// The frame of every page: search, navigation, and the page between them. Only the search, the copy buttons and the
/// forms need scripts.
struct SiteFrame: Sendable {
    let content: SiteContent
    /// Identifies the assets' content in their URLs.
    let version: String

    func document(_ page: SitePage) -> HTML {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(page.title)\(page.address == SitePath.root ? "" : " - Holdfast")</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="\(asset("site.css"))">
        <script type="module" src="\(asset("site.js"))"></script>
        </head>
        <body>
        <a class="skip" href="#main">To the content</a>
        <header>
        <a class="home" href="\(SitePath.root)">Holdfast</a>
        <search hidden data-worker="\(asset("search.js"))" data-index="\(asset("search.json"))" data-lunr="\(asset("lunr.js"))">
        <label class="hidden" for="query">Search guides and reference</label>
        <input id="query" type="search" placeholder="Search" autocomplete="off" spellcheck="false" role="combobox" \
        aria-expanded="false" aria-controls="found" aria-autocomplete="list">
        <ul id="found" role="listbox" aria-label="Pages that were found" hidden></ul>
        </search>
        </header>
        <nav aria-label="Pages"><details open><summary>Pages</summary>\(navigation(page))</details></nav>
        <main id="main" tabindex="-1">
        \(contents(page))\(page.html)
        </main>
        </body>
        </html>

        """
    }

    private func asset(_ name: String) -> String { "\(SitePath.assets)/\(version)/\(name)" }

    private func contents(_ page: SitePage) -> HTML {
        guard !page.contents.isEmpty else { return .empty }
        let lines = page.contents.map { "<li><a href=\"#\($0.anchor)\">\($0.heading)</a></li>" as HTML }
        return "<nav class=\"contents\" aria-label=\"On this page\"><ul>\(joined(lines))</ul></nav>"
    }

    private func navigation(_ page: SitePage) -> HTML {
        let groups = GuideGroup.all.map { group -> HTML in
            let lines = group.names.compactMap { name in content.guides.first { $0.name == name } }.map {
                guideLine($0, page)
            }
            return "<h2>\(group.heading)</h2><ul>\(joined(lines))</ul>"
        }
        let surfaces = content.documents.map { surfaceLine($0, page) }
        return "\(joined(groups))<h2>Reference</h2><ul>\(joined(surfaces))</ul>"
    }

    /// Includes the pages below it if the reader is on it or on one of them.
    private func guideLine(_ guide: Guide, _ page: SitePage) -> HTML {
        let children = content.guides.filter { $0.parent == guide.name }
        let isOpen = page.address == guide.address || children.contains { $0.address == page.address }
        let lines = isOpen ? children.map { "<li>\(link($0.address, $0.markdown.title, page))</li>" as HTML } : []
        let list: HTML = lines.isEmpty ? .empty : "<ul>\(joined(lines))</ul>"
        return "<li>\(link(guide.address, guide.markdown.title, page))\(list)</li>"
    }

    private func surfaceLine(_ document: ReferenceDocument, _ page: SitePage) -> HTML {
        guard page.document == document.name else {
            return "<li>\(link(document.address, document.heading, page))</li>"
        }
        let groups = document.groups.map { group -> HTML in
            let lines = group.calls.map {
                "<li>\(link(SitePath.call($0.id, of: document.name), $0.summary, page))</li>" as HTML
            }
            return "<li><span>\(group.name)</span><ul>\(joined(lines))</ul></li>"
        }
        return "<li>\(link(document.address, document.heading, page))<ul>\(joined(groups))</ul></li>"
    }

    private func link(_ address: String, _ text: String, _ page: SitePage) -> HTML {
        "<a href=\"\(address)\"\(address == page.address ? " aria-current=\"page\"" : .empty)>\(text)</a>"
    }
}
