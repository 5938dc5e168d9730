internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// A call of an app's backend, with an access token.
protocol PlatformEndpoint: Endpoint where Caller == Tenant, Failure == PlatformRefusal, Refusal == PlatformError {
    /// The response to an error.
    static func response(to error: PlatformError) -> Response
    /// The call's own error for a refusal of the engine.
    static func error(of refusal: PlatformRefusal) -> PlatformError
    /// Whether the audit log records changes by the call: for what a backend administers.
    static var isAudited: Bool { get }
}

extension PlatformEndpoint {
    static func error(of refusal: PlatformRefusal) -> PlatformError { PlatformError(refusal) }

    static func response(to error: PlatformError) -> Response { error.response }

    static var isAudited: Bool { false }

    /// The API description of the endpoint.
    static var operations: [Operation] {
        operations(.platform, caller: .accessToken, common: common, render: response)
    }

    /// Errors that every call with an access token may return.
    private static var common: [PlatformError] {
        (exampleDefect.map { [.field($0)] } ?? []) + [
            .unauthorized(wasSent: false), .rateLimited(.init(.tenantRate, retryAfterSeconds: 1)), .overloaded,
            .internalFault(""),
        ]
    }
}
