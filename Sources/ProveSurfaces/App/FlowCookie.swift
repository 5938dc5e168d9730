internal import HTTPServer
internal import Text
internal import SurfaceKit

/// The cookie in which a browser returns its flow token (RFC 6265; contract section 3).
struct FlowCookie: Sendable {
    static let name = "holdfast_flow"
    /// The lifetime of a session, in seconds.
    static let maxAgeSeconds = 900
    /// Longer than every token of ours, which has 22 characters.
    private static let maxTokenBytes = 64

    /// The server is reached only over TLS.
    let isAlwaysSecure: Bool
    /// Peers whose `X-Forwarded-Proto` is trusted.
    let trustedProxies: AddressRanges

    /// The value of `Set-Cookie` for the answer to `request`.
    func field(_ token: String, for request: Request) -> String {
        let base = "\(Self.name)=\(token); Path=/; Max-Age=\(Self.maxAgeSeconds); HttpOnly; SameSite=Lax"
        return isSecure(request) ? base + "; Secure" : base
    }

    private func isSecure(_ request: Request) -> Bool {
        isAlwaysSecure || request.channel != nil
            || trustedProxies.contains(request.peer.address)
                && request.headers.bytes("x-forwarded-proto")?.isSameIgnoringCase(as: "https") == true
    }

    /// The first token in the cookies of a request; an empty `Cookie` field counts as none.
    static func token(in request: Request) -> String? {
        for field in request.headers.allBytes("cookie") {
            for pair in field.split(separator: UInt8(ascii: ";")) {
                guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { continue }
                let found = pair[..<equals].drop { $0 == 0x20 || $0 == 0x09 }
                guard found.isSame(as: name) else { continue }
                let token = pair[(equals + 1)...]
                return token.count <= maxTokenBytes ? String(decoding: token, as: UTF8.self) : nil
            }
        }
        return nil
    }
}
