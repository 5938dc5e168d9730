internal import HTTPServer
internal import SurfaceKit

/// `POST /twilio-verify/v2/Services/{ServiceSid}`: changes a service. Absent members stay unchanged.
///
///     CodeLength=8  ->  200 {"sid":"VA...","code_length":8,...}
struct UpdateService: TwilioEndpoint {
    let services: Services

    static let call = Call(
        .post, TwilioPath.service, id: "UpdateService", "Change a service",
        "What is absent stays as it is. Verifications that have begun go on as they were.",
        body: .form(#"{"CodeLength":8}"#), answer: "The service.")
    static let body = ServiceOrder.change
    static let parameters = Parameters<ServiceOrder, TwilioError> { ParameterMember.service }
    static let reply = ServiceDocument.reply
    static let refusals = ServiceOrder.refusals

    func respond(
        to order: ServiceOrder, of request: Request, from caller: TwilioCaller
    ) async throws(TwilioError) -> ServiceDocument {
        try await services.change(order, for: caller)
    }
}
