internal import HTTPServer
internal import SurfaceKit

/// `GET /twilio-verify/v2/Attempts/Summary`: how many messages led to a right code.
struct SummarizeAttempts: TwilioEndpoint {
    let search: AttemptSearch

    static let call = Call(
        .get, TwilioPath.attempts + "/Summary", id: "FetchVerificationAttemptsSummary",
        "Count the messages of verifications",
        "Of the newest 2,000 verifications. A verification is kept for a day.",
        answer: "The figures.")
    static let body = Shape(AttemptFilter())
    static let parameters = Parameters<AttemptFilter, TwilioError> {
        AttemptFilter.common
        ParameterMember.optionalQuery("DestinationPrefix", .numberPrefix, "The first digits of the number.") {
            $0.prefix = $1
        }
    }
    static let reply = AttemptSummary.reply

    func respond(
        to filter: AttemptFilter, of request: Request, from caller: TwilioCaller
    ) async throws(TwilioError) -> AttemptSummary {
        try await search.summary(filter, for: caller)
    }
}
