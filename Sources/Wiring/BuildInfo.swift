internal import BuiltInFiles
internal import Observation
internal import PhoneNumbers
internal import SQLiteStorage
internal import Tokens

/// Versions of this program and its parts, for `--version`, the metrics and the log.
enum BuildInfo {
    /// Semantic versioning. This is the only place with the version. CHANGELOG.md lists the changes.
    static let version = "0.9.0"

    /// Twelve hex digits, and `-modified` if files were changed; empty in a build without the build script.
    static let commit = BuiltInPath(BuiltInPath.commit)?.content.map { String(decoding: $0, as: UTF8.self) } ?? ""

    static var swift: String {
        #if compiler(>=6.5)
            "6.5"
        #elseif compiler(>=6.4)
            "6.4"
        #else
            "6.3"
        #endif
    }

    /// The libraries loaded at run time, not those at build time.
    static var line: String {
        "\(version) (\(commit.isEmpty ? "" : "commit \(commit), ")Swift \(swift), SQLite \(SQLiteDatabase.engineVersion), \(CryptoLibrary.version))"
    }

    /// The same, and the version of the built-in numbering plan.
    static var lines: String { "\(line)\n\(PlanFile.builtIn.line)" }

    /// Writes the one sample `holdfast_build_info`, whose value is always 1.
    static func collect(_ text: inout MetricsText) {
        text.gauge(
            "holdfast_build_info", "What the program is made of.", 1,
            labels: MetricsText.labels([
                ("version", version), ("commit", commit), ("swift", swift), ("sqlite", SQLiteDatabase.engineVersion),
                ("openssl", CryptoLibrary.version),
            ]))
    }
}
