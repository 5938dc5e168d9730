package import ArgumentParser

package struct Backup: ServerCommand {
    package static let configuration = CommandConfiguration(
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

    package func validate() throws {
        if let keep, !(1...10_000).contains(keep) { throw ValidationError("--keep must be 1 to 10000") }
        if to.isEmpty { throw ValidationError("--to must name a file or a directory") }
    }

    package init() {}

    package func run(by controls: any ServerControls) async throws {
        let (made, isNoted) = try await controls.backUp(
            options, to: to, replaces: replace, keep: keep, workFolder: workDirectory)
        if !isNoted { printError("warning: last-backup could not be written, so /metrics does not tell of it") }
        printJSON(made)
    }
}
