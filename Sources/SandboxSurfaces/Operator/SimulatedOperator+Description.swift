internal import StrictJSON
package import SurfaceKit

extension SimulatedOperator {
    /// The surface in the API description.
    package static let description = SurfaceDescription(
        SimulatedOperatorDescription.operations,
        schemas: [
            (ErrorShape.oauth.name, SimulatedOperatorDescription.oauthError),
            (ErrorShape.camara.name, SimulatedOperatorDescription.operatorError), ErrorShape.oauth.orFailure,
            ErrorShape.camara.orFailure,
        ])
}

extension SurfaceName {
    static let simulatedOperator = SurfaceName(
        "Simulated operator",
        about: "A mobile network operator that the sandbox plays: OpenID Connect and CAMARA Number Verification 2.1.")
}

extension ErrorShape {
    static let oauth = ErrorShape("OAuthError", .separate)
    static let camara = ErrorShape("OperatorError", .separate)
}

extension CallerScheme {
    static let operatorToken = CallerScheme("operatorToken") { _ in
        ["type": "http", "scheme": "bearer", "description": "A token of the operator's token endpoint; good once."]
    }
}
