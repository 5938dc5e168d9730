package import ArgumentParser
internal import StrictJSON

package struct Numbers: ParsableCommand {
    package static let configuration = CommandConfiguration(
        abstract: "Shows what limits have counted for a phone number, why it did not get through, and unlocks it.",
        discussion: """
            The number, or an e-mail address, is the one line of the standard input, so that the list of processes does not show it. \
            Works on the running server of the data directory, or on the directory itself when none runs.
            """,
        subcommands: [Show.self, Explain.self, Unlock.self])

    package init() {}

    struct Show: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the counts of a number, one JSON object a line.",
            discussion: "Counts are kept under keyed digests: only a number that you name can be looked up.")

        @OptionGroup var options: ConfigurationOptions

        func run(on installation: Installation) async throws {
            try await printLines(
                of: "checks", in: installation.send(ShowNumber(target: try installation.targetOfStandardInput())))
        }
    }

    struct Explain: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Tells why a number did not get through, one JSON object a line.",
            discussion: """
                First the limits that hold for the number now, and until when. Then its newest sessions, with what \
                happened in each and what became of its messages: which gateway took them, and how the carrier says that \
                they ended. No line has a code, a link or the number. Limits of addresses and API clients are not told.
                """)

        @OptionGroup var options: ConfigurationOptions

        func run(on installation: Installation) async throws {
            let answer = try await installation.send(ExplainNumber(target: try installation.targetOfStandardInput()))
            if answer["explanation"]?.array?.isEmpty == true { printError("nothing is known of the number") }
            printLines(of: "explanation", in: answer)
        }
    }

    struct Unlock: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Forgets the failures counted for a number, so that its checks go again.",
            discussion: "Messages to the number stay counted.")

        @OptionGroup var options: ConfigurationOptions

        func run(on installation: Installation) async throws {
            let answer = try await installation.send(UnlockNumber(target: try installation.targetOfStandardInput()))
            let count = answer["forgotten"]?.integer ?? 0
            print(count > 0 ? "unlocked" : "nothing was counted")
        }
    }
}
