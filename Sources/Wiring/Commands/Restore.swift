internal import Administration
internal import ArgumentParser
internal import Backups
internal import Clocks
internal import Possession
internal import SQLiteStorage

struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Restores a backup into a data directory without a database, or tries one out.",
        discussion: """
            Every open session is ended, messages that wait are not sent, replies to retries are gone, and the next start \
            makes new signing keys: nothing that was used since the backup is taken again. No server may run on the data \
            directory, but for --drill.
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(
        name: .long,
        help: "The backup; or a directory of files named *.backup, of which the one is taken that was made last.",
        completion: .file())
    var from: String

    @Option(
        name: .long,
        help: "The master key of the time when the backup was made; it is put in place where there is none.",
        completion: .file())
    var masterKey: String?

    @Flag(
        name: .long,
        help: "Restores into a directory that is removed again, and says whether all of it is there. A server may run.")
    var drill = false

    @Option(
        name: .long,
        help: "With --drill: where the unencrypted copy is meanwhile; the data directory if not given.",
        completion: .directory)
    var workDirectory: String?

    func validate() throws {
        if workDirectory != nil && !drill { throw ValidationError("--work-directory goes with --drill") }
    }

    func run() async throws {
        let configuration = try options.read()
        let start = SystemClock.steadyNanoseconds()
        let rebuilt: Rebuilding.Rebuilt
        do throws(StartFault) {
            let run = RestoreRun(
                configuration: configuration, signals: await EndingSignals(), now: { SystemClock.now() })
            rebuilt =
                drill
                ? try await run.drill(from: from, masterKeyFile: masterKey, in: workDirectory)
                : try await run.restore(from: from, masterKeyFile: masterKey)
        } catch {
            printError(error.description)
            throw error.exitCode
        }
        let seconds = Double(SystemClock.steadyNanoseconds() - start) / 1e9
        for line in lines(rebuilt, configuration.data.directory, seconds) { print(line) }
    }

    private func lines(_ rebuilt: Rebuilding.Rebuilt, _ directory: String, _ seconds: Double) -> [String] {
        let manifest = rebuilt.manifest
        let damaged = rebuilt.opened.damaged.values.reduce(0, +)
        let tenths = Int(seconds * 10)
        var lines = rebuilt.notes
        lines += [
            "backup of \(manifest.madeAt.rfc3339), by version \(manifest.program), migration \(manifest.migration)",
            "\(manifest.databaseBytes) bytes and \(manifest.rows) rows in \(manifest.tables.count) tables, as noted; every page and index is sound",
            "\(rebuilt.opened.values) sealed values opened\(drill ? ", and the signing keys" : "")",
            "\(rebuilt.sessions.ended) open sessions ended, \(rebuilt.taken.messages) waiting messages not sent, \(rebuilt.taken.replies) kept replies removed, \(rebuilt.taken.activations) activations blocked",
        ]
        if damaged > 0 { lines.append("\(damaged) sealed values are damaged; those rows are refused") }
        if rebuilt.sessions.unreadable > 0 {
            lines.append("\(rebuilt.sessions.unreadable) sessions cannot be read; nobody can go on with them")
        }
        guard !drill else {
            return lines + ["the drill took \(tenths / 10).\(tenths % 10) seconds, and left nothing behind"]
        }
        return lines + [
            "restored to \(directory) in \(tenths / 10).\(tenths % 10) seconds. Whatever changed after \(manifest.madeAt.rfc3339) is gone. Do again what counts:",
            "- client secrets that were rotated since: the old ones are valid; rotate them again",
            "- API clients and device keys that were revoked since are valid; revoke them again",
            "- active activations of devices are blocked, because their counters are those of then: people activate again, or you unblock them",
            "- numbers that were erased since are back; erase them again",
            "- test numbers that were removed since pass again; remove them again",
            "- webhook endpoints and domain links that were removed since are back, and their secrets are those of then; remove or rotate them again",
            "- the master key and the sealing key are those of then: after a leak, rotate both again (holdfast keys)",
            "- entries of the audit log since then are in exports only",
            "- limits, budgets and closed prefixes stand as they stood then",
            "- whoever pinned a signing key must read the JWKS again: the next start makes new ones",
        ]
    }
}
