internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// A call of the app SDK on a phone or a page.
protocol HeadlessEndpoint: Endpoint
where Caller == Nothing, Failure == OtplessError, Refusal == OtplessError, Replied == Reply<Answered> {}

extension HeadlessEndpoint {
    /// The endpoint and its preflight in the API description.
    static var operations: [Operation] {
        operations(.otpless, caller: nil, common: common, shape: .otpless, lost: .absent(.notFound)) + [
            Operation(
                id: call.id + "Preflight", method: .options, path: call.path, surface: .otpless, summary: "Preflight",
                detail: "Whether a web page may call (CORS): the origins of the API client.",
                parameters: parameters.ofPath + [.header(may("Origin", .text(), "Set by the browser."))],
                answers: [Answer(status: 204, about: "It may, or no page asked.", headers: ["Vary"])],
                errors: [OtplessError.originNotAllowed.response], errorShape: .otpless)
        ]
    }

    private static var common: [OtplessError] {
        (exampleDefect.map { [.field($0)] } ?? []) + HeadlessGate.refusals
    }
}

extension HeadlessGate {
    func routes<E: HeadlessEndpoint>(_ endpoint: E) -> [Route] {
        let methods = E.call.method == .get ? "GET" : "POST"
        let preflight = Route.immediate(
            .options, E.call.path, respond: { [crossOrigin] in crossOrigin.preflight($0, methods: methods) })
        let calls = SurfaceRoute<E>(
            report: engine.reports.log,
            finish: { [crossOrigin] response, request in
                var response = crossOrigin.permit(response, to: request.headers)
                response.add("Cache-Control", "no-store")
                return response
            }, permit: crossOrigin.permit
        ).routes { request, form throws(OtplessError) in
            try await endpoint.answer(request, from: Nothing(), form)
        }
        // A status call may send the code on the next channel, but a call that asks only for header fields must send
        // nothing.
        let head = Route.immediate(.head, E.call.path) { _ in
            Response(status: 405, headers: [("Allow", methods + ", OPTIONS")])
        }
        return [preflight, head] + calls
    }
}
