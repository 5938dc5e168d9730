package import ArgumentParser

package struct Migrate: ServerCommand {
    package static let configuration = CommandConfiguration(
        abstract: "Brings the database to the newest migration, and says which ones it applied.",
        discussion: """
            With SQLite, `serve` does the same at its start, and no server may run on the data directory. With PostgreSQL \
            only this command changes tables: it works as the role of database.ownerUrl, grants the role of database.url \
            what a server needs, and a server may run.
            """)

    @OptionGroup var options: ConfigurationOptions

    @Flag(name: .long, help: "Says what would be applied, and changes nothing. A server may run.")
    var dryRun = false

    package init() {}

    package func run(by controls: any ServerControls) async throws {
        print(try await controls.migrate(options, isDryRun: dryRun))
    }
}
