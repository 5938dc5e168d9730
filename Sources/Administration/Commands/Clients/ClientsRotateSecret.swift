internal import ArgumentParser
internal import Possession
internal import StrictJSON

extension Clients {
    struct RotateSecret: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Gives an API client a new secret and prints it, this once.",
            discussion: """
                The secret before stays valid for --overlap hours, so that every machine of the client can get the new \
                one. At most two are valid: rotating twice ends the oldest at once. Access tokens stay valid.
                """)

        @OptionGroup var options: ConfigurationOptions
        @Argument(help: "The client_id.")
        var id: String
        @Option(name: .long, help: "Hours that the secret before stays valid, 0 to 720; 0 ends it now.")
        var overlap = RotateClientSecret.standardOverlap
        @Flag(
            name: .long,
            help: "The secret is the one line of the standard input: at least 32 visible characters, 8 in sandbox.")
        var secretStdin = false
        @Flag(name: .long, help: "Prints one JSON object.")
        var json = false

        func validate() throws {
            _ = try Clients.id(id)
            guard RotateClientSecret.overlaps.contains(overlap) else {
                throw ValidationError("--overlap must be 0 to \(RotateClientSecret.overlaps.upperBound) hours")
            }
        }

        func run(on installation: Installation) async throws {
            let id = try Clients.id(id)
            let order = RotateClientSecret(id, secret: try Clients.ownSecret(secretStdin), overlapHours: overlap)
            let answer = try await installation.send(order)
            if json { return printJSON(answer) }
            print("client_id=\(id.text)")
            print("client_secret=\(answer["secret"]?.string ?? "")")
            let end = answer["oldSecretUntil"]?.string
            printError(
                end.map { "the secret before is valid until \($0)" } ?? "the secret before is not valid any more")
        }
    }
}
