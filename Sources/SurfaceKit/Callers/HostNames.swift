internal import Text

/// The names under which this server may be called, as they stand in `Host`.
///
/// A web page can point its own name to an address of this machine or of its network (DNS rebinding). The browser then takes
/// the server for the page's own, lets the page read every answer, and sends that name as `Host`. Parts of a sandbox ask for no
/// credentials, and others take credentials that are public.
///
/// Accepted are names that cannot be registered: IP addresses, `localhost`, and names under `.localhost` (RFC 6761 section 6.3).
/// Beside them, the hosts of the server's public URLs and the names that the operator lists.
package struct HostNames: Sendable {
    /// In lower case, without a port.
    private let listed: [String]

    /// - Parameters:
    ///   - urls: `https://host[:port]` each.
    ///   - names: in lower case, without a port.
    package init(urls: [String], names: [String] = []) {
        listed =
            names
            + urls.compactMap { url in
                url.firstRange(of: "://").map { String(decoding: Self.host(url[$0.upperBound...].utf8), as: UTF8.self) }
            }
    }

    /// - Parameter authority: in lower case, with or without port.
    package func contains(_ authority: String) -> Bool {
        // A literal of IPv6.
        guard authority.utf8.first != UInt8(ascii: "[") else { return true }
        let name = Self.host(authority.utf8)
        return listed.contains { name.elementsEqual($0.utf8) } || LocalhostName.isOne(name)
            || IPAddress(String(decoding: name, as: UTF8.self)) != nil
    }

    private static func host(_ authority: some Collection<UInt8>) -> [UInt8] {
        Array(authority.prefix { $0 != UInt8(ascii: ":") })
    }
}
