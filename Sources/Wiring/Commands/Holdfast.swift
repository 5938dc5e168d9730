internal import Administration
internal import ArgumentParser

/// Runs the command line of this process and exits.
package func runHoldfast() async {
    ProcessSetup.prepare()
    do { try await Holdfast.runCommand() } catch { Holdfast.exit(withError: error) }
}

struct Holdfast: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "holdfast",
        abstract: "Proves that a person holds the phone number they claim.",
        discussion: """
            Settings come from flags, over HOLDFAST_ environment variables, over one JSON file (--config or \
            HOLDFAST_CONFIG).
            Exit status: 0 done, 1 failed, 64 wrong usage, 65 bad data in a file, 78 wrong configuration.
            """,
        version: BuildInfo.lines,
        subcommands: [
            Serve.self, Migrate.self, DatabaseCommands.self, Clients.self, Keys.self, People.self, Numbers.self,
            Devices.self,
            Guard.self, TestNumbers.self, Webhooks.self, Audit.self, Backup.self, Restore.self,
            CheckConfig.self, HealthCheck.self,
        ])
}

extension Holdfast {
    /// Runs the command of this process. A command for administration gets the installation that its options name.
    fileprivate static func runCommand() async throws {
        var command = try await asyncParseAsRoot()
        if let command = command as? any AdministrationCommand {
            try await command.run(on: Installation(command.options.read()))
        } else if let command = command as? any ServerCommand {
            try await command.run(by: ProcessControls())
        } else if var command = command as? any AsyncParsableCommand {
            try await command.run()
        } else {
            try command.run()
        }
    }
}
