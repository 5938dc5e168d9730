internal import HTTPServer
internal import SurfaceKit

/// A call of CAMARA Number Verification, with an access token that is valid once.
protocol OperatorAPIEndpoint: Endpoint
where Caller == SimulatedConnection, Failure == OperatorAPIError, Refusal == OperatorAPIError {
    /// The scope that the token must have.
    static var scope: OperatorScope { get }
}

extension OperatorAPIEndpoint {
    /// The API description of the endpoint.
    static var operations: [Operation] {
        var described = operation(
            .simulatedOperator, caller: .operatorToken, schema: body.schema(others: true),
            errors: [.unauthenticated, .permissionDenied, .notOnNetwork, .gatewayTimeout], shape: .camara)
        described.parameters.append(Correlator.parameter)
        return [described]
    }

    func routes(_ gate: OperatorAPIGate) -> [Route] {
        SurfaceRoute<Self>(report: { _ in }, finish: { Correlator.echoed($0, to: $1) })
            .routes { request, form throws(OperatorAPIError) in
                try Correlator.check(request)
                return try await answer(request, from: try await gate.connection(for: request, Self.scope), form)
            }
    }
}
