internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /otpless/silent/{attemptId}?t=...`: a person has tapped the button on the page of the link.
///
///     ->  303 to the operator
///
/// Only a form of this page counts. A form that another site sends gets the page instead.
struct ConfirmSilent: SilentHop {
    let start: SilentStart

    static let call = Call(
        .post, OtplessSilent.hopPath, id: "ConfirmSilent", "Begin the chain by a tap",
        "The form of the page that a browser gets. From anywhere else it answers that page.")
    static let body = FollowSilent.body
    static let parameters = FollowSilent.parameters
    static let refusals = FollowSilent.refusals
    static let reply = SilentStart.reply(303)

    var silent: OtplessSilent { start.silent }

    func session(of order: FirstHop.Order) -> SessionKey? { start.session(of: order) }

    func respond(
        to order: FirstHop.Order, of request: Request, from caller: Nothing
    ) async throws(OtplessError) -> Response {
        try await start.go(303, order, of: request, if: request.isOfOwnPage)
    }
}
