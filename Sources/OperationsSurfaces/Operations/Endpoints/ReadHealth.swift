internal import HTTPServer
internal import SurfaceKit

/// `GET /healthz`: the process serves.
///
///     ->  200 {"status":"ok"}
struct ReadHealth: Sendable {
    private let answer = Response.json(200, bytes: Array(#"{"status":"ok"}"#.utf8))

    func respond(to request: Request) -> Response { answer }
}
