internal import HTTPServer
internal import SurfaceKit

/// `GET /twilio-verify/v2/Services`: what the API client is called here.
struct ListServices: TwilioEndpoint {
    let publicURL: String

    static let call = Call(
        .get, TwilioPath.services, id: "ListService", "List the services",
        "An API client has one. The answer tells its Account SID and its Service SID.", answer: "The services.")
    static let parameters = Parameters<Nothing, TwilioError> {
        ParameterMember.ignoredQuery("PageSize", .wholeNumber(in: 1...1000), "No effect: there is one page.")
        ParameterMember.ignoredQuery("Page", .wholeNumber(upTo: 1000), "No effect.")
        ParameterMember.ignoredQuery("PageToken", .text(.reference), "No effect.")
    }
    static let reply = ServicePage.reply

    func respond(
        to nothing: Nothing, of request: Request, from caller: TwilioCaller
    ) async throws(TwilioError) -> ServicePage {
        ServicePage(
            services: [ServiceDocument(of: caller, publicURL: publicURL)],
            place: PageMeta.Place(url: publicURL + TwilioPath.services))
    }
}
