internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// A call of a backend that shows the id and the secret of its API client.
protocol OtplessEndpoint: Endpoint where Caller == Tenant, Failure == OtplessError, Refusal == OtplessError {}

extension OtplessEndpoint {
    /// The endpoint in the API description.
    static var operations: [Operation] {
        operations(.otpless, caller: .clientIDAndSecret, common: common, shape: .otpless)
    }

    /// What every call may refuse.
    private static var common: [OtplessError] {
        (exampleDefect.map { [.field($0)] } ?? []) + [
            .credentialsMissing, .unauthorized, .rateLimited(.init(.tenantRate, retryAfterSeconds: 1)), .overloaded,
            .internalFault(""),
        ]
    }
}
