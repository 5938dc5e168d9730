package import ArgumentParser

package struct DatabaseCommands: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "database", abstract: "Prepares and checks the database that the configuration names.",
        subcommands: [Migrate.self, CheckDatabase.self, CopyDatabase.self, RestoredDatabaseCommand.self])

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

package struct CopyDatabase: ServerCommand {
    package static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copies all data of a SQLite database into the PostgreSQL of database.url.",
        discussion: """
            No server may run on either. The PostgreSQL must have its tables (`holdfast database migrate`), and no rows in \
            them. Each table is read again and compared. Afterwards no server starts on the SQLite database, unless the \
            file `moved` in its directory is removed. Keep the master key: the copied data needs the same one.
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(
        name: .long, help: "The data directory with the SQLite database, over data.directory.", completion: .directory)
    var from: String?

    package init() {}

    package func run(by controls: any ServerControls) async throws {
        for line in try await controls.copyDatabase(options, from: from) { print(line) }
    }
}

package struct RestoredDatabaseCommand: ServerCommand {
    package static let configuration = CommandConfiguration(
        commandName: "restored",
        abstract: "Revokes what may have been used since the copy of a restored PostgreSQL was made.",
        discussion: """
            Run it once after each restore of the PostgreSQL of database.url, before a server uses it: from a dump, a base \
            backup or a snapshot. Every open session is ended, messages that wait are not sent, replies to retries are \
            gone, activations are blocked, and the next start makes new signing keys.
            """)

    @OptionGroup var options: ConfigurationOptions

    package init() {}

    package func run(by controls: any ServerControls) async throws {
        for line in try await controls.revokeRestored(options) { print(line) }
    }
}
