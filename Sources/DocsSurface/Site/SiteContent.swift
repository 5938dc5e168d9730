internal import StrictJSON
internal import SurfaceKit

/// All pages of the site, and the texts for the search.
struct SiteContent: Sendable {
    let guides: [Guide]
    let documents: [ReferenceDocument]
    let pages: [SitePage]
    let entries: [SearchEntry]

    init(guides: [Guide], documents: [ReferenceDocument], isSandbox: Bool) {
        self.guides = guides
        self.documents = documents
        let start = SitePage(
            address: SitePath.root, title: "Holdfast documentation",
            html: StartPage(guides: guides, documents: documents).html)
        let calls = documents.flatMap { document in
            document.calls.map { call in
                SitePage(
                    address: SitePath.call(call.id, of: document.name), title: call.summary,
                    html: CallPage(call, in: document, isSandbox: isSandbox).html, document: document.name)
            }
        }
        let surfaces = documents.map { document in
            SitePage(
                address: document.address, title: document.heading, html: DocumentPage(document: document).html,
                document: document.name)
        }
        pages = [start] + guides.map(Self.page) + surfaces + calls
        entries = guides.flatMap(Self.entries) + documents.flatMap(Self.entries)
    }

    private static func page(of guide: Guide) -> SitePage {
        let headings = guide.markdown.sections.filter { $0.level == 2 }.map { ($0.anchor, $0.heading) }
        return SitePage(
            address: guide.address, title: guide.markdown.title, html: guide.markdown.html,
            contents: headings.count < 3 ? [] : headings)
    }

    private static func entries(of guide: Guide) -> [SearchEntry] {
        guide.markdown.sections.enumerated().map { index, section in
            SearchEntry(
                address: guide.address + (index == 0 ? "" : "#" + section.anchor),
                title: index == 0 ? section.heading : "\(guide.markdown.title): \(section.heading)", text: section.text)
        }
    }

    private static func entries(of document: ReferenceDocument) -> [SearchEntry] {
        let reader = SchemaReader(document.object)
        return document.calls.map { call in
            let body = call.operation["requestBody"]?.object?["content"]?.object?.members.first?.value.object?["schema"]
            let parameters = (call.operation["parameters"]?.array ?? []).compactMap { $0.object?["name"]?.string }
            let words = [call.method, call.path, call.id, call.about] + parameters + reader.rows(of: body).map(\.name)
            return SearchEntry(
                address: SitePath.call(call.id, of: document.name), title: "\(document.heading): \(call.summary)",
                text: words.joined(separator: " "))
        }
    }

    /// The search index for `search.js`: `[["address","title","text"], ...]`.
    var searchIndex: [UInt8] {
        let rows = entries.map { JSONValue.array([.string($0.address), .string($0.title), .string($0.text)]) }
        return JSONValue.array(rows).serialized()
    }
}
