internal import HTTPServer

/// `GET /readyz`: whether a balancer may send requests: the store answers, and the server is not draining.
///
///     ->  200 {"status":"ok"}  or  503 {"code":8000,"message":"the server is not ready"}
struct ReadReadiness: Sendable {
    let isReady: @Sendable () async -> Bool

    func respond(to request: Request) async -> Response {
        if await isReady() { return .json(200, bytes: Array(#"{"status":"ok"}"#.utf8)) }
        var response = Response.coded(503, code: 8000, message: "the server is not ready")
        response.add("Retry-After", "1")
        return response
    }
}
