internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// A call of an app's backend, with its API key.
protocol PreludeEndpoint: Endpoint where Caller == Tenant, Failure == PreludeError, Refusal == PreludeError {}

extension PreludeEndpoint {
    /// The endpoint in the API description.
    static var operations: [Operation] {
        operations(.prelude, caller: .apiKey, common: common, shape: .prelude, lost: .absent(.notFound))
    }

    /// Errors that every call with an API key may return.
    private static var common: [PreludeError] {
        (exampleDefect.map { [.field($0)] } ?? []) + [
            .missingKey, .wrongKey, .rateLimited(.init(.tenantRate, retryAfterSeconds: 1)), .overloaded,
            .internalFault(""),
        ]
    }
}
