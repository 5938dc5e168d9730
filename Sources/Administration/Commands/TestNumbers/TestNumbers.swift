package import ArgumentParser
internal import Possession
internal import StrictJSON

package struct TestNumbers: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "testnumbers",
        abstract: "Adds, lists and removes phone numbers of a live server that pass with a fixed code.",
        discussion: """
            For reviewers of app stores and for tests. Nothing is sent to such a number. A person who knows the number and its \
            code logs in with it: take numbers that no person has. There are \(TestNumber.most) at most. \
            Works on the running server of the data directory, or on the directory itself when none runs.
            """,
        subcommands: [Add.self, List.self, Remove.self])

    package init() {}

    struct Add: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds a test number.",
            discussion: """
                The standard input is one line, so that the list of processes shows neither: the number, a blank, and the \
                code of 4 to 10 digits. All of it passes, whatever length the codes of a session have: give it as many digits \
                as people are asked for, which are those of otp.codeLength unless a call says otherwise.
                """)

        @OptionGroup var options: ConfigurationOptions
        @Option(name: .long, help: "The API client that has the number; without one, all have it.")
        var client: String?
        @Option(name: .long, help: "How many days the code passes, 1 to \(TestNumber.mostDays).")
        var days = 30

        func validate() throws {
            if let client { _ = try Clients.id(client) }
            guard (1...TestNumber.mostDays).contains(days) else {
                throw ValidationError("--days must be 1 to \(TestNumber.mostDays)")
            }
        }

        func run(on installation: Installation) async throws {
            let line = readLine() ?? ""
            guard let blank = line.utf8.lastIndex(of: UInt8(ascii: " ")),
                let code = OTP(String(line[line.utf8.index(after: blank)...]))
            else { throw ValidationError("the standard input must be a phone number, a blank, and 4 to 10 digits") }
            let number = try installation.number(String(line[..<blank]))
            let order = AddTestNumber(
                number: number, code: code, days: days, client: try client.map { try Clients.id($0) })
            printJSON(try await installation.send(order))
        }
    }

    struct List: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the test numbers, one JSON object a line, without their codes.")

        @OptionGroup var options: ConfigurationOptions

        func run(on installation: Installation) async throws {
            try await printLines(of: "testNumbers", in: installation.send(ListTestNumbers()))
        }
    }

    struct Remove: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a test number: the next message to it is sent.",
            discussion: "The number is the one line of the standard input.")

        @OptionGroup var options: ConfigurationOptions

        func run(on installation: Installation) async throws {
            _ = try await installation.send(RemoveTestNumber(number: try installation.numberOfStandardInput()))
            print("removed")
        }
    }
}
