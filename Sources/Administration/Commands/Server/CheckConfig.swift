package import ArgumentParser

package struct CheckConfig: ServerCommand {
    package static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Checks the configuration and prints what would hold, secrets left out.",
        discussion: """
            Reads the settings, and the files and directories that they name, as `serve` does before it starts. Every \
            mistake is named, and the exit status is 78 when there is one. Warnings go to the error output and do not \
            change the exit status. Comments at the end say how old the numbering plan is, and for each text of an SMS how many parts it has. Nothing is changed, and a running server is not disturbed.
            """)

    @OptionGroup var options: ConfigurationOptions

    @Flag(name: .long, help: "List every setting with its variable, default and meaning instead.")
    var settings = false

    package init() {}

    package func run(by controls: any ServerControls) async throws {
        if settings {
            for setting in controls.settings { print(setting) }
            return
        }
        let (report, comments, warnings) = try controls.check(options)
        print(report)
        // Print them as comments, so that the output is a valid configuration.
        for comment in comments { print("// \(comment)") }
        for warning in warnings { printError("warning: \(warning)") }
    }
}
