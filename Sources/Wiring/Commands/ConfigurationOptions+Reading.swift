internal import Administration
internal import ArgumentParser
internal import Clocks
internal import PhoneNumbers

extension ConfigurationOptions {
    /// Reads the configuration of this process.
    ///
    /// - Throws: exit 78: all mistakes were printed.
    func read(flags: [String: String] = [:]) throws -> Configuration {
        do { return try place(flags: flags).read() } catch {
            printError(error.description)
            throw configurationExitCode
        }
    }

    func place(flags: [String: String] = [:]) -> ConfigurationPlace {
        var flags = flags
        if let data { flags["data.directory"] = data }
        return ConfigurationPlace(path: config, flags: flags)
    }
}

extension ConfigurationOptions {
    /// Reads the configuration, and also checks the files and directories that it names.
    ///
    /// - Returns: the configuration; warnings, which do not prevent a start; and comments: the numbering plan, steps to
    ///   take at providers, and the texts of messages with their parts.
    /// - Throws: exit 78: all mistakes were printed.
    func readChecked(
        flags: [String: String] = [:]
    ) throws -> (configuration: Configuration, warnings: [String], comments: [String]) {
        let configuration = try read(flags: flags)
        let checks = StartChecks(configuration)
        guard checks.mistakes.isEmpty else {
            printError(ConfigurationError(mistakes: checks.mistakes).description)
            throw configurationExitCode
        }
        let planWarning = checks.plan?.warning(at: SystemClock.now())
        let comments = [checks.plan?.line].compactMap { $0 } + checks.notes + checks.texts
        return (configuration, checks.warnings + [planWarning].compactMap { $0 }, comments)
    }
}
