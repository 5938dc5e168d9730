package import ArgumentParser

/// A command for administration. The code that parses the command line finds the installation and runs the command on
/// it:
///
///     if let command = parsed as? any AdministrationCommand {
///         try await command.run(on: installation(command.options))
///     }
package protocol AdministrationCommand: ParsableCommand {
    /// The options that locate the configuration.
    var options: ConfigurationOptions { get }

    /// - Throws: `ExitCode`: the reason was printed; or a `ValidationError`.
    func run(on installation: Installation) async throws
}
