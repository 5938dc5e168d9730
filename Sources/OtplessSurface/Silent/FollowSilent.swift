internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `GET /otpless/silent/{attemptId}?t=...`: the `link` of a silent proof.
///
///     ->  302 to the operator
///
/// A browser gets a page that asks for a tap (`ConfirmSilent`). This does not use up the link.
struct FollowSilent: SilentHop {
    let start: SilentStart

    static let call = Call(
        .get, OtplessSilent.hopPath, id: "FollowSilent", "Begin the chain",
        "The phone opens the link over its cellular connection, and follows the addresses. A browser is asked for a tap.",
        demand: .changes)
    static let body = Shape(FirstHop.Order())
    static let parameters: Parameters<FirstHop.Order, OtplessError> = FirstHop.parameters()
    static let refusals: [OtplessError] = [.field(.missing("t"))]
    static let reply = SilentStart.reply(302)

    var silent: OtplessSilent { start.silent }

    func session(of order: FirstHop.Order) -> SessionKey? { start.session(of: order) }

    func respond(
        to order: FirstHop.Order, of request: Request, from caller: Nothing
    ) async throws(OtplessError) -> Response {
        try await start.go(302, order, of: request, if: !request.isOfBrowser)
    }
}
