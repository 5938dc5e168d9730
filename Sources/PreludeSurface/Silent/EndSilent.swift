internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `GET /prelude/silent/end?vfp=...` (or `error=...`): the last address of the chain. Only the phone that followed the
/// chain knows it. Repeated calls get the same code until it is used. Before this call no code passes a check.
///
///     ->  200 {"code":"402915"} or {"status":"failed","reason":"mismatch"}
struct EndSilent: SilentHop {
    struct Order: Sendable {
        var fingerprint: String?
        var error: String?
    }

    let service: MobileAuthService
    let engine: Engine

    static let call = Call(
        .get, SilentVerifications.endPath, id: "preludeEndSilent", "End the chain",
        "Gives the code to the phone that followed the chain: as many digits as codes of the window have.",
        demand: .changes)
    static let body = Shape(Order())
    static let parameters = Parameters<Order, PreludeError> {
        ParameterMember.optionalQuery("vfp", .anyText, "What the operator's answer came to.") { $0.fingerprint = $1 }
        ParameterMember.optionalQuery("error", .anyText, "There is no answer.") { $0.error = $1 }
    }
    static let reply = ResponseReply<Response>([SilentAnswer.ends])

    func session(of order: Order) -> SessionKey? {
        order.fingerprint.flatMap { engine.crypto.mobileAuthTokens.fingerprint(in: $0) }.map { .attempt($0.attempt) }
    }

    func respond(
        to order: Order, of request: Request, from caller: Nothing
    ) async throws(PreludeError) -> Response {
        guard let fingerprint = order.fingerprint else { return SilentAnswer.failed(.unavailable) }
        let end = try await PreludeError.running { () async throws(EngineFault) in
            try await service.end(fingerprint)
        }
        return switch end {
        case .code(let code): SilentAnswer.code(code.text)
        case .refused(.differs): SilentAnswer.failed(.mismatch)
        case .refused: SilentAnswer.failed(.unavailable)
        case .gone: SilentAnswer.failed(.gone)
        }
    }
}
