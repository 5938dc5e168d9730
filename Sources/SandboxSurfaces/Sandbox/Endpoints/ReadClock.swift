internal import Sandbox
internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `GET /sandbox/clock`: the server's notion of now.
///
///     ->  200 {"now":"2026-01-01T10:15:00Z","offsetSeconds":0}
struct ReadClock: Sendable {
    let clock: any SandboxClock

    func respond(to request: Request) async throws(SandboxError) -> Response {
        var object = JSONObject()
        object.set("now", clock.now().rfc3339)
        object.set("offsetSeconds", clock.offsetSeconds)
        return .json(200, object)
    }
}
