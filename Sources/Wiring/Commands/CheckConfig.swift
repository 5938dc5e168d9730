internal import ArgumentParser

struct CheckConfig: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Checks the configuration and prints what would hold, secrets left out.",
        discussion: "Names every mistake and exits with 78 when there is one. Nothing is opened or changed.")

    @OptionGroup var options: ConfigurationOptions

    @Flag(name: .long, help: "List every setting with its variable, default and meaning instead.")
    var settings = false

    func run() async throws {
        if settings {
            for key in ConfigurationKey.all { print(CheckConfig.line(key)) }
            return
        }
        print(try options.read().report)
    }

    private static func line(_ key: ConfigurationKey) -> String {
        let variable = key.form == .object ? "" : "  \(ConfigurationSources.variable(key))\n"
        return "\(key.path)\n\(variable)  \(key.summary)\n  \(key.demand); default: \(key.standard)\n"
    }
}
