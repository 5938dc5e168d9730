// swift-tools-version:6.2
import PackageDescription

let house: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "holdfast",
    products: [.executable(name: "holdfast", targets: ["holdfast"])],
    // Exact, so that every build has the same ones; `scripts/dependencies` lists them with what they bring along.
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        // C libraries and the system calls that Swift's Glibc module leaves out.
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .target(name: "CLinux"),
        .target(name: "CPhoneNumber", linkerSettings: [.linkedLibrary("phonenumber")]),

        // The core: rules and bytes, free of every technology.
        .target(name: "Text", swiftSettings: house),
        .target(name: "Possession", dependencies: ["Text"], swiftSettings: house),
        .target(name: "StrictJSON", dependencies: ["Text"], swiftSettings: house),
        .target(name: "Locks", swiftSettings: house),
        .target(name: "HTTPServer", dependencies: ["CLinux", "Locks", "Text"], swiftSettings: house),

        // Adapters: one technology each, never one another.
        .target(name: "SQLiteStorage", dependencies: ["Possession", "Locks", "CSQLite"], swiftSettings: house),
        .target(
            name: "Tokens", dependencies: ["Possession", "StrictJSON", "Locks", "Text", "COpenSSL"],
            swiftSettings: house),
        .target(name: "PhoneNumbers", dependencies: ["Possession", "CPhoneNumber"], swiftSettings: house),
        .target(
            name: "Operators",
            dependencies: [
                "Possession", "StrictJSON", "Locks", "Text",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: house),
        .target(name: "Gateways", dependencies: ["Possession", "StrictJSON", "Locks"], swiftSettings: house),

        // Where they meet.
        .target(
            name: "API", dependencies: ["HTTPServer", "Possession", "StrictJSON", "Locks", "Text"],
            swiftSettings: house),
        .target(
            name: "Wiring",
            dependencies: [
                "API", "CLinux", "Gateways", "HTTPServer", "Locks", "Operators", "PhoneNumbers", "Possession",
                "SQLiteStorage", "StrictJSON", "Text", "Tokens",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: house),
        .executableTarget(
            name: "holdfast", dependencies: ["Wiring"], swiftSettings: house,
            // Nothing links against the program. Without its 30,000 exported names, and with packed relocations, it
            // reads 3.4 MB less of itself at its start. lld, which packs them, comes with Swift.
            linkerSettings: [
                .unsafeFlags(
                    [
                        "-use-ld=lld", "-Xlinker", "--no-export-dynamic", "-Xlinker", "-z", "-Xlinker",
                        "pack-relative-relocs",
                    ], .when(configuration: .release))
            ]),

        .target(name: "SanitizerRules", path: "Tests/SanitizerRules"),
        .target(
            name: "TestSupport",
            dependencies: ["HTTPServer", "Locks", "Possession", "StrictJSON", "Text", "Tokens"],
            path: "Tests/TestSupport", swiftSettings: house),
        .testTarget(name: "TextTests", dependencies: ["Text", "TestSupport"], swiftSettings: house),
        .testTarget(name: "StrictJSONTests", dependencies: ["StrictJSON", "TestSupport"], swiftSettings: house),
        .testTarget(name: "PossessionTests", dependencies: ["Possession", "Text"], swiftSettings: house),
        .testTarget(
            name: "HTTPServerTests", dependencies: ["HTTPServer", "Locks", "TestSupport", "Text"], swiftSettings: house),
        .testTarget(
            name: "SQLiteStorageTests", dependencies: ["SQLiteStorage", "Possession", "Locks", "SanitizerRules"],
            swiftSettings: house),
        .testTarget(
            name: "TokensTests", dependencies: ["Tokens", "Possession", "StrictJSON", "Locks", "TestSupport"],
            swiftSettings: house),
        .testTarget(name: "PhoneNumbersTests", dependencies: ["PhoneNumbers", "Possession"], swiftSettings: house),
        .testTarget(name: "GatewaysTests", dependencies: ["Gateways", "Possession", "Locks"], swiftSettings: house),
        .testTarget(
            name: "OperatorsTests",
            dependencies: ["Operators", "API", "HTTPServer", "Locks", "Possession", "Text", "Tokens"],
            swiftSettings: house),
        .testTarget(
            name: "APITests",
            dependencies: ["API", "HTTPServer", "Locks", "Possession", "StrictJSON", "TestSupport", "Text"],
            swiftSettings: house),
        .testTarget(
            name: "WiringTests",
            dependencies: [
                "Wiring", "SQLiteStorage", "Gateways", "HTTPServer", "Locks", "Operators", "PhoneNumbers", "Possession",
                "StrictJSON", "TestSupport", "Text",
                "Tokens",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: house),
    ]
)
