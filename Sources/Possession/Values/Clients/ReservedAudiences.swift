/// Audiences that statements must not name, because other signed texts use them. Tokens of this server have a URL of
/// this server as audience. Assertions that authenticate this server have an operator's token URL.
package struct ReservedAudiences: Sendable {
    /// Scheme and authority of each, in lower case.
    private let reserved: [[UInt8]]

    /// - Parameter urls: with scheme and authority; the rest is ignored.
    package init(urls: [String] = []) {
        reserved = urls.compactMap { Self.origin(of: $0.utf8) }
    }

    /// Whether an audience is one of the origins or a URL below one. Case is ignored.
    package func holds(_ audience: String) -> Bool {
        Self.origin(of: audience.utf8).map { reserved.contains($0) } ?? false
    }

    /// The bytes before path, query and fragment; `nil`: it is not a URL with an authority.
    private static func origin(of text: String.UTF8View) -> [UInt8]? {
        let slash = UInt8(ascii: "/")
        var bytes = text.map { (65...90).contains($0) ? $0 | 0x20 : $0 }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            bytes[colon...].dropFirst().starts(with: [slash, slash])
        else { return nil }
        let authority = bytes[(colon + 3)...]
        let end = authority.firstIndex { [slash, UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) }
        bytes.removeSubrange((end ?? bytes.endIndex)...)
        return bytes
    }
}
