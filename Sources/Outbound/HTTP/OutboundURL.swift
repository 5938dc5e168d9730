internal import Text

/// Rules for URLs that this server calls, or to which it sends a device.
enum OutboundURL {
    private static let maxBytes = 1024

    /// The rule that a configured URL breaks.
    ///
    /// - Parameters:
    ///   - isBase: paths are appended to it, so it has no query and no slash at its end.
    ///   - mayBePlain: the operator allows `http` to other machines.
    static func defect(of url: String, isBase: Bool = false, mayBePlain: Bool = false) -> String? {
        guard !url.isEmpty else { return "is missing" }
        guard url.utf8.count <= maxBytes else { return "is longer than \(maxBytes) bytes" }
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return "may have only visible ASCII characters" }
        let isSecure = url.hasPrefix("https://")
        guard isSecure || url.hasPrefix("http://") else { return "must begin with https://" }
        let rest = url.dropFirst(isSecure ? 8 : 7)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.contains("@") else { return "must not name a user" }
        guard let host = host(in: authority) else { return "has no host, or a wrong port" }
        guard isSecure || mayBePlain || isLoopback(host) else {
            return "must begin with https://, except for loopback addresses"
        }
        guard !rest.contains("#") else { return "must not have a fragment" }
        if isBase, rest.contains("?") { return "must not have a query" }
        if isBase, rest.hasSuffix("/") { return "must not end with a slash" }
        return nil
    }

    /// The rule that a mail server's URL breaks: `smtps://` or `smtp://`, a host, and optionally a port.
    static func mailDefect(of url: String) -> String? {
        guard url.utf8.count <= maxBytes else { return "is longer than \(maxBytes) bytes" }
        guard let scheme = ["smtps://", "smtp://"].first(where: { url.hasPrefix($0) }) else {
            return "must begin with smtps:// or smtp://"
        }
        let authority = url.dropFirst(scheme.utf8.count)
        guard authority.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), host(in: authority) != nil else {
            return "must have a host, possibly a port, and nothing else"
        }
        return nil
    }

    /// Whether a mail server's URL is `smtp://`, not `smtps://`, on this machine.
    static func isLocalMail(_ url: String) -> Bool {
        let scheme = "smtp://"
        return url.hasPrefix(scheme) && host(in: url.dropFirst(scheme.utf8.count)).map(isLoopback) ?? false
    }

    /// `host`, `host:port`, `[v6]`, `[v6]:port`; the text between brackets is returned without them.
    private static func host(in authority: Substring) -> Substring? {
        let host: Substring
        let rest: Substring
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<end]
            rest = authority[authority.index(after: end)...]
            guard host.contains(":"), IPAddress(host) != nil else { return nil }
        } else {
            host = authority.prefix { $0 != ":" }
            rest = authority.dropFirst(host.count)
            let isName = host.utf8.allSatisfy { byte in
                switch byte {
                case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
                default: false
                }
            }
            guard isName, !host.isEmpty else { return nil }
        }
        if rest.isEmpty { return host }
        let port = rest.dropFirst()
        guard rest.hasPrefix(":"), (1...5).contains(port.utf8.count),
            port.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }), let number = Int(port), (1...65_535).contains(number)
        else { return nil }
        return host
    }

    private static func isLoopback(_ host: Substring) -> Bool {
        if host.lowercased() == "localhost" || host == "::1" { return true }
        guard !host.contains(":"), let address = IPAddress(host) else { return false }
        return address.isLoopback
    }
}
