internal import Administration
internal import ArgumentParser
internal import Backups
internal import Clocks
internal import Possession
internal import StrictJSON

struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes an encrypted backup of the database. A server may run.",
        discussion: """
            The copy is that of one moment. It is checked, encrypted under the master key, and read back before it gets its \
            name. The master key is not in it: keep that elsewhere. What it made is printed as one JSON object.
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(
        name: .long, help: "The file to make; or a directory, in which it is named by its time.", completion: .file())
    var to: String

    @Flag(name: .long, help: "Replaces the file if it is there; without it that is refused.")
    var replace = false

    @Option(name: .long, help: "In a directory: keeps so many backups, 1 to 10000, and removes the oldest others.")
    var keep: Int?

    @Option(
        name: .long,
        help: "Where the unencrypted copy is meanwhile; the data directory if not given.", completion: .directory)
    var workDirectory: String?

    func validate() throws {
        if let keep, !(1...10_000).contains(keep) { throw ValidationError("--keep must be 1 to 10000") }
        if to.isEmpty { throw ValidationError("--to must name a file or a directory") }
    }

    func run() async throws {
        let configuration = try options.read()
        let start = SystemClock.steadyNanoseconds()
        let made: BackupRun.Made
        do throws(StartFault) {
            let run = BackupRun(
                configuration: configuration, signals: await EndingSignals(), now: { SystemClock.now() })
            made = try run.make(to: to, replaces: replace, keep: keep, workFolder: workDirectory)
        } catch {
            printError(error.description)
            throw error.exitCode
        }
        if !made.isNoted { printError("warning: last-backup could not be written, so /metrics does not tell of it") }
        Installation(configuration).noteBackup(bytes: Int64(made.bytes), rows: Int64(made.manifest.rows))
        var object = JSONObject()
        object.set("backup", made.path)
        object.set("madeAt", made.manifest.madeAt.rfc3339)
        object.set("bytes", made.bytes)
        object.set("rows", made.manifest.rows)
        object.set("migration", made.manifest.migration)
        object.set("seconds", Int((SystemClock.steadyNanoseconds() - start) / 1_000_000_000))
        if !made.removed.isEmpty { object.set("removed", made.removed) }
        print(String(decoding: object.serialized(), as: UTF8.self))
    }
}
