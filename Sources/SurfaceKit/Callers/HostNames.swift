internal import Text

/// The host names under which this server may be called, as in `Host`.
///
/// A web page can point its own name to an address of this machine or its network (DNS rebinding). The browser then
/// treats the server as the page's own origin, allows the page to read every answer, and sends that name as `Host`.
/// Parts of a sandbox need no credentials, and others accept public credentials.
///
/// Accepted are names that cannot be registered: IP addresses, `localhost`, and names under `.localhost` (RFC 6761
/// section 6.3). Also accepted are the hosts of the server's public URLs and the names that the operator lists.
package struct HostNames: Sendable {
    /// In lower case, without a port.
    private let listed: [String]

    /// - Parameters:
    ///   - urls: each as `https://host[:port]`.
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
        // An IPv6 literal.
        guard authority.utf8.first != UInt8(ascii: "[") else { return true }
        let name = Self.host(authority.utf8[...])
        return listed.contains { name.elementsEqual($0.utf8) } || LocalhostName.isOne(name)
            || IPAddress(String(decoding: name, as: UTF8.self)) != nil
    }

    private static func host(_ authority: Substring.UTF8View) -> Substring.UTF8View {
        authority.prefix { $0 != UInt8(ascii: ":") }
    }
}
