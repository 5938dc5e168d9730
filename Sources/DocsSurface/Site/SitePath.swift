/// URL paths of the site.
enum SitePath {
    static let root = "/docs"
    static let reference = root + "/reference"
    static let assets = root + "/assets"

    /// The path on this site for a link of a guide; `nil`: the target is not on it.
    ///
    ///     address(of: "../limits.md#calls", from: "operate/backup")  ->  "/docs/limits#calls"
    ///
    /// - Parameters:
    ///   - link: as written in the Markdown, relative to the page.
    ///   - name: of the page, without `docs/` and the file extension.
    static func address(of link: String, from name: String) -> String? {
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let anchor = parts.count == 2 ? "#" + parts[1] : ""
        guard let path = parts.first, !path.isEmpty else { return anchor }
        var folders = name.split(separator: "/").dropLast().map(String.init)
        for segment in path.split(separator: "/") {
            if segment != ".." {
                folders.append(String(segment))
            } else if folders.popLast() == nil {
                return nil
            }
        }
        let target = folders.joined(separator: "/")
        if target.hasSuffix(".md") { return root + "/" + target.dropLast(".md".count) + anchor }
        return target.hasSuffix(".svg") ? root + "/" + target : nil
    }

    /// The path of a call's page.
    static func call(_ id: String, of document: String) -> String { "\(reference)/\(document)/\(id)" }
}
