package import Possession
internal import StrictJSON
internal import SurfaceKit

extension SurfaceName {
    static let camara = SurfaceName(
        "CAMARA", about: "What backends call that were written for a mobile operator's gateway.")
    static let camaraTokens = SurfaceName("Tokens", about: "The authorization server in front of it.")
}

extension ErrorShape {
    /// `{"status":404,"code":"NOT_FOUND","message":"..."}` (Commonalities 0.6).
    static let camara = ErrorShape("CamaraError", .separate)
    /// `{"error":"invalid_client","error_description":"..."}` (RFC 6749 section 5.2).
    static let camaraToken = ErrorShape("CamaraTokenError", .separate)
}

extension CallerScheme {
    static let camaraToken = CallerScheme("camaraToken") { publicURL in
        [
            "type": "openIdConnect", "description": "Authorization: Bearer, with a token of POST /camara/token.",
            "openIdConnectUrl": .string(publicURL + CamaraPath.discovery),
        ]
    }
}

enum CamaraPath {
    static let base = "/camara"
    static let token = base + "/token"
    static let authorize = base + "/authorize"
    static let discovery = base + "/.well-known/openid-configuration"
    /// The path of an issuer comes behind the well-known name (RFC 8414 section 3.1).
    static let metadata = "/.well-known/oauth-authorization-server" + base
    static let codes = base + "/one-time-password-sms/v1"
    static let numbers = base + "/number-verification/v2"
}

/// Scopes that a token may have.
enum CamaraScope: String, Sendable, CaseIterable {
    case codes = "one-time-password-sms:send-validate"
    case verifyNumber = "number-verification:verify"
    case readNumber = "number-verification:device-phone-number:read"
}

extension Product {
    /// A code that is sent and validated. The newest one of a number is found by it: it ends those before.
    static let camara = {
        var product = Product(.camara, number: .optional)
        product.isFoundByNumber = true
        return product
    }()

    /// A number that the phone's operator tells.
    static let camaraNumber = Product(.camaraNumber, number: .orMobileAuth)
}

extension ProductName {
    // For the figures as well.
    package static let camara = ProductName(known: "camara")
    package static let camaraNumber = ProductName(known: "camara-number")
}
