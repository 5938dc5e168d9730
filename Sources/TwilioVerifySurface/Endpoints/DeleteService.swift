internal import HTTPServer
internal import SurfaceKit

/// `DELETE /twilio-verify/v2/Services/{ServiceSid}`: removes a service with its rate limits.
struct DeleteService: TwilioEndpoint {
    let services: Services

    static let call = Call(
        .delete, TwilioPath.service, id: "DeleteService", "Remove a service",
        "With its rate limits. The first service of an API client stays. Verifications of a removed one are not found.")
    static let parameters = Parameters<Nothing, TwilioError> { ParameterMember.service }
    static let reply = ResponseReply<Nothing>.removed
    static let refusals: [TwilioError] = [.featureOff("...")]

    func respond(
        to nothing: Nothing, of request: Request, from caller: TwilioCaller
    ) async throws(TwilioError) -> Nothing {
        try await services.remove(caller)
        return nothing
    }
}
