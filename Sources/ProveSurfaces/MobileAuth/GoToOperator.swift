internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `GET /ma/v1/go/{attemptId}?t=...`: the first hop. Uses up the ticket and sends the phone to its operator.
///
///     ->  302 to the operator's authorize URL, or the return hop's answer when no operator is known
///
/// In a sandbox, `phoneNumber` may state the number of the phone that follows the chain, if the session has no number.
struct GoToOperator: HopEndpoint {
    struct Order: Sendable {
        var attempt = ""
        var ticket: String?
        var saidNumber: String?
    }

    let service: MobileAuthService
    let engine: Engine
    let address: ClientAddress

    static let call = Call(
        .get, "/ma/v1/go/{attemptId}", id: "goToOperator", "Go to the operator",
        "The first hop: uses up the ticket. Where no operator is known it answers as the return hop does.",
        demand: .changes)
    static let body = Shape(Order())
    static let parameters = Parameters<Order, HopError> {
        ParameterMember.path("attemptId", .anyText.described(as: .text(least: 1)), "It names the attempt.") {
            $0.attempt = $1
        }
        ParameterMember.optionalQuery("t", .anyText, "The ticket, as it stands in authUrl.") { $0.ticket = $1 }
        ParameterMember.optionalQuery(
            "phoneNumber", .anyText, "Sandbox: whose phone follows, where the session has no number."
        ) { $0.saidNumber = $1 }
    }
    static let reply = ResponseReply<MobileAuthService.Hop>(
        [Answer(status: 302, about: "To the operator.", headers: ["Location"])] + HopAnswer.arrivals
    ) { HopAnswer.response($0) }

    func session(of order: Order) -> SessionKey? {
        engine.crypto.keyed.bytes(order.attempt).flatMap { AttemptID($0) }.map { .attempt($0) }
    }

    func respond(
        to order: Order, of request: Request, from caller: Nothing
    ) async throws(HopError) -> MobileAuthService.Hop {
        guard let ticket = order.ticket else { throw .unknown }
        do throws(EngineFault) {
            return try await service.sendToOperator(
                order.attempt, ticket: ticket, address: address.or(peerOf: request), saidNumber: order.saidNumber,
                note: request.noteSession)
        } catch {
            throw HopError(error)
        }
    }
}
