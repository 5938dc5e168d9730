package import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

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
    /// The issuer's path follows the well-known name (RFC 8414 section 3.1).
    static let metadata = "/.well-known/oauth-authorization-server" + base
    static let codes = base + "/one-time-password-sms/v1"
    static let numbers = base + "/number-verification/v2"
    static let simSwap = base + "/sim-swap/v2"

    /// The prefix under which Nokia's client library `network-as-code` makes CAMARA calls, below its base URL.
    static let passthrough = base + "/passthrough/camara/v1"

    /// The same call at the library's path.
    /// - Parameter path: without the prefix, such as `/sim-swap/sim-swap/v0/check`.
    static func passthrough(_ path: String) -> Call.Alias {
        Call.Alias(passthrough + path, detail: "As network-as-code calls it; x-rapidapi-key may hold an API key. ")
    }
}

/// The scopes of tokens.
enum CamaraScope: String, Sendable, CaseIterable {
    case codes = "one-time-password-sms:send-validate"
    case verifyNumber = "number-verification:verify"
    case readNumber = "number-verification:device-phone-number:read"
    case checkSIMSwap = "sim-swap:check"
    case readSIMSwap = "sim-swap:retrieve-date"
    /// The scope for both SIM swap calls.
    case simSwap = "sim-swap"

    /// - Parameter word: a word of a grant's scope.
    init?(word: String) {
        guard let scope = Self.allCases.first(where: { $0.rawValue.isSame(as: word) }) else { return nil }
        self = scope
    }

    /// Whether the scope's calls accept a number that a grant names and no network has confirmed.
    var isAboutNamedNumber: Bool {
        switch self {
        case .checkSIMSwap, .readSIMSwap, .simSwap: true
        case .codes, .verifyNumber, .readNumber: false
        }
    }

    /// Whether this scope includes another one.
    func allows(_ other: CamaraScope) -> Bool { self == other || self == .simSwap && other.isAboutNamedNumber }
}

extension Product {
    /// A code that is sent and validated. A new code of a number replaces its earlier ones, so the newest is found by
    /// the number.
    static let camara = {
        var product = Product(.camara, number: .optional)
        product.isFoundByNumber = true
        return product
    }()

    /// A number that the phone's operator confirms, or that a grant names.
    static let camaraNumber = Product(.camaraNumber, number: .orMobileAuth)
}

extension ProductName {
    // Also the name in the metrics.
    package static let camara = ProductName(known: "camara")
    package static let camaraNumber = ProductName(known: "camara-number")
}
