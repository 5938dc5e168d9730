package import ArgumentParser
internal import StrictJSON

package struct Guard: ParsableCommand {
    package static let configuration = CommandConfiguration(
        abstract: "Shows what messages cost and which numbers get none, opens and closes them.",
        discussion: """
            The spend guard closes numbers that share all but their last four digits when too few people answer their \
            messages. Works on the running server of the data directory, or on the directory itself when none runs.
            """,
        subcommands: [Show.self, Open.self, Close.self])

    package init() {}

    struct Show: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the cost of the last 24 hours and the closed prefixes, one JSON object a line.",
            discussion: "Costs are counted where a budget is set: in all, and for each API client that has sent.")

        @OptionGroup var options: ConfigurationOptions

        func run(on installation: Installation) async throws {
            try await printLines(of: "guard", in: installation.carryOut(.showGuard))
        }
    }

    struct Open: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lets messages go to the numbers of a prefix again, and forgets what was counted of them.")

        @OptionGroup var options: ConfigurationOptions

        @Argument(help: "All but the last four digits of the numbers, such as +1206555.")
        var prefix: String

        func run(on installation: Installation) async throws {
            let answer = try await installation.carryOut(.openPrefix(try Guard.read(prefix)))
            print(answer["opened"]?.bool == true ? "opened" : "nothing was counted")
        }
    }

    struct Close: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Stops messages to the numbers of a prefix for a time.")

        @OptionGroup var options: ConfigurationOptions

        @Argument(help: "All but the last four digits of the numbers, such as +1206555.")
        var prefix: String

        @Option(help: "For how many hours, 1 to 168.")
        var hours = 12

        func validate() throws {
            guard GuardOrders.hours.contains(hours) else { throw ValidationError("--hours must be 1 to 168") }
        }

        func run(on installation: Installation) async throws {
            let answer = try await installation.carryOut(.closePrefix(try Guard.read(prefix), hours: hours))
            print("closed until \(answer["until"]?.string ?? "?")")
        }
    }

    private static func read(_ text: String) throws -> NumberPrefix {
        guard let prefix = NumberPrefix(text) else {
            throw ValidationError("the prefix must be + and 1 to 11 digits, such as +1206555")
        }
        return prefix
    }
}
