package import Possession
internal import StrictJSON
internal import SurfaceKit

extension SurfaceName {
    static let twilioVerify = SurfaceName(
        "Verify", about: "What backends call that were written for Twilio Verify v2.")
}

extension ErrorShape {
    static let twilio = ErrorShape("Error", .separate)
}

extension CallerScheme {
    static let accountSIDAndSecret = CallerScheme("accountSid_authToken") { _ in
        [
            "type": "http", "scheme": "basic",
            "description": "The Account SID of the API client, or its id; and its secret.",
        ]
    }
}

/// The vendor's paths, below a prefix of this server.
enum TwilioPath {
    static let base = "/twilio-verify"
    static let version = base + "/v2"
    static let attempts = version + "/Attempts"
    static let templates = version + "/Templates"
    static let safeList = version + "/SafeList/Numbers"
    static let safeNumber = safeList + "/{PhoneNumber}"
    static let services = version + "/Services"
    static let service = services + "/{\(TwilioGate.serviceSID)}"
    static let verifications = service + "/Verifications"
    static let verification = verifications + "/{Sid}"
    static let rateLimits = service + "/RateLimits"
    static let rateLimit = rateLimits + "/{RateLimitSid}"
    static let buckets = rateLimit + "/Buckets"
    static let bucket = buckets + "/{Sid}"
    static let check = service + "/VerificationCheck"
}

extension Product {
    /// A verification, which is found by its number and driven by its backend.
    static let twilioVerify = {
        var product = Product(.twilioVerify, number: .orMobileAuth)
        product.isFoundByNumber = true
        return product
    }()
}

extension ProductName {
    /// Also the name in the metrics.
    package static let twilioVerify = ProductName(known: "twilio-verify")
}
