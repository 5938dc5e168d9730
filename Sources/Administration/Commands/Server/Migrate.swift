package import ArgumentParser

package struct Migrate: ServerCommand {
    package static let configuration = CommandConfiguration(
        abstract: "Brings the database to the newest migration, and says which ones it applied.",
        discussion: "`serve` does the same at its start. No server may run on the data directory.")

    @OptionGroup var options: ConfigurationOptions

    @Flag(name: .long, help: "Says what would be applied, and changes nothing. A server may run.")
    var dryRun = false

    package init() {}

    package func run(by controls: any ServerControls) async throws {
        print(try await controls.migrate(options, isDryRun: dryRun))
    }
}
