internal import HTTPServer
internal import SurfaceKit

/// `POST /twilio-verify/v2/Services`: adds a service.
///
///     FriendlyName=Shop&CodeLength=8  ->  201 {"sid":"VA...","friendly_name":"Shop","code_length":8,...}
struct CreateService: TwilioEndpoint {
    let services: Services

    static let call = Call(
        .post, TwilioPath.services, id: "CreateService", "Add a service",
        "Its messages say its FriendlyName. An API client has at most 100. Members with a dot are not looked at.",
        body: .form(#"{"FriendlyName":"Shop","CodeLength":8}"#))
    static let body = ServiceOrder.new
    static let reply = CreatedReply(ServiceDocument.reply, "The service.", example: ServiceDocument.example)
    static let refusals = ServiceOrder.refusals

    func respond(
        to order: ServiceOrder, of request: Request, from caller: TwilioCaller
    ) async throws(TwilioError) -> ServiceDocument {
        try await services.add(order, for: caller)
    }
}
