internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// A call of an app's backend, with an access token.
protocol PlatformEndpoint: Endpoint where Caller == Tenant, Failure == PlatformRefusal, Refusal == PlatformError {
    /// How an error is answered.
    static func response(to error: PlatformError) -> Response
    /// The call's error for a refusal of the engine, in its own words.
    static func error(of refusal: PlatformRefusal) -> PlatformError
    /// Whether what the call changes stands in the audit log: what a backend administers.
    static var isAudited: Bool { get }
}

extension PlatformEndpoint {
    static func error(of refusal: PlatformRefusal) -> PlatformError { PlatformError(refusal) }

    static func response(to error: PlatformError) -> Response { error.response }

    static var isAudited: Bool { false }

    /// The endpoint in the API description.
    static var operations: [Operation] {
        operations(.platform, caller: .accessToken, common: common, render: response)
    }

    /// Errors that every call with an access token may answer.
    private static var common: [PlatformError] {
        (exampleDefect.map { [.field($0)] } ?? []) + [
            .unauthorized(wasSent: false), .rateLimited(.init(.tenantRate, retryAfterSeconds: 1)), .overloaded,
            .internalFault(""),
        ]
    }
}
