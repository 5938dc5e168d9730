internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// A call of an app's backend, with its API key.
protocol PreludeEndpoint: Endpoint where Caller == Tenant, Failure == PreludeError, Refusal == PreludeError {}

extension PreludeEndpoint {
    /// The endpoint in the API description.
    static var operations: [Operation] {
        operations(.prelude, caller: .apiKey, common: common, shape: .prelude)
    }

    /// What every call with an API key may refuse.
    private static var common: [PreludeError] {
        (exampleDefect.map { [.field($0)] } ?? []) + [
            .missingKey, .wrongKey, .rateLimited(.init(.tenantRate, retryAfterSeconds: 1)), .overloaded,
            .internalFault(""),
        ]
    }
}

extension PreludeSurface {
    /// The routes of an endpoint. Only admitted calls reach it.
    func routes<E: PreludeEndpoint>(_ endpoint: E) -> [Route] {
        let form = EndpointForm(E.self)
        return E.call.paths.map { path in
            Route(E.call.method, path, body: Self.rule(E.self), demand: E.call.demand) { [gate, engine] request in
                await PreludeError.answer(
                    request, report: engine.report, render: { $0.response(requestID: request.id) }
                ) { () async throws(PreludeError) in
                    let tenant = try await gate.admit(request)
                    return try await endpoint.answer(request, from: tenant, form)
                }
            }
        }
    }

    /// Whoever shows no key, or sends too much, is told before the body has come.
    private static func rule<E: PreludeEndpoint>(_ type: E.Type) -> BodyRule {
        let bound = E.call.body.bound
        return BodyRule(
            maxBytes: bound.bytes,
            refusal: { request in
                do throws(PreludeError) {
                    _ = try PreludeGate.key(of: request)
                    do throws(BodyDefect) { try E.call.body.checkHead(request) } catch { throw PreludeError(error) }
                    return nil
                } catch { return error.response(requestID: request.id) }
            }, tooLarge: { PreludeError.body(.tooLarge(bound)).response(requestID: $0.id) })
    }
}
