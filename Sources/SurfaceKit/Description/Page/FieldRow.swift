/// One line of a table of members or parameters.
struct FieldRow: Sendable {
    let name: String
    /// Path, query or header; `nil` for a member.
    var place: String?
    let isRequired: Bool
    let type: HTML
    let about: String

    static func table(_ rows: [FieldRow]) -> HTML {
        """
        <div class="scroll"><table><thead><tr><th>Name</th><th>Type</th><th>Meaning</th></tr></thead>\
        <tbody>\(joined(rows.map(\.markup)))</tbody></table></div>
        """
    }

    private var markup: HTML {
        let mark: HTML = isRequired ? "<span class=\"must\">required</span>" : .empty
        let source: HTML = place.map { "<small>\($0)</small>" } ?? .empty
        return "<tr><td><code>\(name)</code> \(source) \(mark)</td><td>\(type)</td><td>\(about)</td></tr>"
    }
}
