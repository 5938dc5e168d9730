/// Checks a URL that an operator configures for a server or a web origin: it must have only scheme and authority.
package enum PublicURL {
    /// In lower case and without a slash at the end; `nil` when it is not such a URL.
    package static func canonical(_ text: String) -> String? {
        var rest = Substring(text.lowercased())
        guard let scheme = ["https://", "http://"].first(where: { rest.hasPrefix($0) }) else { return nil }
        rest = rest.dropFirst(scheme.count)
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        guard let (host, port) = split(rest), isHost(host), port.map(isPort) ?? true else { return nil }
        return scheme + rest
    }

    /// Whether tokens for this URL are encrypted in transit, or do not leave the machine (HTTP-38).
    package static func isConfidential(_ url: String) -> Bool {
        if url.hasPrefix("https://") { return true }
        guard let (host, _) = split(Substring(url.dropFirst("http://".count))) else { return false }
        return host == "localhost" || host == "[::1]" || host.hasPrefix("127.") && IPLiteral.isAddress(String(host))
    }

    /// Whether the host is an address of a private or link-local network (RFC 1918, RFC 3927, RFC 4193, RFC 4291).
    package static func isPrivate(_ url: String) -> Bool {
        guard url.hasPrefix("http://"), let (host, _) = split(Substring(url.dropFirst("http://".count))) else {
            return false
        }
        let literal = host.hasPrefix("[") ? host.dropFirst().dropLast() : host
        return privateRanges?.contains(IPAddress(String(literal))) ?? false
    }

    private static let privateRanges = try? AddressRanges(
        list: "10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,169.254.0.0/16,fd00::/8,fe80::/10")

    /// The host of a canonical URL if it is a domain, as in the last line of a message (client protocol 3.6).
    package static func domain(_ url: String) -> String? {
        guard let start = url.firstRange(of: "://")?.upperBound, let (host, _) = split(url[start...]) else {
            return nil
        }
        let isDomain = host.contains(".") && !host.hasPrefix("[") && !IPLiteral.isAddress(String(host))
        return isDomain ? String(host) : nil
    }

    /// The host of a canonical URL, without brackets.
    package static func host(_ url: String) -> String? {
        guard let start = url.firstRange(of: "://")?.upperBound, let (host, _) = split(url[start...]) else {
            return nil
        }
        return host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : String(host)
    }

    /// `host:port` of a canonical URL.
    package static func authority(_ url: String) -> String? {
        guard let start = url.firstRange(of: "://")?.upperBound, let (host, port) = split(url[start...]) else {
            return nil
        }
        return "\(host):\(port ?? (url.hasPrefix("https://") ? "443" : "80"))"
    }

    private static func split(_ authority: Substring) -> (host: Substring, port: Substring?)? {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let host = authority[...end]
            let rest = authority[authority.index(after: end)...]
            if rest.isEmpty { return (host, nil) }
            return rest.hasPrefix(":") ? (host, rest.dropFirst()) : nil
        }
        let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let host = parts.first else { return nil }
        return (host, parts.count == 2 ? parts[1] : nil)
    }

    private static func isHost(_ host: Substring) -> Bool {
        if host.hasPrefix("[") { return IPLiteral.isIPv6(String(host.dropFirst().dropLast())) }
        return (1...253).contains(host.utf8.count) && host.first != "." && host.last != "."
            && host.utf8.allSatisfy { byte in
                (97...122).contains(byte) || (48...57).contains(byte) || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: ".")
            }
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { (48...57).contains($0) } && UInt16(text).map { $0 > 0 } ?? false
    }
}
