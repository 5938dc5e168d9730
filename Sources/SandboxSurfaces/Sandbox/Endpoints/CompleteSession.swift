internal import Sandbox
internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /sandbox/sessions/{correlationId}/complete`: ends the session in place of its client, with success or failure.
///
///     {"outcome":"success"}  ->  200, the session
struct CompleteSession: SandboxEndpoint {
    enum Outcome: String, Sendable, CaseIterable { case success, failure }

    struct Order: Sendable {
        var id = CorrelationID(high: 0, low: 0)
        var outcome = Outcome.failure
    }

    let service: SessionAdministration
    /// The calls by which sessions of some products succeed.
    let calls: [ProductName: String]

    static let call = Call(
        .post, "/sandbox/sessions/{correlationId}/complete", id: "completeSession", "Play the client",
        """
        Ends the session either way. Where the check of a code is what tells its surface of a success (Prelude, Twilio Verify, \
        CAMARA, SMS hooks), or the activation of a phone (onboarding), success is refused, and the message names that call.
        """, body: .json(#"{"outcome":"success"}"#, upTo: .short))
    static let refusals: [SandboxError] = [
        .alreadyDone, .succeedsByItsCall("a check of its code"),
    ]
    static let body = Shape(Order()) {
        Member.required("outcome", .choice(Outcome.allCases), "The end that the session is to have.") {
            $0.outcome = $1
        }
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
                order.id, success: order.outcome == .success, numberIfUnknown: SandboxUsers.defaultNumber,
                tellByCall: Set(calls.keys))
        } catch {
            throw SandboxError(error, calls)
        }
    }
}
