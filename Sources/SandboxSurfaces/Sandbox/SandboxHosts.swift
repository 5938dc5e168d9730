internal import Text
internal import SurfaceKit

/// Under which names the sandbox surface may be called. It asks for no credentials, so a web page of anybody could read
/// it in a developer's browser once the page's own name points to this machine (DNS rebinding). The browser then sends
/// that name as `Host`.
///
/// Accepted are names that nobody can register: IP addresses, `localhost`, names without a dot such as those of containers,
/// and `.localhost`, `.internal`, `.test` (RFC 6761, RFC 9476); beside them those of `server.publicUrl` and
/// `link.publicUrl`.
struct SandboxHosts: Sendable {
    /// Lower case, without a port.
    private let listed: [String]

    /// - Parameter urls: `https://host[:port]` each.
    init(urls: [String]) {
        listed = urls.compactMap { url in
            url.firstRange(of: "://").map { String(decoding: Self.name(url[$0.upperBound...].utf8), as: UTF8.self) }
        }
    }

    /// - Parameter authority: in lower case, with or without port; `nil` in HTTP/1.0 without one, which no browser
    ///   speaks.
    func accept(_ authority: String?) -> Bool {
        guard let authority, authority.utf8.first != UInt8(ascii: "[") else { return true }
        let name = Self.name(authority.utf8)
        if !name.contains(UInt8(ascii: ".")) || IPAddress(String(decoding: name, as: UTF8.self)) != nil { return true }
        if listed.contains(where: { name.isSame(as: $0) }) { return true }
        return [".localhost", ".internal", ".test"].contains { name.suffix($0.utf8.count).isSame(as: $0) }
    }

    private static func name(_ authority: some Collection<UInt8>) -> [UInt8] {
        Array(authority.prefix { $0 != UInt8(ascii: ":") })
    }
}
