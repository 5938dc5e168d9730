package import Possession
internal import StrictJSON
internal import SurfaceKit

extension SurfaceName {
    static let otpless = SurfaceName("OTPLESS", about: "Calls of backends and apps that were written for OTPLESS.")
}

extension SurfaceName {
    static let otplessPhone = SurfaceName(
        "OTPLESS phone calls", about: "What a phone follows over its cellular connection. No token, no cookie.")
}

extension ErrorShape {
    static let otpless = ErrorShape("OtplessError", .separate)
}

extension CallerScheme {
    static let clientIDAndSecret = CallerScheme("clientSecret") { _ in
        [
            "type": "apiKey", "in": "header", "name": "clientSecret",
            "description": "The secret of an API client. Its id stands beside it, in the header field clientId.",
        ]
    }
}

/// The paths of the vendor's hosts, below one prefix of this server. No two paths are equal.
enum OtplessPath {
    static let base = "/otpless"
    static let wellKnown = base + "/.well-known"
    static let current = base + "/auth/v1"
    /// The addresses that phones follow.
    static let silent = base + "/silent"
    /// The older calls for codes.
    static let orders = base + "/auth/otp/v1"
    /// The app SDK's calls.
    static let transaction = base + "/v3/lp/user/transaction"
}

extension Product {
    /// Requests for a code or a link. The older calls find the newest request of a number by that number.
    static let otpless = {
        var product = Product(.otpless, number: .orMobileAuth)
        product.isFoundByNumber = true
        return product
    }()
}

extension Product {
    /// Requests that a provider answers: such a request has no target.
    static let otplessSocial = Product(.otpless, number: .optional)
}

extension ProductName {
    /// Also the name in the metrics.
    package static let otpless = ProductName(known: "otpless")
}
