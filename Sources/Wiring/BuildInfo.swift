internal import BuiltInFiles
internal import Observation
internal import PhoneNumbers
internal import SQLiteStorage
internal import Tokens

/// Versions of this program and of its parts: for `--version`, the metrics and the log.
enum BuildInfo {
    /// Semantic versioning; the one place. CHANGELOG.md says what changed.
    static let version = "0.9.0"

    /// Twelve hex digits, with `-modified` where files were changed; empty in a build by hand.
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

    /// The libraries that are loaded, not those that were there when it was built.
    static var line: String {
        "\(version) (\(commit.isEmpty ? "" : "commit \(commit), ")Swift \(swift), SQLite \(Database.engineVersion), \(CryptoLibrary.version))"
    }

    /// The same, and the data in the program.
    static var lines: String { "\(line)\n\(PlanFile.builtIn.line)" }

    /// Writes the one sample `holdfast_build_info`, whose value is always 1.
    static func collect(_ text: inout MetricsText) {
        text.gauge(
            "holdfast_build_info", "What the program is made of.", 1,
            labels: MetricsText.labels([
                ("version", version), ("commit", commit), ("swift", swift), ("sqlite", Database.engineVersion),
                ("openssl", CryptoLibrary.version),
            ]))
    }
}
