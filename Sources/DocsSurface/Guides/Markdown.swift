internal import CMarkdown
internal import Glibc
internal import SurfaceKit

/// A page of `docs/`, converted from Markdown to the parts that the site shows and searches.
struct Markdown: Sendable {
    /// A heading and the text below it, down to the next heading.
    struct Section: Sendable {
        /// The URL fragment, in the form that GitHub makes from the heading.
        let anchor: String
        let heading: String
        /// 1 to 6.
        let level: Int
        /// Words without markup, one blank between them.
        var text: String
    }

    let html: HTML
    /// In the order of the page. The first section has the title.
    let sections: [Section]
    /// The first paragraph, as text.
    let lead: String

    var title: String { sections.first?.heading ?? "" }

    /// - Parameters:
    ///   - bytes: UTF-8.
    ///   - address: the URL for a link of this page; `nil`: it is not on this site, and only the link's text stays.
    init(_ bytes: [UInt8], address: @escaping (String) -> String?) {
        var reader = RenderedMarkdown(Self.rendered(bytes), address: address)
        reader.readAll()
        html = HTML(trusted: String(decoding: reader.output, as: UTF8.self))
        sections = reader.sections
        lead = reader.lead
    }

    private static func rendered(_ bytes: [UInt8]) -> [UInt8] {
        var count = 0
        let html = bytes.withUnsafeBufferPointer { source in
            source.withMemoryRebound(to: CChar.self) { cmarkdown_html($0.baseAddress, $0.count, &count) }
        }
        guard let html else { return [] }
        defer { free(html) }
        return UnsafeBufferPointer(start: html, count: count).map(UInt8.init(bitPattern:))
    }
}
