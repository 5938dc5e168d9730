internal import HTTPServer
internal import SurfaceKit

/// `POST /twilio-verify/v2/Services/{ServiceSid}/Verifications/{Sid}`: ends a verification.
///
///     Status=canceled  ->  200 {"sid":"VE...","status":"canceled",...}
struct UpdateVerification: TwilioEndpoint {
    enum Wish: String, Sendable, CaseIterable { case canceled, approved }

    struct Order: Sendable {
        var target = TwilioVerifications.Target.number("")
        var wish = Wish.canceled
    }

    let verifications: TwilioVerifications

    static let call = Call(
        .post, TwilioPath.verification, id: "UpdateVerification", "End a verification",
        """
        canceled: the number may begin another one at once. approved: the backend has checked its own code; only for a \
        verification that was begun with CustomCode.
        """,
        body: .form(#"{"Status":"canceled"}"#), answer: "The verification, which is over.")
    static let body = Shape(Order()) {
        Member.required("Status", .choice(Wish.allCases), "What it comes to.") { $0.wish = $1 }
    }
    static let parameters = Parameters<Order, TwilioError> {
        ParameterMember.service
        ParameterMember.target { $0.target = $1 }
    }
    static let reply = VerificationDocument.reply
    static let refusals: [TwilioError] = [.featureOff("...")]

    func respond(
        to order: Order, of request: Request, from caller: TwilioCaller
    ) async throws(TwilioError) -> VerificationDocument {
        let ended =
            switch order.wish {
            case .canceled: try await verifications.cancel(order.target, for: caller)
            case .approved: try await verifications.approve(order.target, for: caller)
            }
        request.note(ended.session)
        return ended
    }
}
