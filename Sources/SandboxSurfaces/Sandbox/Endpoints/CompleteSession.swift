internal import Sandbox
internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /sandbox/sessions/{correlationId}/complete`: plays the client, to either end.
///
///     {"outcome":"success"}  ->  200, the session
struct CompleteSession: SandboxEndpoint {
    enum Outcome: String, Sendable, CaseIterable { case success, failure }

    struct Order: Sendable {
        var id = CorrelationID(high: 0, low: 0)
        var outcome = Outcome.failure
    }

    let service: SessionAdministration

    static let call = Call(
        .post, "/sandbox/sessions/{correlationId}/complete", id: "completeSession", "Play the client",
        "Ends the session either way.", body: .json(#"{"outcome":"success"}"#, upTo: .short))
    static let refusals: [SandboxError] = [.alreadyDone]
    static let body = Shape(Order()) {
        Member.required("outcome", .choice(Outcome.allCases)) { $0.outcome = $1 }
    }
    static let parameters = Parameters<Order, SandboxError> {
        ParameterMember.path(
            "correlationId", .identifier(CorrelationID.self), "The correlationId that unify answered.",
            orRefuse: .unknownSession
        ) { $0.id = $1 }
    }
    static let reply = SandboxSession.reply

    func respond(
        to order: Order, of request: Request, from caller: Nothing
    ) async throws(SandboxError) -> Session {
        do throws(SessionAdministration.Refusal) {
            return try await service.complete(
                order.id, success: order.outcome == .success, numberIfUnknown: SandboxUsers.defaultNumber)
        } catch {
            throw SandboxError(error)
        }
    }
}
