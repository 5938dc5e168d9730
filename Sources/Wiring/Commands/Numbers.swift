internal import ArgumentParser
internal import Possession
internal import StrictJSON

struct Numbers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows what limits have counted for a phone number, and unlocks it.",
        discussion: """
            The number is the one line of the standard input, so that the list of processes does not show it. \
            Works on the running server of the data directory, or on the directory itself when none runs.
            """,
        subcommands: [Show.self, Unlock.self])

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the counts of a number, one JSON object a line.",
            discussion: "Counts are kept under keyed digests: only a number that you name can be looked up.")

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            try await printLines(of: "checks", in: options.carryOut(.showNumber(try options.readNumber())))
        }
    }

    struct Unlock: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Forgets the failures counted for a number, so that its checks go again.",
            discussion: "Messages to the number stay counted.")

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let answer = try await options.carryOut(.unlockNumber(try options.readNumber()))
            let count = answer["forgotten"]?.integer ?? 0
            print(count > 0 ? "unlocked" : "nothing was counted")
        }
    }
}

extension ConfigurationOptions {
    /// The number that stands on the one line of the standard input.
    fileprivate func readNumber() throws -> PhoneNumber {
        do {
            guard let number = try PeopleNumbers(read()).number(readLine() ?? "") else {
                throw ValidationError("the standard input must be a phone number that can exist")
            }
            return number
        } catch let fault as StartFault {
            printError(fault.description)
            throw fault.exitCode
        }
    }
}
