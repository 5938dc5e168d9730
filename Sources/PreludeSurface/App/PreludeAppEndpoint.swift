internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// A call that Prelude's guide makes to the app's own backend: anyone may make it, for the tenant of `app.clientId`.
protocol PreludeAppEndpoint: Endpoint
where Caller == Tenant, Failure == PreludeError, Refusal == PreludeError, Replied == Reply<Answered> {}

extension PreludeAppEndpoint {
    /// The endpoint and its preflight in the API description.
    static var operations: [Operation] {
        operations(.preludeApp, caller: nil, common: common, shape: .prelude, lost: .absent(.notFound)) + [
            Operation(
                id: call.id + "Preflight", method: .options, path: call.path, surface: .preludeApp,
                summary: "Preflight", detail: "Whether a web page may call (CORS): the origins of app.allowedOrigins.",
                parameters: [.header(may("Origin", .text(), "Set by the browser."))],
                answers: [Answer(status: 204, about: "It may, or no page asked.", headers: ["Vary"])],
                errors: [PreludeError.originNotAllowed.response], errorShape: .prelude)
        ]
    }

    private static var common: [PreludeError] {
        (exampleDefect.map { [.field($0)] } ?? []) + [
            .originNotAllowed, .overloaded, .internalFault(""), .notSetUp,
            .rateLimited(.init(.startsPerAddress, retryAfterSeconds: 1)),
            .field(FieldDefect("phone_number", "is not valid")),
        ]
    }
}

extension PreludeSurface {
    func routes<E: PreludeAppEndpoint>(_ endpoint: E, for client: ClientID) -> [Route] {
        let form = EndpointForm(E.self)
        let rule = E.call.body.rule { PreludeError.body($0).response(requestID: "") }
        return [
            Route.immediate(
                .options, E.call.path, respond: { [crossOrigin] in crossOrigin.preflight($0, methods: "POST") }),
            Route(.post, E.call.path, body: rule, demand: E.call.demand, permit: crossOrigin.permit) {
                [engine, callers, crossOrigin] request in
                request.notes?.note(caller: client.text)
                let origins = request.headers.values("origin")
                guard origins.count <= 1, origins.allSatisfy(crossOrigin.mayCall) else {
                    return crossOrigin.permit(PreludeError.originNotAllowed.response(requestID: request.id), to: nil)
                }
                let response = await PreludeError.answer(
                    request, report: engine.reports.log, render: { $0.response(requestID: request.id) }
                ) { () async throws(PreludeError) in
                    do throws(LimitHit) {
                        try callers?.admit(request)
                        try callers?.takeOne(of: client, request)
                    } catch { throw .rateLimited(error) }
                    let found = try await PreludeError.running { () async throws(EngineFault) in
                        try await engine.activeTenant(client)
                    }
                    guard let tenant = found else { throw .notSetUp }
                    return try await endpoint.answer(request, from: tenant, form)
                }
                return crossOrigin.permit(response, to: origins.first)
            },
        ]
    }
}
