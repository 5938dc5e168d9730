package import ArgumentParser

package struct Restore: ServerCommand {
    package static let configuration = CommandConfiguration(
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

    package func validate() throws {
        if workDirectory != nil && !drill { throw ValidationError("--work-directory goes with --drill") }
    }

    package init() {}

    package func run(by controls: any ServerControls) async throws {
        let lines = try await controls.restore(
            options, from: from, masterKeyFile: masterKey, isDrill: drill, workFolder: workDirectory)
        for line in lines { print(line) }
    }
}
