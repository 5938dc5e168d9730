// swift-tools-version:6.2
import PackageDescription

// The fuzz targets are a package of their own: all of it is built with the coverage that libFuzzer steers by. The
// product's targets stand in it a second time, through the link `Product`: `package` access ends at the package, and what
// is fuzzed must be what the server is made of. Where a parser shares its target with much else, only its files are here.

let house: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// Parsers are internal to their targets. Assertions stay on in the release build, those of the standard library about
/// unsafe memory among them. There is no `main` in Swift: libFuzzer has it.
let open: [SwiftSetting] = [.unsafeFlags(["-enable-testing", "-assert-config", "Debug", "-parse-as-library"])]

func product(_ name: String, _ dependencies: [Target.Dependency] = [], sources: [String]? = nil) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Product/\(name)", sources: sources, swiftSettings: house + open)
}

let package = Package(
    name: "holdfast-fuzzing",
    targets: [
        // The entry that libFuzzer calls; then the targets, one a file.
        .executableTarget(name: "fuzz", dependencies: ["Targets"], path: "Entry"),
        .target(
            name: "Targets",
            dependencies: [
                "Administration", "Backups", "Engine", "HTTPServer", "OnboardingSurface", "OtplessSurface", "Outbound",
                "PhoneNumbers", "Possession", "ProveSurfaces", "Records", "Sandbox", "StrictJSON", "SurfaceKit", "Text",
                "Tokens", "Wiring",
            ],
            path: "Targets", swiftSettings: house + open),
        // How the server reads the streams that other parsers are compared on. Built without the fuzzer.
        .executableTarget(
            name: "streams", dependencies: ["HTTPServer"], path: "Streams", swiftSettings: house),

        .systemLibrary(name: "COpenSSL", path: "Product/COpenSSL", pkgConfig: "openssl"),
        .systemLibrary(name: "CPostgres", path: "Product/CPostgres", pkgConfig: "libpq"),
        .systemLibrary(name: "CCurl", path: "Product/CCurl", pkgConfig: "libcurl"),
        .target(name: "CLinux", path: "Product/CLinux"),
        .target(
            name: "CPhoneNumber", path: "Product/CPhoneNumber", exclude: ["NOTICE", "numbering-plan"],
            linkerSettings: [.linkedLibrary("phonenumber")]),
        .target(
            name: "CBuiltInFiles", path: "Product/CBuiltInFiles",
            exclude: ["demo", "description", "sdk", "site", "texts"]),
        product("BuiltInFiles", ["CBuiltInFiles", "Text"]),
        product("Text"),
        product("Locks"),
        product("Secrets"),
        product("Possession", ["Locks", "Text"]),
        product("Engine", ["Possession", "Locks", "Text"]),
        product("StrictJSON", ["Text"]),
        product("HTTPServer", ["CLinux", "Locks", "Text"]),
        product("Records", ["Engine", "Possession", "Text"]),
        product("Tokens", ["Engine", "Possession", "Secrets", "StrictJSON", "Locks", "Text", "COpenSSL"]),
        product("Backups", ["Engine", "Possession", "StrictJSON", "Text", "Tokens"]),
        product("PhoneNumbers", ["Possession", "Locks", "Text", "CPhoneNumber"]),
        product("Outbound", ["Engine", "Possession", "StrictJSON", "Locks", "Text", "CCurl"]),
        product("Clocks", ["Possession", "Locks"]),
        product("Sandbox", ["Clocks", "Engine", "Possession", "StrictJSON", "Locks", "Text"]),
        product("SurfaceKit", ["BuiltInFiles", "HTTPServer", "Engine", "Possession", "StrictJSON", "Locks", "Text"]),
        product("ProveSurfaces", ["HTTPServer", "SurfaceKit", "Text"], sources: ["App/FlowCookie.swift"]),
        product("OnboardingSurface", ["HTTPServer", "Engine", "Possession", "StrictJSON", "SurfaceKit", "Text"]),
        product("OtplessSurface", ["HTTPServer", "Engine", "Possession", "StrictJSON", "SurfaceKit", "Text"]),
        product("Storage", ["Engine", "Possession", "Records", "Locks", "Text"]),
        product("PostgresStorage", ["Engine", "Possession", "Storage", "Locks", "CLinux", "CPostgres"]),
        product(
            "Administration",
            ["Engine", "HTTPServer", "PhoneNumbers", "Possession", "StrictJSON", "SurfaceKit", "Text", "Tokens"],
            sources: ["Administrator", "Audit", "Control", "Orders", "People"]),
        product(
            "Wiring",
            [
                "Administration", "BuiltInFiles", "Outbound", "PhoneNumbers", "Engine", "Possession", "PostgresStorage",
                "Sandbox", "Storage", "StrictJSON", "SurfaceKit", "Text", "Tokens",
            ],
            sources: [
                "Configuration.swift", "Configuration+Reading.swift", "Configuration+Report.swift",
                "Configuration+Services.swift", "Configuration+Warnings.swift", "ConfigurationFile.swift",
                "ConfigurationKey.swift", "ConfigurationReader+Addresses.swift",
                "ConfigurationSources.swift", "Objects", "SettingValue.swift", "Settings", "TextsFile.swift",
            ].map { "Configuration/" + $0 }),
    ]
)
