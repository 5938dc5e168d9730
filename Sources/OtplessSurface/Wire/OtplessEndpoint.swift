internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// A call of a backend that sends the id and the secret of its API client.
protocol OtplessEndpoint: Endpoint where Caller == Tenant, Failure == OtplessError, Refusal == OtplessError {}

/// A call of a backend whose form may have the id and the secret of its API client. The endpoint itself checks them.
protocol OtplessFormEndpoint: Endpoint where Caller == Nothing, Failure == OtplessError, Refusal == OtplessError {
    var verifications: OtplessVerifications { get }
}

extension OtplessFormEndpoint {
    /// The endpoint in the API description.
    static var operations: [Operation] {
        let described = operation(
            .otpless, caller: nil, schema: body.schema(others: true),
            errors: call.body.defects.map { OtplessError($0) }, shape: .otpless)
        return [described]
    }

    var routes: [Route] {
        SurfaceRoute<Self>(report: verifications.engine.reports.log).routes { request, form throws(OtplessError) in
            try await answer(request, from: Nothing(), form)
        }
    }
}

/// A call without credentials. Its answer needs no waiting.
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
        operations(.otpless, caller: .clientIDAndSecret, common: common, shape: .otpless, lost: .absent(.notFound))
    }

    /// Errors that every call may return.
    private static var common: [OtplessError] {
        (exampleDefect.map { [.field($0)] } ?? []) + OtplessGate.refusals
    }
}
