/// An origin as pages and web views send it in `Origin`: a scheme, `://`, a host, and a port unless it is the scheme's
/// own (RFC 6454 section 6.2). Compare it byte by byte.
///
///     https://app.example.com    http://localhost:5173    capacitor://localhost
package enum WebOrigin {
    /// Their pages come from files or texts of any party, or have no host.
    private static let refusedSchemes = ["about", "blob", "data", "file", "ftp", "javascript", "null", "ws", "wss"]

    /// Whether an operator may register it: https and http in the form of `PublicURL`, http only on this machine, also
    /// with the host name of a web view (`http://tauri.localhost`); or the scheme of a web view.
    package static func mayBeListed(_ text: String) -> Bool {
        if isOfWeb(text) {
            return PublicURL.canonical(text)?.isSame(as: text) == true
                && (PublicURL.isConfidential(text) || isUnderLocalhost(text))
        }
        return isOfApp(text)
    }

    /// Whether its scheme is neither http nor https, and it is a complete origin: hybrid apps, browser extensions.
    package static func isOfApp(_ text: String) -> Bool {
        let scheme = text.utf8.prefix { $0 != UInt8(ascii: ":") }
        let mark = Array("://".utf8)
        let rest = text.utf8.dropFirst(scheme.count)
        guard !isOfWeb(text), isScheme(scheme), rest.starts(with: mark) else { return false }
        let authority = rest.dropFirst(mark.count)
        let host = authority.prefix { $0 != UInt8(ascii: ":") }
        let port = authority.dropFirst(host.count)
        return (1...253).contains(host.count)
            && host.allSatisfy { $0.isLetterOrDigit || ".-_".utf8.contains($0) }
            && (port.isEmpty
                || (1...5).contains(port.count - 1) && port.dropFirst().allSatisfy { (48...57).contains($0) })
    }

    private static func isUnderLocalhost(_ text: String) -> Bool {
        LocalhostName.isOne(text.utf8.dropFirst("http://".utf8.count).prefix { $0 != UInt8(ascii: ":") })
    }

    private static func isOfWeb(_ text: String) -> Bool {
        ["http://", "https://"].contains { text.utf8.starts(with: $0.utf8) }
    }

    /// RFC 3986 section 3.1, in lower case.
    private static func isScheme(_ scheme: Substring.UTF8View) -> Bool {
        guard let first = scheme.first, (97...122).contains(first), scheme.count <= 64 else { return false }
        return scheme.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || "+-.".utf8.contains($0) }
            && !refusedSchemes.contains { scheme.elementsEqual($0.utf8) }
    }
}
