internal import HTTPServer
internal import SurfaceKit

/// `POST /twilio-verify/v2/Services/{ServiceSid}/Verifications`: sends a number its first code, or another one.
///
///     To=%2B12001004014&Channel=sms  ->  201 {"sid":"VE...","status":"pending",...}
struct CreateVerification: TwilioEndpoint {
    let verifications: TwilioVerifications

    static let call = Call(
        .post, TwilioPath.verifications, id: "CreateVerification", "Send a code",
        """
        Begins a verification of 10 minutes. While it lasts, the same call sends another code of the same verification: 5 in \
        all. Each message has a code of its own, and all of them are taken.
        """,
        body: .form(#"{"To":"+12001004014","Channel":"sms"}"#, upTo: .session), demand: .begins)
    static let body = VerificationForm.members
    static let parameters = Parameters<VerificationForm, TwilioError> { ParameterMember.service }
    static let reply = CreatedReply(
        VerificationDocument.reply, "The verification.", example: VerificationDocument.example)
    static let refusals: [TwilioError] =
        VerificationForm.refusals + [
            .checksUsedUp(retryAfterSeconds: 1), .sendsUsedUp(retryAfterSeconds: 1), .overtaken, .notSent,
        ]

    func respond(
        to order: VerificationForm, of request: Request, from caller: TwilioCaller
    ) async throws(TwilioError) -> VerificationDocument {
        let sent = try await verifications.send(order, for: caller)
        request.note(sent.session)
        return sent
    }
}
