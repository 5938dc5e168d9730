internal import Text
internal import SurfaceKit

/// The scope of a code and its token: one call of the API, for one purpose.
enum OperatorScope: String, Sendable, CaseIterable {
    case verify = "number-verification:verify"
    case readNumber = "number-verification:device-phone-number:read"

    private static let purpose = "dpv:FraudPreventionAndDetection"

    /// In the form of a JWT bearer grant: without `openid`.
    init?(ofGrant text: String) {
        guard !text.utf8.split(separator: 0x20).contains(where: { $0.isSame(as: "openid") }) else { return nil }
        self.init("openid " + text)
    }

    /// `nil` unless it is exactly `openid`, the only purpose that we are registered for, and one of the API's scopes,
    /// in any order (CAMARA Identity and Consent Management r4.2: exactly one purpose).
    init?(_ text: String) {
        let parts = text.utf8.split(separator: 0x20, maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, parts.contains(where: { $0.isSame(as: "openid") }),
            parts.contains(where: { $0.isSame(as: Self.purpose) }),
            let scope = Self.allCases.first(where: { scope in parts.contains { $0.isSame(as: scope.rawValue) } })
        else { return nil }
        self = scope
    }
}
