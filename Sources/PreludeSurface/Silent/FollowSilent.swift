internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `GET /prelude/silent/{attemptId}?t=...`: the `request_url` of a silent verification.
///
///     ->  302 to the operator
///
/// A phone that did not hear the answer asks again, from the same address, and is sent to the operator again.
struct FollowSilent: SilentHop {
    struct Order: Sendable {
        var attempt = ""
        var ticket = ""
        var saidNumber: String?
    }

    let service: MobileAuthService
    let engine: Engine
    let addresses: ClientAddress

    static let call = Call(
        .get, SilentVerifications.hopPath, id: "preludeFollowSilent", "Begin the chain",
        "The request_url: the phone opens it over its cellular connection, and follows the addresses.",
        demand: .changes)
    static let body = Shape(Order())
    static let parameters = Parameters<Order, PreludeError> {
        ParameterMember.path("attemptId", .anyText.described(as: .text(least: 1)), "Of the attempt.") {
            $0.attempt = $1
        }
        ParameterMember.requiredQuery("t", .anyText, "The ticket, as it stands in request_url.") { $0.ticket = $1 }
        ParameterMember.optionalQuery(
            "phoneNumber", .anyText, "Sandbox: whose phone follows, where the session has no number."
        ) { $0.saidNumber = $1 }
    }
    static let refusals: [PreludeError] = [.field(.missing("t"))]
    static let reply = ResponseReply<Response>([
        Answer(status: 302, about: "To the operator, or to the end.", headers: ["Location"]), SilentAnswer.ends,
    ])

    func session(of order: Order) -> SessionKey? {
        engine.keyed.bytes(order.attempt).flatMap { AttemptID($0) }.map { .attempt($0) }
    }

    func respond(
        to order: Order, of request: Request, from caller: Nothing
    ) async throws(PreludeError) -> Response {
        let address = addresses.or(peerOf: request)
        let hop = try await PreludeError.running { () async throws(EngineFault) in
            let first = try await service.sendToOperator(
                order.attempt, ticket: order.ticket, address: address, saidNumber: order.saidNumber,
                note: request.noteSession)
            guard first == .refused(.gone) else { return first }
            return try await service.sendToOperatorAgain(
                order.attempt, address: address, saidNumber: order.saidNumber)
        }
        switch hop {
        case .redirect(let url): return SilentAnswer.moved(to: url)
        case .handedOver(let fingerprint, let page):
            return SilentAnswer.moved(to: MobileAuthService.Hop.address(page, fingerprint))
        case .arrived, .refused(.unknown), .refused(.gone), .refused(.otherAddress): return SilentAnswer.failed(.gone)
        }
    }
}
