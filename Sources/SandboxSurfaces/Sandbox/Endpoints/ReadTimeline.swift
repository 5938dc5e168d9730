internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `GET /sandbox/sessions/{correlationId}`: one session and what has happened in it, oldest first.
///
///     ->  200 {"correlationId":"...","status":"done", ... ,"events":[{"at":"...","event":"created","detail":"mobile"}]}
struct ReadTimeline: Sendable {
    let service: SessionAdministration

    /// - Throws: `.unknownSession`, `.overloaded`, `.internalFault`.
    func respond(to request: Request) async throws(SandboxError) -> Response {
        guard let id = request.parameters["correlationId"].flatMap({ CorrelationID($0) }) else { throw .unknownSession }
        do throws(SessionAdministration.Refusal) {
            let (session, events) = try await service.timeline(of: id)
            var object = SessionView.object(session)
            object.set("events", events.map(SessionView.object))
            return .json(200, object)
        } catch {
            throw SandboxError(error)
        }
    }
}
