internal import StrictJSON
internal import SurfaceKit

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

extension OAuthError {
    static let schema = Schema.record([
        must("error", .text(), "RFC 6749 section 5.2."),
        must("error_description", .text(), "For developers: the reason in words."),
    ])
}

extension OperatorAPIError {
    static let schema = Schema.record([
        must("status", .integer(400...599), "The same as the status of the answer."),
        must("code", .text(), "CAMARA's name of it."), SharedSchemas.message,
    ])
}
