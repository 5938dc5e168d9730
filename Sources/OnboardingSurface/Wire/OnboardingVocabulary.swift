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

/// The vendor's paths. No other surface has one that begins so.
enum OnboardingPath {
    static let process = "/api/onboarding"
    static let protocols = "/pa"
    static let protocol3 = protocols + "/v3"
    static let configuration = "/api/configuration"
    /// Calls of the vendor that are none of this server: the verification of documents.
    static let identity = "/api/identity"
    static let identity2 = "/api/v2/identity"
    /// Calls of backends: the vendor has them on a server of its own, below `/rest`.
    static let backends = "/powerauth"
    static let backends3 = backends + "/rest/v3"
    static let all = [process, protocols, configuration, identity, identity2, backends]

    /// Whether a path is one of a version of the protocol that is not served, such as `/pa/v4/keystore/create`.
    static func isOfOtherVersion(_ path: String) -> Bool {
        let start = Array((protocols + "/v").utf8)
        guard path.utf8.starts(with: start) else { return false }
        let version = path.utf8.dropFirst(start.count).prefix { $0 != UInt8(ascii: "/") }
        return !version.elementsEqual("3".utf8) && version.first.map { (0x30...0x39).contains($0) } ?? false
    }
}

extension Product {
    /// The product of processes, whose people are found by what they say of themselves.
    static let onboarding = Product(.onboarding, number: .optional)
}

extension ProductName {
    /// For the figures as well.
    package static let onboarding = ProductName(known: "onboarding")
}

extension SessionName.Kind {
    /// Finds the process that the same identification has started.
    static let identification = SessionName.Kind("identification", isShared: true)
}
