internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `GET /prelude/silent/{attemptId}?t=...`: the `request_url` of a silent verification.
///
///     ->  302 to the operator
///
/// A phone that missed the answer may repeat the call from the same address. It is redirected to the operator again.
struct FollowSilent: SilentHop {
    let hop: FirstHop
    let engine: Engine

    var service: MobileAuthService { hop.service }

    static let call = Call(
        .get, SilentVerifications.hopPath, id: "preludeFollowSilent", "Begin the chain",
        "The request_url: the phone opens it over its cellular connection, and follows the addresses.",
        demand: .changes)
    static let body = Shape(FirstHop.Order())
    static let parameters: Parameters<FirstHop.Order, PreludeError> = FirstHop.parameters()
    static let refusals: [PreludeError] = [.field(.missing("t"))]
    static let reply = ResponseReply<Response>([
        Answer(status: 302, about: "To the operator, or to the end.", headers: ["Location"]), SilentAnswer.ends,
    ])

    func session(of order: FirstHop.Order) -> SessionKey? { order.session(engine.crypto.keyed) }

    func respond(
        to order: FirstHop.Order, of request: Request, from caller: Nothing
    ) async throws(PreludeError) -> Response {
        let next = try await PreludeError.running { () async throws(EngineFault) in
            try await hop.next(order, of: request)
        }
        return next.map { .hop(302, to: $0) } ?? SilentAnswer.failed(.gone)
    }
}
