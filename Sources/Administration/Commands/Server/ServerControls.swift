package import ArgumentParser
package import StrictJSON

/// The work of the commands about the server itself. The program implements it, because the work needs all of its
/// parts.
///
/// The functions print the reason of a failure themselves, and throw the exit code: 78 for mistakes in the
/// configuration, 65 for lost data, 1 for anything else.
package protocol ServerControls: Sendable {
    /// Runs the server until a signal ends it.
    /// - Parameters:
    ///   - flags: settings by their path, over those of the configuration.
    ///   - accepted: the risks that the operator accepts for this start.
    func serve(
        _ options: ConfigurationOptions, flags: [String: String],
        accepted: (emptyDatabase: Bool, clock: Bool, lostCommits: Bool)
    ) async throws

    /// Applies the migrations that the database lacks.
    /// - Returns: a text that names them.
    func migrate(_ options: ConfigurationOptions, isDryRun: Bool) async throws -> String

    /// Checks whether a server can use the PostgreSQL of the configuration.
    func checkDatabase(_ options: ConfigurationOptions) async throws -> (report: String, warnings: [String])

    /// Copies a SQLite database into the PostgreSQL of the configuration.
    /// - Parameter directory: of the SQLite database; `nil`: the data directory.
    /// - Returns: lines for the operator.
    func copyDatabase(_ options: ConfigurationOptions, from directory: String?) async throws -> [String]

    /// Revokes what may have been used since the copy of a restored PostgreSQL was made.
    /// - Returns: lines for the operator.
    func revokeRestored(_ options: ConfigurationOptions) async throws -> [String]

    /// - Parameters:
    ///   - path: a file or a directory.
    ///   - keep: how many backups stay in the directory; `nil`: all.
    ///   - workFolder: for the unencrypted copy; `nil`: the data directory.
    /// - Returns: the backup, and whether `/metrics` will show it.
    func backUp(
        _ options: ConfigurationOptions, to path: String, replaces: Bool, keep: Int?, workFolder: String?
    ) async throws -> (made: JSONObject, isNoted: Bool)

    /// - Parameter isDrill: restores into a directory that is removed again: in `workFolder`, or in the data directory.
    /// - Returns: lines for the operator.
    func restore(
        _ options: ConfigurationOptions, from path: String, masterKeyFile: String?, isDrill: Bool, workFolder: String?
    ) async throws -> [String]

    /// Checks the configuration, and the files and directories that it names.
    func check(_ options: ConfigurationOptions) throws -> (report: String, comments: [String], warnings: [String])

    /// Every setting with its variable, default and meaning, each as a text of several lines.
    var settings: [String] { get }

    /// The address where a server of this configuration answers probes; `nil`: the kernel chooses its port.
    func probeAddress(_ options: ConfigurationOptions) throws -> (host: String, port: UInt16)?
}

/// A command about the server itself.
package protocol ServerCommand: ParsableCommand {
    /// - Throws: `ExitCode`: the reason was printed; or a `ValidationError`.
    func run(by controls: any ServerControls) async throws
}
