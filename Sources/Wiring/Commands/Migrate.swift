internal import Administration
internal import ArgumentParser
internal import SQLiteStorage

struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Brings the database to the newest migration, and says which ones it applied.",
        discussion: "`serve` does the same at its start. No server may run on the data directory.")

    @OptionGroup var options: ConfigurationOptions

    @Flag(name: .long, help: "Says what would be applied, and changes nothing. A server may run.")
    var dryRun = false

    func run() async throws {
        let configuration = try options.read()
        let directory = configuration.data.directory
        let plan: MigrationPlan
        do throws(OpeningFault) {
            plan = try MigrationPlan(
                database: DataDirectory.databasePath(in: directory), migrations: configuration.data.migrations)
        } catch {
            printError(error.description)
            throw ExitCode.failure
        }
        if !dryRun {
            do {
                let store = try await Store.open(configuration)
                await store.close()
            } catch {
                printError(error.description)
                throw error.exitCode
            }
        }
        print(Migrate.sentence(plan, directory, isApplied: !dryRun))
    }

    static func sentence(_ plan: MigrationPlan, _ directory: String, isApplied: Bool) -> String {
        guard !plan.pending.isEmpty else { return "\(directory) is up to date at migration \(plan.version)" }
        let what = isApplied ? "applied" : "would apply"
        let lines =
            plan.pending.map { "\(what) \($0)" } + [
                "\(directory) \(isApplied ? "was" : "is") at migration \(plan.version), "
                    + "\(isApplied ? "is now" : "would be") at \(plan.version + plan.pending.count)"
            ]
        return lines.joined(separator: "\n")
    }
}
