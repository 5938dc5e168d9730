internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// A call of a backend that shows its account and secret.
protocol TwilioEndpoint: Endpoint where Caller == TwilioCaller, Failure == TwilioError, Refusal == TwilioError {}

extension TwilioEndpoint {
    /// The endpoint in the API description.
    static var operations: [Operation] {
        operations(.twilioVerify, caller: .accountSIDAndSecret, common: common, shape: .twilio)
    }

    /// What every call may refuse.
    private static var common: [TwilioError] {
        (exampleDefect.map { [.parameter($0)] } ?? []) + [
            .unauthorized, .notFound, .rateLimited(.init(.tenantRate, retryAfterSeconds: 1)), .overloaded,
            .internalFault(""),
        ]
    }

    func route(_ gate: TwilioGate) -> Route {
        let form = EndpointForm(Self.self)
        let bound = form.body.bound
        // Over what the server takes at all, the answer is its own 413.
        var tooLarge: (@Sendable (Request) -> Response)?
        if bound.bytes != nil { tooLarge = { _ in TwilioError.body(.tooLarge(bound)).response } }
        let body = BodyRule(maxBytes: bound.bytes, refusal: { Self.refusal(ofHead: $0) }, tooLarge: tooLarge)
        return Route(Self.call.method, Self.call.path, body: body, demand: Self.call.demand) { request in
            await TwilioError.answer(request, report: gate.report) { () async throws(TwilioError) in
                try await answer(request, from: try await gate.caller(of: request), form)
            }
        }
    }

    /// Why a request fails whatever its body is, if that can be told before it has come.
    private static func refusal(ofHead request: Request) -> Response? {
        do throws(TwilioError) {
            _ = try TwilioGate.credentials(of: request)
            do throws(BodyDefect) { try call.body.checkHead(request) } catch { throw .body(error) }
            return nil
        } catch { return error.response }
    }
}
