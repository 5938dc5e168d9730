internal import Sandbox
internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// Admits a call by its access token, once, and simulates the outcome of its connection.
struct OperatorAPIGate: Sendable {
    let grants: OperatorGrants
    let hang: SimulatedOperator.Hang

    /// - Throws: `.unauthenticated`, `.permissionDenied`, `.notOnNetwork`, `.gatewayTimeout`.
    func connection(
        for request: Request, _ scope: OperatorScope
    ) async throws(OperatorAPIError) -> SimulatedConnection {
        guard request.headers.count("authorization") == 1,
            let name = request.headers.bytes("authorization").flatMap({ Credentials($0).token(of: "bearer") }),
            let token = grants.take(token: name)
        else { throw .unauthenticated }
        guard token.scope == scope else { throw .permissionDenied }
        switch token.connection.outcome {
        case .match, .mismatch: return token.connection
        case .unavailable: throw .notOnNetwork
        case .timeout:
            await hang()
            throw .gatewayTimeout
        // For this outcome the token endpoint issues no token, so none can be valid here.
        case .operatorError: throw .unauthenticated
        }
    }
}
