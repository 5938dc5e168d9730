package import Text

/// Rule for the URLs of endpoints on this server.
package struct WebhookURLRule: Sendable {
    /// Whether `http` to a loopback address is allowed (sandbox).
    package var allowsLoopback: Bool
    /// Further ports on which an endpoint on this machine may listen in sandbox.
    package var ports: Set<Int>
    /// Private networks that may be called.
    package var allowedNetworks: AddressRanges
    /// `host:port` of this server in lower case. The server does not call itself.
    package var ownAuthority: String?
    /// The only path of this server that webhooks may call: the receiver of a sandbox. `nil`: there is none.
    package var ownReceiver: String?

    package init(
        allowsLoopback: Bool, ports: Set<Int> = [443, 8443], allowedNetworks: AddressRanges = AddressRanges(),
        ownAuthority: String? = nil, ownReceiver: String? = nil
    ) {
        self.allowsLoopback = allowsLoopback
        self.ports = ports
        self.allowedNetworks = allowedNetworks
        self.ownAuthority = ownAuthority
        self.ownReceiver = ownReceiver
    }

    private struct Parts {
        var isSecure: Bool
        var host: String
        var port: Int
    }

    /// The rule that a URL breaks, or `nil`. The addresses of a host name are checked at each call.
    package func defect(of url: String) -> String? {
        let bytes = Array(url.utf8)
        guard bytes.count <= WebhookRules.mostURLBytes else {
            return "is longer than \(WebhookRules.mostURLBytes) bytes"
        }
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return "may have only visible ASCII characters" }
        guard !bytes.contains(UInt8(ascii: "#")) else { return "must not have a fragment" }
        let isSecure = bytes.starts(with: "https://".utf8)
        guard isSecure || bytes.starts(with: "http://".utf8) else { return "must begin with https://" }
        let authority = Self.authority(bytes, isSecure: isSecure)
        guard !authority.contains(UInt8(ascii: "@")) else { return "must not name a user" }
        guard let parts = Self.parts(authority, isSecure: isSecure) else { return "has no host, or a wrong port" }
        let isLoopback = allowsLoopback && Self.isLoopback(parts.host)
        guard isSecure || isLoopback else {
            return allowsLoopback
                ? "must begin with https://, except for loopback addresses" : "must begin with https://"
        }
        guard isLoopback || ports.contains(parts.port) else {
            return "has a port that is none of \(ports.sorted().map(String.init).joined(separator: ", "))"
        }
        let host = Self.withoutEnd(parts.host)
        if let ownAuthority, ownAuthority.isSame(as: "\(host):\(parts.port)"),
            !isOwnReceiver(bytes.dropFirst((isSecure ? 8 : 7) + authority.count))
        {
            return "names this server"
        }
        return isLoopback ? nil : addressDefect(of: host)
    }

    /// - Parameter target: path and query.
    private func isOwnReceiver(_ target: some Collection<UInt8>) -> Bool {
        ownReceiver?.utf8.elementsEqual(target.prefix { $0 != UInt8(ascii: "?") }) ?? false
    }

    /// The rule that a host breaks if it is an address or names this machine. Any other name is accepted.
    /// - Parameter host: in lower case, without a dot at its end.
    private func addressDefect(of host: String) -> String? {
        let labels = host.utf8.split(separator: UInt8(ascii: "."))
        let literal = host.utf8.first == UInt8(ascii: "[") ? String(host.dropFirst().dropLast()) : host
        if let address = IPAddress(literal) {
            return address.isPublic || allowedNetworks.contains(address)
                ? nil : "is an address that webhooks may not go to"
        }
        // Resolvers also accept 127.1, 0x7f.1 and 2130706433 as addresses.
        if let last = labels.last, Self.isNumeric(last) { return "must have an IPv4 address as four decimal numbers" }
        let isThisMachine = labels.last?.elementsEqual("localhost".utf8) == true
        guard isThisMachine, !Self.loopback.contains(where: allowedNetworks.contains) else { return nil }
        return "is an address that webhooks may not go to"
    }

    private static let loopback = [IPAddress("127.0.0.1"), IPAddress("::1")]

    /// `80`, `0x7f`.
    private static func isNumeric(_ label: some Collection<UInt8>) -> Bool {
        if label.allSatisfy({ (48...57).contains($0) }) { return true }
        return label.starts(with: "0x".utf8)
            && label.dropFirst(2).allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }

    /// A name with a dot at its end is the same name without it.
    private static func withoutEnd(_ host: String) -> String {
        host.utf8.last == UInt8(ascii: ".") ? String(host.dropLast()) : host
    }

    /// `https://shop.example`, `https://shop.example:8443`: scheme, host in lower case, and a non-default port. `nil`:
    /// the URL has no host.
    static func origin(of url: String) -> String? {
        let bytes = Array(url.utf8)
        let isSecure = bytes.starts(with: "https://".utf8)
        guard isSecure || bytes.starts(with: "http://".utf8),
            let parts = parts(authority(bytes, isSecure: isSecure), isSecure: isSecure)
        else { return nil }
        let port = parts.port == (isSecure ? 443 : 80) ? "" : ":\(parts.port)"
        return (isSecure ? "https://" : "http://") + parts.host + port
    }

    /// Whether a URL equals `prefix` or is below it: `https://shop.example/hooks/done?x=1` is below
    /// `https://shop.example/hooks`. `/hooksome` and a path that leads up again, such as `/hooks/../x`, are not below
    /// it.
    package static func isPrefix(_ prefix: String, of url: String) -> Bool {
        let (prefix, url) = (Array(prefix.utf8), Array(url.utf8))
        guard url.count <= WebhookRules.mostURLBytes, url.starts(with: prefix) else { return false }
        let rest = url.dropFirst(prefix.count)
        guard let next = rest.first else { return true }
        // Text after the start of a query is a value, not a path.
        guard !prefix.contains(UInt8(ascii: "?")),
            rest.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") })
        else { return false }
        let isSeparate = next == UInt8(ascii: "/") || next == UInt8(ascii: "?") || prefix.last == UInt8(ascii: "/")
        return isSeparate && !leadsUp(rest.prefix { $0 != UInt8(ascii: "?") })
    }

    /// Whether a segment is one or two dots, with or without parameters, or the path has a backslash, or a dot or slash
    /// is percent-encoded.
    private static func leadsUp(_ path: ArraySlice<UInt8>) -> Bool {
        if path.contains(UInt8(ascii: "\\")) { return true }
        let isHidden = path.indices.contains { index in
            let code = path[index...].prefix(3).map { (65...90).contains($0) ? $0 | 0x20 : $0 }
            return ["%2e", "%2f", "%5c"].contains { code.elementsEqual($0.utf8) }
        }
        return isHidden
            || path.split(separator: UInt8(ascii: "/")).contains { segment in
                // Some servers cut off parameters: for them /..;x is /..
                let name = segment.prefix { $0 != UInt8(ascii: ";") }
                return name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8)
            }
    }

    private static func authority(_ url: [UInt8], isSecure: Bool) -> ArraySlice<UInt8> {
        url.dropFirst(isSecure ? 8 : 7).prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    }

    /// `host`, `host:port`, `[v6]`, `[v6]:port`, in lower case.
    private static func parts(_ authority: some Collection<UInt8>, isSecure: Bool) -> Parts? {
        let bytes = authority.map { (65...90).contains($0) ? $0 | 0x20 : $0 }
        var host = bytes.prefix { $0 != UInt8(ascii: ":") }
        if bytes.first == UInt8(ascii: "[") {
            guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            host = bytes[...end]
            guard IPAddress(String(decoding: host.dropFirst().dropLast(), as: UTF8.self)) != nil else { return nil }
        } else {
            let isName = host.allSatisfy { byte in
                (97...122).contains(byte) || (48...57).contains(byte) || "-._".utf8.contains(byte)
            }
            guard isName, (1...253).contains(host.count) else { return nil }
            // No label may be empty, except after a dot at the end.
            let labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            guard host.first != UInt8(ascii: "."), !labels.dropLast().contains(where: \.isEmpty) else { return nil }
        }
        let rest = bytes[host.endIndex...]
        var port = isSecure ? 443 : 80
        if !rest.isEmpty {
            let digits = rest.dropFirst()
            guard rest.first == UInt8(ascii: ":"), (1...5).contains(digits.count),
                digits.allSatisfy({ (48...57).contains($0) })
            else { return nil }
            port = digits.reduce(0) { $0 * 10 + Int($1 - 48) }
            guard (1...65_535).contains(port) else { return nil }
        }
        return Parts(isSecure: isSecure, host: String(decoding: host, as: UTF8.self), port: port)
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host.isSame(as: "localhost") || host.isSame(as: "[::1]") { return true }
        return IPAddress(host)?.isLoopback ?? false
    }
}
