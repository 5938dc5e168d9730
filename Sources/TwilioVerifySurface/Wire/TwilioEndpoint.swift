internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// A call of a backend that sends its account and secret.
protocol TwilioEndpoint: Endpoint where Caller == TwilioCaller, Failure == TwilioError, Refusal == TwilioError {}

extension TwilioEndpoint {
    /// The endpoint in the API description.
    static var operations: [Operation] {
        operations(
            .twilioVerify, caller: .accountSIDAndSecret, common: common, shape: .twilio,
            lost: .absent(.notFound))
    }

    /// Errors that every call may return.
    private static var common: [TwilioError] {
        (exampleDefect.map { [.parameter($0)] } ?? []) + [
            .unauthorized, .notFound, .rateLimited(.init(.tenantRate, retryAfterSeconds: 1)), .overloaded,
            .internalFault(""),
        ]
    }
}
