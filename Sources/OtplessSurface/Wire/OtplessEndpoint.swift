internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// A call of a backend that shows the id and the secret of its API client.
protocol OtplessEndpoint: Endpoint where Caller == Tenant, Failure == OtplessError, Refusal == OtplessError {}

/// A call that needs no credential. Its answer lies ready.
protocol OtplessOpenEndpoint: Endpoint
where Caller == Nothing, Body == Nothing, Failure == OtplessError, Refusal == OtplessError {
    func value() -> Answered
}

extension OtplessOpenEndpoint {
    /// The endpoint in the API description.
    static var operations: [Operation] {
        [operation(.otpless, caller: nil, schema: .anything, errors: [], shape: .otpless)]
    }

    var route: Route {
        let reply = Self.reply
        return Route.immediate(Self.call.method, Self.call.path) { _ in reply.response(value()) }
    }

    func respond(to nothing: Nothing, of request: Request, from caller: Nothing) async throws(OtplessError) -> Answered
    {
        value()
    }
}

extension OtplessEndpoint {
    /// The endpoint in the API description.
    static var operations: [Operation] {
        operations(.otpless, caller: .clientIDAndSecret, common: common, shape: .otpless)
    }

    /// What every call may refuse.
    private static var common: [OtplessError] {
        (exampleDefect.map { [.field($0)] } ?? []) + OtplessGate.refusals
    }
}
