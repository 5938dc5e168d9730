package import ArgumentParser

package struct DatabaseCommands: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "database", abstract: "Prepares and checks the database that the configuration names.",
        subcommands: [Migrate.self, CheckDatabase.self])

    package init() {}
}

package struct CheckDatabase: ServerCommand {
    package static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Says whether the server can use the PostgreSQL of database.url.",
        discussion: """
            Connects as the server does, and looks at version, migrations, rights of the role, disk and standby. The exit \
            status is 78 when something must be changed, and 1 when the database cannot be reached now. Nothing is \
            changed, and a server may run.
            """)

    @OptionGroup var options: ConfigurationOptions

    package init() {}

    package func run(by controls: any ServerControls) async throws {
        let (report, warnings) = try await controls.checkDatabase(options)
        print(report)
        for warning in warnings { printError("warning: \(warning)") }
    }
}
