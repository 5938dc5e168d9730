internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `GET /sandbox/sessions/{correlationId}`: one session and its events, oldest first.
///
///     ->  200 {"correlationId":"...","status":"done", ... ,"events":[{"at":"...","event":"created","detail":"mobile"}]}
struct ReadTimeline: SandboxEndpoint {
    typealias Timeline = (session: Session, events: [SessionEvent])

    let service: SessionAdministration

    static let call = Call(
        .get, "/sandbox/sessions/{correlationId}", id: "readTimeline", "One session, and what happened in it",
        "Events are oldest first.")
    static let body = Shape(CorrelationID(high: 0, low: 0))
    static let parameters = Parameters<CorrelationID, SandboxError> {
        ParameterMember.path(
            "correlationId", .identifier(CorrelationID.self), "The correlationId that unify answered.",
            orRefuse: .unknownSession
        ) { $0 = $1 }
    }
    static let reply = Reply<Timeline>(name: "SandboxTimeline") {
        ReplyMember.part({ $0.session }, SandboxSession.members)
        ReplyMember.always("events", .list(of: .object(event)), "Oldest first.") { $0.events }
    }

    private static let event = Reply<SessionEvent>(name: "TimelineEvent") {
        ReplyMember.always("at", .moment, "When it happened, by the sandbox clock.") { $0.at }
        ReplyMember.always("event", .choice(SessionEvent.Kind.allCases), "The kind of event.") { $0.kind }
        ReplyMember.whenThere("detail", .text, "A short addition, such as a platform, a gateway or a reason.") {
            $0.detail.map(SandboxSession.word)
        }
    }

    func respond(
        to id: CorrelationID, of request: Request, from caller: Nothing
    ) async throws(SandboxError) -> Timeline {
        do throws(SessionAdministration.Refusal) { return try await service.timeline(of: id) } catch {
            throw SandboxError(error)
        }
    }
}
