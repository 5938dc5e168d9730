internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `GET /sandbox/sessions`: the newest sessions, newest first.
///
///     ->  200 {"sessions":[{"correlationId":"...","status":"active","step":"otpFinish", ...}]}
struct ListSessions: Sendable {
    let service: SessionAdministration

    private static let limit = 100

    /// - Throws: `.overloaded`, `.internalFault`.
    func respond(to request: Request) async throws(SandboxError) -> Response {
        let sessions: [Session]
        do throws(SessionAdministration.Refusal) {
            sessions = try await service.recentSessions(limit: Self.limit)
        } catch {
            throw SandboxError(error)
        }
        var object = JSONObject()
        object.set("sessions", sessions.map(SessionView.object))
        return .json(200, object)
    }
}
