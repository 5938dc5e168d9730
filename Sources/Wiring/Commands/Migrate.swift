internal import ArgumentParser

struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Brings the database to the newest migration.",
        discussion: "`serve` does the same at its start. No server may run on the data directory.")

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let configuration = try options.read()
        do {
            let store = try await Store.open(configuration)
            await store.close()
            print("\(configuration.data.directory) is up to date")
        } catch {
            printError(error.description)
            throw error.exitCode
        }
    }
}
