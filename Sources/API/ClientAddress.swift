internal import HTTPServer

/// Finds out whom a request comes from, past the proxies the operator named (HTTP-37).
struct ClientAddress: Sendable {
    /// Peers whose `X-Forwarded-For` is believed.
    let trustedProxies: Set<String>

    /// The rightmost address that no trusted proxy is, since only proxies wrote what stands right of it. `nil` for a
    /// loopback peer that names nobody: behind a proxy that is not declared, all callers would look like one.
    func of(_ request: Request) -> String? {
        guard trustedProxies.contains(request.peer.text) else {
            return request.peer.isLoopback ? nil : request.peer.text
        }
        let hops = request.headers.values("x-forwarded-for").flatMap { $0.split(separator: ",") }
        return hops.reversed().lazy.map(Self.trimmed).first { !trustedProxies.contains($0) }
            .flatMap { Self.isAddress($0) ? $0 : nil }
    }

    /// The same, and the peer itself where nobody is named: for checks that two requests came from one address.
    func or(peerOf request: Request) -> String {
        of(request) ?? request.peer.text
    }

    private static func trimmed(_ hop: Substring) -> String {
        String(hop.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }

    /// Only the characters and length an IP address can have; the text is a key and nothing else.
    private static func isAddress(_ text: String) -> Bool {
        (2...45).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 48...58, 65...70, 97...102, UInt8(ascii: "."): true
                default: false
                }
            }
    }
}
