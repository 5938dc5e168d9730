/// What a code and its token are for: one call of the API, for one purpose.
enum OperatorScope: String, Sendable {
    case verify = "number-verification:verify"
    case readNumber = "number-verification:device-phone-number:read"

    private static let purpose = "dpv:FraudPreventionAndDetection"

    /// `nil` unless it is `openid`, the one purpose we registered for, and one of the API's scopes, in any order and
    /// nothing else (CAMARA Identity and Consent Management r4.2: exactly one purpose).
    init?(_ text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, parts.contains("openid"), parts.contains(Self.purpose),
            let scope = parts.lazy.compactMap({ OperatorScope(rawValue: $0) }).first
        else { return nil }
        self = scope
    }
}
