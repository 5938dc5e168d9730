internal import SurfaceKit

/// One line of a table of members or parameters.
struct FieldRow: Sendable {
    let name: String
    /// Path, query or header; `nil` for a member.
    var place: String?
    let isRequired: Bool
    let type: HTML
    let about: String

    /// Longer tables are collapsed: a page has at most three screens.
    private static let most = 12

    static func table(_ rows: [FieldRow]) -> HTML {
        let table: HTML = """
            <table class="fields"><thead><tr><th>Name</th><th>Type</th><th>Meaning</th></tr></thead>\
            <tbody>\(joined(rows.map(\.markup)))</tbody></table>
            """
        guard rows.count > most else { return table }
        return "<details><summary>\(String(rows.count)) fields</summary>\(table)</details>"
    }

    private var markup: HTML {
        let mark: HTML = isRequired ? " <span class=\"must\">required</span>" : .empty
        let source: HTML = place.map { " <small>\($0)</small>" } ?? .empty
        return "<tr><td><code>\(name)</code>\(source)\(mark)</td><td>\(type)</td><td>\(about)</td></tr>"
    }
}

func joined(_ parts: [HTML], by separator: String = "\n") -> HTML {
    HTML(trusted: parts.map(\.text).joined(separator: separator))
}
