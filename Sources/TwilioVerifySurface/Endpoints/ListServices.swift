internal import HTTPServer
internal import SurfaceKit

/// `GET /twilio-verify/v2/Services`: the services of the API client.
struct ListServices: TwilioEndpoint {
    let services: Services

    static let call = Call(
        .get, TwilioPath.services, id: "ListService", "List the services",
        "An API client has one from the first. The answer tells its Account SID and its Service SIDs.",
        answer: "The services.")
    static let parameters = Parameters<Nothing, TwilioError> { ParameterMember.onePage }
    static let reply = ServicePage.reply

    func respond(
        to nothing: Nothing, of request: Request, from caller: TwilioCaller
    ) async throws(TwilioError) -> ServicePage {
        ServicePage(
            services: try await services.all(of: caller),
            place: .only(of: request, publicURL: services.publicURL))
    }
}
