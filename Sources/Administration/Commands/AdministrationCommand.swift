package import ArgumentParser

/// A command that administers. Whoever parses the command line finds the installation and runs the command on it:
///
///     if let command = parsed as? any AdministrationCommand {
///         try await command.run(on: installation(command.options))
///     }
package protocol AdministrationCommand: ParsableCommand {
    /// Where the configuration is.
    var options: ConfigurationOptions { get }

    /// - Throws: `ExitCode` after the reason was printed, or a `ValidationError`.
    func run(on installation: Installation) async throws
}
