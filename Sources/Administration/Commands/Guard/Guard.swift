package import ArgumentParser
internal import Possession
internal import StrictJSON

package struct Guard: ParsableCommand {
    package static let configuration = CommandConfiguration(
        abstract: "Shows what messages cost and where few people answer, opens and closes numbers.",
        discussion: """
            Where too few people answer an API client's messages, they go only to people and from networks that it knows. \
            Works on the running server of the data directory, or on the directory itself when none runs.
            """,
        subcommands: [Show.self, Open.self, Close.self, Reset.self])

    package init() {}

    struct Show: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the cost of the last 24 hours, what is closed and what is scarce, one JSON object a line.",
            discussion: """
                Costs are counted where a budget is set: of what all API clients share, of each, of each country. Their unit \
                stands beside them.
                """)

        @OptionGroup var options: ConfigurationOptions

        func run(on installation: Installation) async throws {
            try await printLines(of: "guard", in: installation.send(ShowGuard()))
        }
    }

    struct Open: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lets messages go to numbers that begin so again.",
            discussion: """
                Ends what guard close began. Of all but the last four digits of a number it also forgets what went \
                unanswered there, at every API client.
                """)

        @OptionGroup var options: ConfigurationOptions

        @Argument(help: "As much of the numbers as is meant, such as +1206555 or +1206.")
        var prefix: String

        func run(on installation: Installation) async throws {
            let answer = try await installation.send(OpenPrefix(prefix: try Guard.read(prefix)))
            print(answer["opened"]?.bool == true ? "opened" : "it was not closed, and nothing was counted of it")
        }
    }

    struct Close: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Stops messages to all numbers that begin so for a time.",
            discussion:
                "People whom the API client knows still get theirs: an identity, a device key, an answer in 90 days.")

        @OptionGroup var options: ConfigurationOptions

        @Argument(help: "As much of the numbers as is meant, such as +1206555 or +1206.")
        var prefix: String

        @Option(help: "For how many hours, 1 to 168.")
        var hours = 12

        func validate() throws {
            guard ClosePrefix.hours.contains(hours) else { throw ValidationError("--hours must be 1 to 168") }
        }

        func run(on installation: Installation) async throws {
            let answer = try await installation.send(ClosePrefix(prefix: try Guard.read(prefix), hours: hours))
            print("closed until \(answer["until"]?.string ?? "?")")
        }
    }

    struct Reset: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Forgets what messages have cost in the last 24 hours, so that the budgets are whole again.")

        @OptionGroup var options: ConfigurationOptions

        @Option(help: "Only of this API client.")
        var client: String?

        func run(on installation: Installation) async throws {
            let id = try client.map { text in
                guard let id = ClientID(text) else { throw ValidationError("--client must be the id of an API client") }
                return id
            }
            let answer = try await installation.send(ResetSpending(client: id))
            print(answer["reset"]?.bool == true ? "forgotten" : "nothing was counted")
        }
    }

    private static func read(_ text: String) throws -> NumberPrefix {
        guard let prefix = NumberPrefix(text) else {
            throw ValidationError("the prefix must be + and 1 to 11 digits, such as +1206555")
        }
        return prefix
    }
}
