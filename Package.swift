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
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
    ],
    targets: [
        // C libraries and the system calls that Swift's Glibc module leaves out.
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(name: "CLinux"),
        .target(
            name: "CPhoneNumber", exclude: ["NOTICE", "numbering-plan"], linkerSettings: [.linkedLibrary("phonenumber")]
        ),
        // Checksums over the pages of the database.
        .target(name: "CPages", dependencies: ["CSQLite"]),
        // Content codings of HTTP.
        .target(name: "CCompression", linkerSettings: [.linkedLibrary("z"), .linkedLibrary("brotlienc")]),
        // md4c: Markdown as HTML.
        .target(name: "CMarkdown", exclude: ["LICENSE.md", "NOTICE.md"]),
        // Files of the repository that are built into the program: what browsers load, migrations, a sandbox, guides.
        .target(name: "CBuiltInFiles", exclude: ["sdk", "demo", "site", "description", "texts"]),
        .target(name: "BuiltInFiles", dependencies: ["CBuiltInFiles", "Text"], swiftSettings: house),

        // The core: rules and bytes, free of every technology.
        .target(name: "Text", swiftSettings: house),
        // The rules of a session, as values and plain functions: no port, nothing that waits.
        .target(name: "Possession", dependencies: ["Locks", "Text"], swiftSettings: house),
        // The engine: runs the rules for its callers, over ports that the adapters implement.
        .target(name: "Engine", dependencies: ["Possession", "Locks", "Text"], swiftSettings: house),
        // How stores write values of the domain: one codec for all of them.
        .target(name: "Records", dependencies: ["Engine", "Possession", "Text"], swiftSettings: house),
        .target(name: "StrictJSON", dependencies: ["Text"], swiftSettings: house),
        .target(name: "Locks", swiftSettings: house),
        // Files that hold secrets.
        .target(name: "Secrets", swiftSettings: house),
        .target(name: "HTTPServer", dependencies: ["CLinux", "Locks", "Text"], swiftSettings: house),

        // Adapters: one technology each, never one another.
        // The transport of the listeners that speak TLS. The HTTP engine knows the seam, and no OpenSSL.
        .target(name: "TLS", dependencies: ["HTTPServer", "Locks", "Secrets", "COpenSSL"], swiftSettings: house),
        // The stores: their tables and statements, which an engine below them runs.
        .target(
            name: "Storage", dependencies: ["Engine", "Possession", "Records", "Locks", "Text"], swiftSettings: house),
        .target(
            name: "SQLiteStorage",
            dependencies: [
                "BuiltInFiles", "Engine", "Possession", "Records", "Storage", "Locks", "Text", "CPages", "CSQLite",
            ],
            swiftSettings: house),
        .target(
            name: "PostgresStorage",
            dependencies: ["Engine", "Possession", "Storage", "Locks", "CLinux", "CPostgres"],
            swiftSettings: house),
        .target(
            name: "Tokens",
            dependencies: ["Engine", "Possession", "Secrets", "StrictJSON", "Locks", "Text", "COpenSSL"],
            swiftSettings: house),
        // The form of backup files.
        .target(
            name: "Backups", dependencies: ["Engine", "Possession", "StrictJSON", "Text", "Tokens"],
            swiftSettings: house),
        .target(
            name: "PhoneNumbers", dependencies: ["Possession", "Locks", "Text", "CPhoneNumber"],
            swiftSettings: house),
        .target(
            name: "Outbound", dependencies: ["Engine", "Possession", "StrictJSON", "Locks", "Text", "CCurl"],
            swiftSettings: house),
        .target(name: "Clocks", dependencies: ["Possession", "Locks"], swiftSettings: house),
        // Plays people, carriers, operators and time; decorates the engine's ports.
        .target(
            name: "Sandbox", dependencies: ["Clocks", "Engine", "Possession", "StrictJSON", "Locks", "Text"],
            swiftSettings: house
        ),

        // The log and the metrics, for operators.
        .target(
            name: "Observation",
            dependencies: [
                "HTTPServer", "Locks", "Engine", "Possession", "StrictJSON", "Text",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: house),

        // Where they meet.
        // What surfaces share; then the surfaces, one target a wire format, which never import each other.
        .target(
            name: "SurfaceKit",
            dependencies: ["HTTPServer", "Engine", "Possession", "StrictJSON", "Locks", "Text", "BuiltInFiles"],
            swiftSettings: house),
        .target(
            name: "ProveSurfaces",
            dependencies: ["SurfaceKit", "HTTPServer", "Engine", "Possession", "StrictJSON", "Locks", "Text"],
            swiftSettings: house),
        .target(
            name: "ClientSurfaces",
            dependencies: [
                "SurfaceKit", "BuiltInFiles", "HTTPServer", "Engine", "Possession", "StrictJSON", "Locks", "Text",
            ],
            swiftSettings: house),
        .target(
            name: "SandboxSurfaces",
            dependencies: [
                "SurfaceKit", "BuiltInFiles", "Sandbox", "HTTPServer", "Engine", "Possession", "StrictJSON", "Locks",
                "Text",
            ],
            swiftSettings: house),
        .target(
            name: "MessageSurfaces",
            dependencies: ["SurfaceKit", "HTTPServer", "Engine", "Possession", "Text"], swiftSettings: house),
        .target(
            name: "PreludeSurface",
            dependencies: ["SurfaceKit", "HTTPServer", "Engine", "Possession", "StrictJSON", "Text"],
            swiftSettings: house),
        .target(
            name: "OperationsSurfaces",
            dependencies: [
                "SurfaceKit", "BuiltInFiles", "HTTPServer", "Engine", "Possession", "Locks", "StrictJSON", "Text",
            ],
            swiftSettings: house),
        .target(
            name: "HookSurface",
            dependencies: ["SurfaceKit", "HTTPServer", "Engine", "Possession", "StrictJSON", "Text"],
            swiftSettings: house),
        .target(
            name: "TwilioVerifySurface",
            dependencies: ["SurfaceKit", "HTTPServer", "Engine", "Possession", "Locks", "StrictJSON", "Text"],
            swiftSettings: house),
        .target(
            name: "OtplessSurface",
            dependencies: ["SurfaceKit", "HTTPServer", "Engine", "Possession", "StrictJSON", "Text"],
            swiftSettings: house),
        .target(
            name: "OnboardingSurface",
            dependencies: ["SurfaceKit", "HTTPServer", "Engine", "Possession", "StrictJSON", "Text"],
            swiftSettings: house),
        .target(
            name: "CamaraSurface",
            dependencies: ["SurfaceKit", "HTTPServer", "Engine", "Possession", "StrictJSON", "Text"],
            swiftSettings: house),
        // The documentation as a site.
        .target(
            name: "DocsSurface",
            dependencies: [
                "SurfaceKit", "BuiltInFiles", "HTTPServer", "Locks", "StrictJSON", "Text", "CCompression", "CMarkdown",
            ],
            swiftSettings: house),
        // The API description of all of them, with its examples.
        .target(
            name: "ServerDescription",
            dependencies: [
                "SurfaceKit", "ProveSurfaces", "ClientSurfaces", "SandboxSurfaces", "MessageSurfaces",
                "OperationsSurfaces", "DocsSurface", "BuiltInFiles", "StrictJSON",
            ],
            swiftSettings: house),
        // Commands, the control socket's orders, and the import of people, for operators.
        .target(
            name: "Administration",
            dependencies: [
                "Engine", "HTTPServer", "PhoneNumbers", "Possession", "StrictJSON", "SurfaceKit", "Text", "Tokens",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: house),
        .target(
            name: "Wiring",
            dependencies: [
                "SurfaceKit", "ProveSurfaces", "ClientSurfaces", "SandboxSurfaces", "MessageSurfaces",
                "OperationsSurfaces", "OtplessSurface", "PreludeSurface", "TwilioVerifySurface", "HookSurface",
                "OnboardingSurface", "CamaraSurface", "DocsSurface",
                "ServerDescription", "Administration", "Backups", "BuiltInFiles", "CLinux", "Clocks", "Sandbox",
                "HTTPServer", "Locks",
                "Observation", "Outbound",
                "PhoneNumbers", "Engine", "Possession", "PostgresStorage", "Records", "SQLiteStorage", "Storage",
                "StrictJSON", "TLS", "Text", "Tokens",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
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

        // A simulated machine and world. A seed decides every step. Only `scripts/simulate` runs it.
        .target(name: "Machine", path: "Tests/Simulation/Machine"),
        .executableTarget(
            name: "simulate",
            dependencies: [
                "COpenSSL", "Machine", "Wiring", "Observation", "Engine", "Possession", "Storage", "StrictJSON", "Text",
                "Tokens",
            ],
            path: "Tests/Simulation/World", swiftSettings: house),

        .target(
            name: "TestSupport",
            dependencies: [
                "COpenSSL", "Sandbox", "HTTPServer", "Locks", "Engine", "Possession", "Records", "StrictJSON", "Text",
                "Tokens",
            ],
            path: "Tests/TestSupport", swiftSettings: house),
        .testTarget(name: "TextTests", dependencies: ["Text", "TestSupport"], swiftSettings: house),
        .testTarget(name: "StrictJSONTests", dependencies: ["StrictJSON", "TestSupport"], swiftSettings: house),
        .testTarget(
            name: "PossessionTests", dependencies: ["Locks", "Engine", "Possession", "Text"], swiftSettings: house),
        // The limits before traffic and attackers, in virtual time.
        .testTarget(
            name: "LimitSimulationTests", dependencies: ["Possession", "Text"], swiftSettings: house),
        .testTarget(
            name: "HTTPServerTests",
            dependencies: ["COpenSSL", "HTTPServer", "Locks", "TLS", "TestSupport", "Text"], swiftSettings: house),
        .testTarget(name: "StorageTests", dependencies: ["Possession", "Storage"], swiftSettings: house),
        .testTarget(
            name: "SQLiteStorageTests",
            dependencies: [
                "SQLiteStorage", "Storage", "Engine", "Possession", "Records", "Locks", "TestSupport",
            ],
            swiftSettings: house),
        .target(
            name: "PostgresTestSupport", dependencies: ["Engine", "Locks", "Possession", "PostgresStorage", "Storage"],
            path: "Tests/PostgresTestSupport", swiftSettings: house),
        .testTarget(
            name: "PostgresStorageTests",
            dependencies: ["Engine", "Locks", "Possession", "PostgresStorage", "PostgresTestSupport", "Storage"],
            swiftSettings: house),
        .testTarget(
            name: "StoreContractTests",
            dependencies: [
                "Engine", "Possession", "PostgresStorage", "PostgresTestSupport", "SQLiteStorage", "Storage", "Locks",
                "TestSupport", "Text",
            ],
            swiftSettings: house),
        .testTarget(
            name: "RecordsTests", dependencies: ["Records", "Engine", "Possession", "TestSupport", "Text"],
            swiftSettings: house),
        .testTarget(
            name: "TokensTests",
            dependencies: ["Tokens", "Engine", "Possession", "Secrets", "StrictJSON", "Locks", "TestSupport", "Text"],
            swiftSettings: house),
        .testTarget(
            name: "BackupsTests", dependencies: ["Backups", "Possession", "Text", "Tokens"],
            swiftSettings: house),
        .testTarget(
            name: "PhoneNumbersTests", dependencies: ["PhoneNumbers", "Engine", "Possession", "Tokens"],
            swiftSettings: house),
        .testTarget(
            name: "SandboxTests", dependencies: ["Clocks", "Sandbox", "Outbound", "Engine", "Possession", "Locks"],
            swiftSettings: house),
        .testTarget(
            name: "OutboundTests",
            dependencies: [
                "Outbound", "SandboxSurfaces", "SurfaceKit", "Sandbox", "HTTPServer", "Locks", "Engine", "Possession",
                "StrictJSON",
                "Text", "Tokens",
            ],
            swiftSettings: house),
        // A whole sandbox in memory, whose calls are held against the API description. Then the other vendors' surfaces on it.
        .target(
            name: "SurfaceTestSupport",
            dependencies: [
                "SurfaceKit", "ProveSurfaces", "ClientSurfaces", "SandboxSurfaces", "OperationsSurfaces",
                "ServerDescription", "Sandbox", "HTTPServer", "Locks", "Engine", "Possession", "StrictJSON",
                "TestSupport", "Text",
            ],
            path: "Tests/SurfaceTestSupport", swiftSettings: house),
        .target(
            name: "VendorTestSupport",
            dependencies: [
                "SurfaceTestSupport", "SurfaceKit", "ProveSurfaces", "ClientSurfaces", "OtplessSurface",
                "PreludeSurface", "TwilioVerifySurface", "HookSurface", "OnboardingSurface", "CamaraSurface",
                "ServerDescription", "Sandbox", "HTTPServer", "Locks", "Engine", "Possession", "StrictJSON",
                "TestSupport", "Text", "Tokens",
            ],
            path: "Tests/VendorTestSupport", swiftSettings: house),
        // One target a surface: a change of one surface compiles its own tests. `SurfaceTests` has those of several.
        .testTarget(
            name: "PreludeSurfaceTests",
            dependencies: [
                "SurfaceTestSupport", "VendorTestSupport", "SurfaceKit", "ProveSurfaces", "PreludeSurface",
                "Sandbox", "HTTPServer", "Locks", "Engine", "Possession", "StrictJSON", "TestSupport", "Text",
            ],
            swiftSettings: house),
        .testTarget(
            name: "TwilioVerifySurfaceTests",
            dependencies: [
                "SurfaceTestSupport", "VendorTestSupport", "SurfaceKit", "ProveSurfaces", "TwilioVerifySurface",
                "Sandbox", "HTTPServer", "Locks", "Engine", "Possession", "StrictJSON", "TestSupport", "Text",
            ],
            swiftSettings: house),
        .testTarget(
            name: "OtplessSurfaceTests",
            dependencies: [
                "SurfaceTestSupport", "VendorTestSupport", "SurfaceKit", "ProveSurfaces", "OtplessSurface",
                "Sandbox", "HTTPServer", "Locks", "Engine", "Possession", "StrictJSON", "TestSupport", "Text",
                "Tokens",
            ],
            swiftSettings: house),
        .testTarget(
            name: "OnboardingSurfaceTests",
            dependencies: [
                "SurfaceTestSupport", "VendorTestSupport", "SurfaceKit", "ProveSurfaces", "OnboardingSurface",
                "HTTPServer", "Locks", "Engine", "Possession", "StrictJSON", "TestSupport", "Text", "Tokens",
            ],
            swiftSettings: house),
        .testTarget(
            name: "CamaraSurfaceTests",
            dependencies: [
                "SurfaceTestSupport", "VendorTestSupport", "SurfaceKit", "CamaraSurface", "HTTPServer", "Locks",
                "Engine", "Possession", "StrictJSON", "TestSupport", "Text",
            ],
            swiftSettings: house),
        .testTarget(
            name: "HookSurfaceTests",
            dependencies: [
                "SurfaceTestSupport", "VendorTestSupport", "ProveSurfaces", "HookSurface", "HTTPServer", "Locks",
                "Engine", "Possession", "StrictJSON", "TestSupport", "Text",
            ],
            swiftSettings: house),
        .testTarget(
            name: "SurfaceKitTests",
            dependencies: [
                "SurfaceTestSupport", "SurfaceKit", "ProveSurfaces", "ClientSurfaces", "SandboxSurfaces",
                "OperationsSurfaces", "ServerDescription", "HTTPServer", "Locks", "Engine", "Possession",
                "StrictJSON", "TestSupport", "Text",
            ],
            swiftSettings: house),
        .testTarget(
            name: "ClientSurfacesTests",
            dependencies: [
                "SurfaceTestSupport", "SurfaceKit", "ProveSurfaces", "ClientSurfaces", "SandboxSurfaces",
                "OperationsSurfaces", "ServerDescription", "BuiltInFiles", "Sandbox", "HTTPServer", "Locks",
                "Engine", "Possession", "StrictJSON", "TestSupport", "Text",
            ],
            swiftSettings: house),
        .testTarget(
            name: "ProveSurfacesTests",
            dependencies: [
                "SurfaceTestSupport", "SurfaceKit", "ProveSurfaces", "ClientSurfaces", "SandboxSurfaces",
                "OperationsSurfaces", "ServerDescription", "Sandbox", "HTTPServer", "Locks", "Engine", "Possession",
                "StrictJSON", "TestSupport", "Text",
            ],
            swiftSettings: house),
        .testTarget(
            name: "SandboxSurfacesTests",
            dependencies: [
                "SurfaceTestSupport", "SurfaceKit", "ProveSurfaces", "ClientSurfaces", "SandboxSurfaces",
                "OperationsSurfaces", "ServerDescription", "BuiltInFiles", "Sandbox", "HTTPServer", "Locks",
                "Engine", "Possession", "StrictJSON", "TestSupport",
            ],
            swiftSettings: house),
        .testTarget(
            name: "SurfaceTests",
            dependencies: [
                "SurfaceTestSupport", "VendorTestSupport", "SurfaceKit", "ProveSurfaces", "ClientSurfaces",
                "SandboxSurfaces", "MessageSurfaces", "OperationsSurfaces", "OtplessSurface", "PreludeSurface",
                "TwilioVerifySurface", "HookSurface", "OnboardingSurface", "CamaraSurface", "DocsSurface",
                "ServerDescription", "BuiltInFiles", "Sandbox", "HTTPServer", "Locks", "Engine", "Possession",
                "StrictJSON", "TestSupport", "Text",
            ],
            swiftSettings: house),
        .testTarget(
            name: "AdministrationTests",
            dependencies: [
                "Administration", "Locks", "Engine", "Possession", "StrictJSON", "Text", "Tokens",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: house),
        // The fuzz targets on their kept inputs. `scripts/fuzz` builds the same files for libFuzzer, in a package of its own.
        .testTarget(
            name: "FuzzingTests",
            dependencies: [
                "Administration", "Backups", "HTTPServer", "OnboardingSurface", "OtplessSurface", "Outbound",
                "PhoneNumbers",
                "Engine", "Possession", "ProveSurfaces", "Records", "Sandbox", "StrictJSON", "SurfaceKit", "Text",
                "Tokens",
                "Wiring",
            ],
            path: "Tests/Fuzzing",
            exclude: [
                "Corpus", "Dictionaries", "Differential", "Entry", "Package.swift", "Product", "README.md", "Streams",
            ],
            sources: ["Replay", "Targets"], swiftSettings: house),
        .testTarget(
            name: "WiringTests",
            dependencies: [
                "Wiring", "Administration", "Backups", "BuiltInFiles", "Clocks", "SQLiteStorage", "Storage", "Sandbox",
                "HTTPServer", "Locks", "Observation", "Outbound",
                "PhoneNumbers", "Engine", "Possession", "StrictJSON", "SurfaceKit", "TestSupport", "Text",
                "Tokens",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: house),
    ]
)

// A release build of every test takes half an hour. HOLDFAST_TARGETS names the only targets to build, with what they need.
if let names = Context.environment["HOLDFAST_TARGETS"]?.split(separator: ",").map(String.init) {
    package.targets.removeAll { !names.contains($0.name) }
    package.products = []
}
