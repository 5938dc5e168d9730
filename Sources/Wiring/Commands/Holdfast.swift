internal import ArgumentParser

/// Runs the command line of this process to its end and exits.
package func runHoldfast() async {
    ProcessSetup.prepare()
    await Holdfast.main()
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
        version: BuildInfo.line,
        subcommands: [
            Serve.self, Migrate.self, Clients.self, Keys.self, People.self, Numbers.self, CheckConfig.self,
            HealthCheck.self,
        ])
}

/// What every command needs to find its configuration.
struct ConfigurationOptions: ParsableArguments {
    @Option(name: .long, help: "The configuration file: JSON, // comments allowed.")
    var config: String?

    @Option(name: .long, help: "The data directory, over data.directory.")
    var data: String?
}

/// The exit status of a wrong configuration: EX_CONFIG of sysexits.
let configurationExitCode = ExitCode(78)

/// The exit status of bad data in a file: EX_DATAERR of sysexits.
let badDataExitCode = ExitCode(65)
