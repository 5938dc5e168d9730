internal import HTTPServer
internal import SurfaceKit

/// `GET /twilio-verify/v2/Attempts`: the messages of a verification, also of one that is over.
struct ListAttempts: TwilioEndpoint {
    let verifications: Verifications
    let publicURL: String

    static let call = Call(
        .get, TwilioPath.attempts, id: "ListVerificationAttempt", "List the messages of a verification",
        "VerificationSid or ChannelData.To is due. A verification is kept for a day.", answer: "The attempts.")
    static let body = Shape(AttemptQuery())
    static let parameters = AttemptQuery.parameters
    static let reply = AttemptPage.reply

    func respond(
        to query: AttemptQuery, of request: Request, from caller: TwilioCaller
    ) async throws(TwilioError) -> AttemptPage {
        AttemptPage(
            attempts: try await verifications.attempts(query, for: caller), url: publicURL + TwilioPath.attempts)
    }
}
