internal import HTTPServer
internal import Text

/// The cookie in which a browser brings its flow token back (RFC 6265; contract section 3).
struct FlowCookie: Sendable {
    static let name = "holdfast_flow"
    /// As long as the session lives, in seconds.
    static let maxAgeSeconds = 900

    /// The server is reached over TLS alone.
    let isAlwaysSecure: Bool
    /// Peers whose `X-Forwarded-Proto` is believed.
    let trustedProxies: AddressRanges

    /// The value of `Set-Cookie` in the answer to `request`.
    func field(_ token: String, for request: Request) -> String {
        let base = "\(Self.name)=\(token); Path=/; Max-Age=\(Self.maxAgeSeconds); HttpOnly; SameSite=Lax"
        return isSecure(request) ? base + "; Secure" : base
    }

    private func isSecure(_ request: Request) -> Bool {
        isAlwaysSecure
            || trustedProxies.contains(request.peer.address)
                && request.headers["x-forwarded-proto"]?.lowercased() == "https"
    }

    /// The first token that a request carries in its cookies; an empty `Cookie` field is no cookie.
    static func token(in request: Request) -> String? {
        for field in request.headers.values("cookie") {
            for pair in field.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, parts[0].drop(while: { $0 == " " || $0 == "\t" }) == name else { continue }
                return String(parts[1])
            }
        }
        return nil
    }
}
