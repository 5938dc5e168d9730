internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /twilio-verify/v2/Services/{ServiceSid}/VerificationCheck`: checks a code that the person typed.
///
///     To=%2B12001004014&Code=123456  ->  200 {"sid":"VE...","status":"approved","valid":true,...}
///
/// A wrong code is not an error: the answer has the status `pending`.
struct CheckVerification: TwilioEndpoint {
    struct Order: Sendable {
        var code: OTP?
        var to: String?
        var sid: SID?
        /// A feature that the caller wants to bind the check to, and that this server does not have.
        var foreign: String?
    }

    let verifications: TwilioVerifications

    static let call = Call(
        .post, TwilioPath.check, id: "CreateVerificationCheck", "Check a code",
        """
        One of To and VerificationSid is due. A wrong code answers pending; the fifth one ends the verification, and further \
        checks answer 60202 until it would have expired. A verification that is over answers 404.
        """,
        body: .form(#"{"To":"+12001004014","Code":"123456"}"#), answer: "What the code comes to.")
    static let body = Shape(Order()) {
        Member.required("Code", .code, "That the person has typed.") { $0.code = $1 }
        Member.optional("To", .target, "The number.") { $0.to = $1 }
        Member.optional("VerificationSid", .sid(.verification), "The verification.") { $0.sid = $1 }
        Member.optional("Amount", .anyText, "Refused: a code is not bound to a payment.") { order, _ in
            order.foreign = "PSD2"
        }
        Member.optional("Payee", .anyText, "Refused, as Amount.") { order, _ in order.foreign = "PSD2" }
        Member.optional("SnaClientToken", .anyText, "Refused: of the channel sna.") { order, _ in
            order.foreign = "SnaClientToken"
        }
    }
    static let parameters = Parameters<Order, TwilioError> { ParameterMember.service }
    static let reply = VerificationDocument.checkReply
    static let refusals: [TwilioError] = [.featureOff("PSD2"), .noTarget, .checksUsedUp(retryAfterSeconds: 1)]

    func respond(
        to order: Order, of request: Request, from caller: TwilioCaller
    ) async throws(TwilioError) -> VerificationDocument {
        if let foreign = order.foreign { throw .featureOff(foreign) }
        guard
            let target = order.sid.map(TwilioVerifications.Target.sid)
                ?? order.to.map(TwilioVerifications.Target.number)
        else {
            throw .noTarget
        }
        guard let code = order.code else { throw .parameter(.missing("Code")) }
        let checked = try await verifications.check(code, of: target, to: order.to, for: caller)
        request.note(checked.session)
        return checked
    }
}
