internal import Administration
internal import ArgumentParser

struct CheckConfig: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
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

    func run() async throws {
        if settings {
            for key in ConfigurationKey.all { print(CheckConfig.line(key)) }
            return
        }
        let (configuration, warnings, comments) = try options.readChecked()
        print(configuration.report)
        // Print them as comments, so that the output is a valid configuration.
        for comment in comments { print("// \(comment)") }
        for warning in configuration.warnings + warnings { printError("warning: \(warning)") }
    }

    private static func line(_ key: ConfigurationKey) -> String {
        let variable = key.form == .object ? "" : "  \(ConfigurationSources.variable(key))\n"
        return "\(key.path)\n\(variable)  \(key.summary)\n  \(key.demand); default: \(key.standard)\n"
    }
}
