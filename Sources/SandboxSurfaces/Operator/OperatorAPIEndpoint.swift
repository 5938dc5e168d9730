internal import HTTPServer
internal import SurfaceKit

/// A call of CAMARA Number Verification, with an access token that is good once.
protocol OperatorAPIEndpoint: Endpoint
where Caller == SimulatedConnection, Failure == OperatorAPIError, Refusal == OperatorAPIError {
    /// What the token must be for.
    static var scope: OperatorScope { get }
}

extension OperatorAPIEndpoint {
    /// The endpoint in the API description.
    static var operations: [Operation] {
        var described = operation(
            .simulatedOperator, caller: .operatorToken, schema: body.schema(others: true),
            errors: [.unauthenticated, .permissionDenied, .notOnNetwork, .gatewayTimeout], shape: .camara)
        described.parameters.append(Correlator.parameter)
        return [described]
    }

    func route(_ gate: OperatorAPIGate) -> Route {
        let form = EndpointForm(Self.self)
        return Route(Self.call.method, Self.call.path, body: BodyRule(maxBytes: form.body.bound.bytes)) { request in
            let correlator: Correlator
            do throws(OperatorAPIError) { correlator = try Correlator(request) } catch { return error.response }
            let response = await OperatorAPIError.answer(request, report: { _ in }) {
                () async throws(OperatorAPIError) in
                try await answer(request, from: try await gate.connection(for: request, Self.scope), form)
            }
            return correlator.added(to: response)
        }
    }
}
