package import ArgumentParser
internal import Possession
internal import StrictJSON

package struct People: ParsableCommand {
    package static let configuration = CommandConfiguration(
        abstract: "Imports, lists and erases the people behind numbers.",
        discussion: "Works on the running server of the data directory, or on the directory itself when none runs.",
        subcommands: [Import.self, List.self, Erase.self])

    package init() {}

    struct List: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists people in the order of their import, one JSON object a line.",
            discussion:
                "Shows ids, numbers and times, and nothing else of a person. The total goes to the error output.")

        @OptionGroup var options: ConfigurationOptions
        @Option(name: .long, help: "At most so many, 1 to 1000.")
        var limit = ListPeople.standardLimit
        @Option(name: .long, help: "Starts behind the person with this id.")
        var after: String?
        @Flag(name: .long, help: "Whole numbers instead of the last four digits.")
        var fullNumbers = false

        func validate() throws {
            guard ListPeople.limits.contains(limit) else { throw ValidationError("--limit must be 1 to 1000") }
            if let after, PersonID(after) == nil { throw ValidationError("--after must be an id of the list") }
        }

        func run(on installation: Installation) async throws {
            let order = ListPeople(after: after.flatMap { PersonID($0) }, limit: limit, showsNumbers: fullNumbers)
            let answer = try await installation.send(order)
            printLines(of: "people", in: answer)
            let people = answer["people"]?.array ?? []
            let more = people.count == limit ? people.last?.object?["id"]?.string : nil
            printError(
                "\(answer["count"]?.integer ?? 0) people in all" + (more.map { "; go on with --after \($0)" } ?? ""))
        }
    }

    struct Erase: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Erases all that belongs to a number or an e-mail address, and says how much of what kind that was.",
            discussion: """
                That is the imported person, identities with their attributes, device keys, sessions, what limits count, \
                and messages in the sandbox inbox. Open sessions end. When it is done, no file of the data directory \
                holds the data any more, not even encrypted. A backup made before still does: erase the number again \
                after restoring one, and let backups expire.
                """)

        @OptionGroup var options: ConfigurationOptions
        @Flag(
            name: [.long, .customLong("email")],
            help: "The phone number, or the e-mail address, is the one line of the standard input.")
        var number = false
        @Option(name: .long, help: "The id of an imported person, as the list shows it; their number is erased.")
        var id: String?
        @Option(name: .long, help: "Only what this API client keeps of the number: identities, device keys, sessions.")
        var client: String?

        func validate() throws {
            guard number == (id == nil) else { throw ValidationError("say either --number or --id") }
            if let id, PersonID(id) == nil { throw ValidationError("--id must be an id of the list") }
            if let client, ClientID(client) == nil { throw ValidationError("--client must be a client_id") }
        }

        func run(on installation: Installation) async throws {
            let order = EraseNumber(name: try name(installation), client: client.flatMap { ClientID($0) })
            let answer = try await installation.send(order)
            let counts = answer.members.map { "\($0.name)=\($0.value.integer ?? 0)" }.joined(separator: " ")
            print("erased: \(counts)")
            print("backups made before still hold the data")
        }

        private func name(_ installation: Installation) throws -> PersonName {
            if let id = id.flatMap({ PersonID($0) }) { return .id(id) }
            return .target(try installation.targetOfStandardInput())
        }
    }
}
