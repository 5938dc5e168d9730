internal import Sandbox
internal import HTTPServer
internal import SurfaceKit

/// `GET /sandbox/clock`: the server's current time.
///
///     ->  200 {"now":"2026-01-01T10:15:00Z","offsetSeconds":0}
struct ReadClock: SandboxEndpoint {
    let clock: any SandboxClock

    static let call = Call(
        .get, "/sandbox/clock", id: "readClock", "The server's notion of now", "Every expiry goes by it.")
    static let reply = SandboxTime.reply

    func respond(
        to nothing: Nothing, of request: Request, from caller: Nothing
    ) async throws(SandboxError) -> SandboxTime {
        SandboxTime(clock)
    }
}
