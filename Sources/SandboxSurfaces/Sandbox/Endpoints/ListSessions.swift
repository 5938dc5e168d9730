internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `GET /sandbox/sessions`: the newest sessions, newest first.
///
///     ->  200 {"sessions":[{"correlationId":"...","status":"active","step":"otpFinish", ...}]}
struct ListSessions: SandboxEndpoint {
    let service: SessionAdministration

    private static let limit = 100

    static let call = Call(
        .get, "/sandbox/sessions", id: "listSessions", "The newest sessions", "At most \(limit), newest first.")
    static let reply = Reply<[Session]> {
        ReplyMember.always("sessions", .list(of: .object(SandboxSession.reply)), "Newest first.") { $0 }
    }

    func respond(
        to nothing: Nothing, of request: Request, from caller: Nothing
    ) async throws(SandboxError) -> [Session] {
        do throws(SessionAdministration.Refusal) {
            return try await service.recentSessions(limit: Self.limit)
        } catch {
            throw SandboxError(error)
        }
    }
}
