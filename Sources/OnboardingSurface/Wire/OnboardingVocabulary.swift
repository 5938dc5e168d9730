package import Possession
internal import StrictJSON
internal import SurfaceKit

extension SurfaceName {
    static let onboarding = SurfaceName(
        "Onboarding", about: "Calls of apps that were written for Wultra's Digital Onboarding.")
}

extension ErrorShape {
    static let onboarding = ErrorShape("OnboardingError", .separate)
}

/// The vendor's paths. No other surface has one that begins so.
enum OnboardingPath {
    static let process = "/api/onboarding"
    static let protocol3 = "/pa/v3"
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
