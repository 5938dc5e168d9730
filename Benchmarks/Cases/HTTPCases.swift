@testable internal import HTTPServer

extension Case {
    /// One request, head and body, from bytes that came whole.
    static let parser = Case(name: "parser") {
        let token = String(repeating: "a", count: 420)
        let request = Array(
            """
            POST /v3/unify HTTP/1.1\r
            Host: 127.0.0.1:8080\r
            User-Agent: backend/1.0\r
            Accept: */*\r
            Authorization: Bearer \(token)\r
            Content-Type: application/json\r
            Content-Length: \(body.utf8.count)\r
            \r
            \(body)
            """.utf8)
        var parser = RequestParser(limits: Limits())
        return {
            var next = 0
            while next < request.count {
                switch parser.feed(request.span, from: &next, to: request.count) {
                case .head(let head):
                    keep(head)
                    parser.receiveBody(keeping: true, limit: 1 << 20)
                case .complete: keep(parser.takeBody())
                case .needMore: break
                case .failed: fatalError("a good request was refused")
                }
            }
            // A body that ends with the input is complete without another octet.
            if !parser.isIdle, case .complete = parser.feed(request.span, from: &next, to: request.count) {
                keep(parser.takeBody())
            }
        }
    }

    /// The route among as many as the server has of its kind.
    static let router = Case(name: "router") {
        let patterns = [
            "/token", "/v3/unify", "/v3/unify-status", "/v3/unify-bind", "/v3/device/revoke", "/v3/start",
            "/v3/validate",
            "/v3/challenge", "/v3/complete", "/v3/verify", "/v3/identity/{id}", "/client/v1/session",
            "/client/v1/session/device", "/client/v1/session/otp", "/client/v1/session/otp/verify",
            "/client/v1/session/otp/resend", "/client/v1/session/link", "/client/v1/session/cancel", "/healthz",
            "/readyz",
            "/metrics", "/l/{token}", "/sandbox/sessions/{correlationId}",
        ]
        let router = Router(patterns.map { Route(.post, $0) { _ in Response(status: 200) } })
        let path = Array("/client/v1/session/otp/verify".utf8)
        return { keep(router.match(.post, path: path[...])) }
    }
}
