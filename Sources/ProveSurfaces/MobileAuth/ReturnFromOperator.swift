internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `GET /ma/v1/cb?code=...&state=...` (or `error=...`): the hop back from the operator.
///
///     ->  200 {"vfp":"v1...."} or {"error":"mobile_auth_unavailable"}; to a web page 303 with #vfp= or #error=
struct ReturnFromOperator: HopEndpoint {
    struct Order: Sendable {
        var state: String?
        var code: String?
        var error: String?
    }

    let service: MobileAuthService
    let engine: Engine
    let address: ClientAddress

    /// Every operator's authorization codes are far shorter.
    private static let maxCodeBytes = 2048

    static let call = Call(
        .get, "/ma/v1/cb", id: "returnFromOperator", "Come back from the operator",
        "Where the operator sends the phone with its answer.", demand: .changes)
    static let refusals: [HopError] = [.unreadable]
    static let body = Shape(Order())
    static let parameters = Parameters<Order, HopError> {
        ParameterMember.optionalQuery("state", .anyText, "The value that was sent to the operator.") { $0.state = $1 }
        ParameterMember.optionalQuery("code", .anyText, "The operator's authorization code.") { $0.code = $1 }
        ParameterMember.optionalQuery("error", .anyText, "The reason why there is none.") { $0.error = $1 }
    }
    static let reply = ResponseReply<MobileAuthService.Hop>(HopAnswer.arrivals) { HopAnswer.response($0) }

    func session(of order: Order) -> SessionKey? {
        order.state.flatMap { engine.crypto.mobileAuthTokens.attempt(inState: $0) }.map { .attempt($0) }
    }

    func respond(
        to order: Order, of request: Request, from caller: Nothing
    ) async throws(HopError) -> MobileAuthService.Hop {
        guard let state = order.state, let back = Self.back(order) else { throw .unreadable }
        do throws(EngineFault) {
            return try await service.returnFromOperator(
                state, back, address: address.or(peerOf: request), note: request.noteSession)
        } catch {
            throw HopError(error)
        }
    }

    private static func back(_ order: Order) -> MobileAuthService.Return? {
        if let error = order.error { return .error(error) }
        // RFC 6749 appendix A.11: visible ASCII and the space.
        guard let code = order.code, (1...maxCodeBytes).contains(code.utf8.count),
            code.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        return .code(code)
    }
}
