// swift-tools-version:6.2
import PackageDescription

// The benchmarks are a package of their own, so that nothing they need becomes a dependency of the server. The product's
// targets stand in it a second time, through the link `Product`: `package` access ends at the package, and what is
// measured in process must be what the server is made of.

let house: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// - Parameter testable: for steps that are internal to their target, such as the parser.
func product(_ name: String, _ dependencies: [Target.Dependency] = [], testable: Bool = false) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Product/\(name)",
        swiftSettings: house + (testable ? [.unsafeFlags(["-enable-testing"])] : []))
}

let package = Package(
    name: "holdfast-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/vapor/jwt-kit", exact: "5.7.1"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/ordo-one/benchmark", exact: "1.38.1", traits: []),
    ],
    targets: [
        // The server that a Swift team would pick instead.
        .executableTarget(
            name: "Peer",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Peers/Peer", swiftSettings: house),

        // The product's engine under a route that the server does not have.
        .executableTarget(
            name: "Echo", dependencies: ["HTTPServer", "StrictJSON"], path: "Echo", swiftSettings: house),

        // The steps of the hot path: for the micro-benchmarks, and one by one for callgrind.
        .target(
            name: "Cases",
            dependencies: [
                "Engine", "HTTPServer", "Possession", "Records", "SQLiteStorage", "Storage", "StrictJSON",
                "Tokens",
            ],
            path: "Cases", swiftSettings: house),
        .executableTarget(name: "HotLoop", dependencies: ["Cases"], path: "HotLoop", swiftSettings: house),
        .executableTarget(
            name: "HotPath", dependencies: ["Cases", .product(name: "Benchmark", package: "benchmark")],
            path: "Benchmarks/HotPath", swiftSettings: house,
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),

        .systemLibrary(name: "CSQLite", path: "Product/CSQLite", pkgConfig: "sqlite3"),
        .systemLibrary(name: "COpenSSL", path: "Product/COpenSSL", pkgConfig: "openssl"),
        .target(name: "CLinux", path: "Product/CLinux"),
        .target(name: "CPages", dependencies: ["CSQLite"], path: "Product/CPages"),
        .target(
            name: "CBuiltInFiles", path: "Product/CBuiltInFiles",
            exclude: ["demo", "description", "sdk", "site", "texts"]),
        product("BuiltInFiles", ["CBuiltInFiles", "Text"]),
        product("Text"),
        product("Possession", ["Locks", "Text"]),
        product("Engine", ["Possession", "Locks", "Text"]),
        product("StrictJSON", ["Text"]),
        product("Locks"),
        product("Secrets"),
        product("HTTPServer", ["CLinux", "Locks", "Text"], testable: true),
        product("Records", ["Engine", "Possession", "Text"]),
        product("Storage", ["Engine", "Possession", "Records", "Locks", "Text"]),
        product(
            "SQLiteStorage",
            ["BuiltInFiles", "Engine", "Possession", "Records", "Storage", "Locks", "Text", "CPages", "CSQLite"]),
        product("Tokens", ["Engine", "Possession", "Secrets", "StrictJSON", "Locks", "Text", "COpenSSL"]),
    ]
)
