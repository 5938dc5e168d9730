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

    func route(_ gate: OtplessGate) -> Route {
        let form = EndpointForm(Self.self)
        let bound = form.body.bound
        let body = BodyRule(
            maxBytes: bound.bytes, refusal: { Self.refusal(ofHead: $0) },
            tooLarge: { _ in OtplessError.body(.tooLarge(bound)).response })
        return Route(Self.call.method, Self.call.path, body: body, demand: Self.call.demand) { request in
            await OtplessError.answer(request, report: gate.report) { () async throws(OtplessError) in
                let tenant = try await gate.tenant(of: request)
                return try await answer(request, from: tenant, form)
            }
        }
    }

    /// Why a request fails whatever its body is, if that can be told before it has come.
    private static func refusal(ofHead request: Request) -> Response? {
        do throws(OtplessError) {
            _ = try OtplessGate.credentials(of: request)
            do throws(BodyDefect) { try call.body.checkHead(request) } catch { throw .body(error) }
            return nil
        } catch { return error.response }
    }
}
