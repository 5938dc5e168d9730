internal import HTTPServer
internal import SurfaceKit

/// `GET /twilio-verify/v2/Services/{ServiceSid}`: a service of the API client.
struct FetchService: TwilioEndpoint {
    let services: Services

    static let call = Call(
        .get, TwilioPath.service, id: "FetchService", "Read a service", "What its verifications are run by.",
        answer: "The service.")
    static let parameters = Parameters<Nothing, TwilioError> { ParameterMember.service }
    static let reply = ServiceDocument.reply

    func respond(
        to nothing: Nothing, of request: Request, from caller: TwilioCaller
    ) async throws(TwilioError) -> ServiceDocument {
        services.document(of: caller)
    }
}
