internal import HTTPServer
internal import SurfaceKit

/// `GET /readyz`: whether a balancer may send requests: the store reads and writes, tokens can be signed, the files are
/// at their places, and the server is not draining (OPS-03).
///
///     ->  200 {"status":"ok"}  or  503 {"code":8000,"message":"the server is not ready: the disk is full"}
struct ReadReadiness: Sendable {
    let notReady: @Sendable () async -> String?

    func respond(to request: Request) async -> Response {
        guard let reason = await notReady() else { return .json(200, bytes: Array(#"{"status":"ok"}"#.utf8)) }
        var response = Response.coded(503, code: 8000, message: "the server is not ready: \(reason)")
        response.add("Retry-After", "1")
        return response
    }
}
