internal import HTTPServer
internal import SurfaceKit

/// `GET /twilio-verify/v2/Attempts/{Sid}`: one message of a verification.
struct FetchAttempt: TwilioEndpoint {
    let search: AttemptSearch

    static let call = Call(
        .get, TwilioPath.attempts + "/{Sid}", id: "FetchVerificationAttempt", "Read a message of a verification",
        "Also of a verification that is over.", answer: "The attempt.")
    static let body = Shape(SID?.none)
    static let parameters = Parameters<SID?, TwilioError> {
        ParameterMember.path("Sid", .sid(.attempt), "It names the attempt.", orRefuse: .notFound) { $0 = $1 }
    }
    static let reply = AttemptDocument.reply

    func respond(
        to sid: SID?, of request: Request, from caller: TwilioCaller
    ) async throws(TwilioError) -> AttemptDocument {
        guard let sid else { throw .notFound }
        return try await search.attempt(sid, for: caller)
    }
}
