internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `GET /ma/v1/go/{attemptId}?t=...`: the first hop. Uses up the ticket and sends the phone to its operator.
///
///     ->  302 to the operator's authorize, or as the return hop when no operator is known
///
/// In sandbox the client may say by `phoneNumber` whose phone follows the chain, where the session has no number.
struct GoToOperator: Sendable {
    let service: MobileAuthService
    let address: ClientAddress
    let report: @Sendable (String) -> Void

    func respond(to request: Request) async -> Response {
        guard let attempt = request.parameters["attemptId"], let ticket = request.query("t") else {
            return HopAnswer.failed(404)
        }
        do throws(EngineFault) {
            let hop = try await service.sendToOperator(
                attempt, ticket: ticket, address: address.or(peerOf: request),
                saidNumber: request.query("phoneNumber"), note: request.noteSession)
            return HopAnswer.response(hop)
        } catch {
            return HopAnswer.response(error, request, report)
        }
    }
}
