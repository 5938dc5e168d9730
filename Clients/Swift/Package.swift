// swift-tools-version:6.0
import PackageDescription

let house: [SwiftSetting] = [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]

let package = Package(
    name: "holdfast-client",
    platforms: [.iOS(.v15), .macOS(.v12)],
    products: [.library(name: "Holdfast", targets: ["Holdfast"])],
    targets: [
        // P-256 and SHA-256 of the system's OpenSSL. Empty on Apple's platforms, which have CryptoKit.
        .target(
            name: "CHoldfastCrypto", linkerSettings: [.linkedLibrary("crypto", .when(platforms: [.linux, .android]))]),
        .target(name: "Holdfast", dependencies: ["CHoldfastCrypto"], swiftSettings: house),
    ]
)

// Not on Apple's platforms: it checks signatures by OpenSSL.
#if os(Linux)
    package.targets.append(
        // Holds the library to the vectors and to a real server; `scripts/client-swift` runs it.
        .executableTarget(
            name: "client-checks", dependencies: ["Holdfast", "CHoldfastCrypto"], path: "Tests/Checks",
            swiftSettings: house))
#endif
