package import Possession
internal import StrictJSON
internal import SurfaceKit

extension SurfaceName {
    static let onboarding = SurfaceName(
        "Onboarding", about: "Calls of apps that were written for Wultra's Digital Onboarding.")
}

extension CallerScheme {
    static let clientIDAndSecret = CallerScheme("clientId_secret") { _ in
        ["type": "http", "scheme": "basic", "description": "The id of the API client, and its secret."]
    }
}

extension ErrorShape {
    static let onboarding = ErrorShape("OnboardingError", .separate)
}

/// The vendor's paths. No other surface uses these prefixes.
enum OnboardingPath {
    static let process = "/api/onboarding"
    static let protocols = "/pa"
    static let protocol3 = protocols + "/v3"
    static let configuration = "/api/configuration"
    /// The vendor's calls to verify documents. This server does not offer them.
    static let identity = "/api/identity"
    static let identity2 = "/api/v2/identity"
    /// Calls of backends. The vendor serves them on a separate server, below `/rest`.
    static let backends = "/powerauth"
    static let backends3 = backends + "/rest/v3"
    static let all = [process, protocols, configuration, identity, identity2, backends]

    /// Whether a path belongs to an unsupported version of the protocol, such as `/pa/v4/keystore/create`.
    static func isOfOtherVersion(_ path: String) -> Bool {
        let start = Array((protocols + "/v").utf8)
        guard path.utf8.starts(with: start) else { return false }
        let version = path.utf8.dropFirst(start.count).prefix { $0 != UInt8(ascii: "/") }
        return !version.elementsEqual("3".utf8) && version.first.map { (0x30...0x39).contains($0) } ?? false
    }
}

extension Product {
    /// The product of processes. A person is found by an identification, so a number is optional.
    static let onboarding = Product(.onboarding, number: .optional)
}

extension ProductName {
    /// Also the name in the metrics.
    package static let onboarding = ProductName(known: "onboarding")
}

extension SessionName.Kind {
    /// Finds the process that the same identification started.
    static let identification = SessionName.Kind("identification", isShared: true)
}
