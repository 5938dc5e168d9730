internal import ArgumentParser
internal import Possession
internal import StrictJSON

extension Clients {
    struct Update: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Changes rules of an API client.",
            discussion: """
                Only what is named changes. A repeatable option replaces its whole list. Sessions that run keep the rules \
                they began with. The clients of a sandbox's configuration file get the file's rules back at the next start.
                """)

        @OptionGroup var options: ConfigurationOptions
        @Argument(help: "The client_id.")
        var id: String
        @OptionGroup(title: "Rules") var rules: ClientRuleOptions
        @Option(
            name: .long,
            help: "Empties a rule: one of \(ClientRuleOptions.clearable.joined(separator: ", ")). Repeatable.")
        var clear: [String] = []
        @Flag(name: .long, help: "Prints the client as one JSON object.")
        var json = false

        func validate() throws {
            _ = try Clients.id(id)
            for name in clear {
                guard let member = ClientRuleOptions.member(ofOption: name) else {
                    throw ValidationError(
                        "--clear must be one of: \(ClientRuleOptions.clearable.joined(separator: ", "))")
                }
                guard rules.members[member] == nil else {
                    throw ValidationError("--clear \(name) and --\(name) exclude each other")
                }
            }
            guard !clear.isEmpty || !rules.members.isEmpty else { throw ValidationError("say what to change") }
        }

        func run(on installation: Installation) async throws {
            let id = try Clients.id(id)
            var members = rules.members
            for name in clear { ClientRuleOptions.member(ofOption: name).map { members[$0] = .null } }
            let answer = try await installation.send(UpdateClient(id, members))
            rules.warnOfName()
            if json { return printJSON(answer) }
            print("updated \(id.text): \(members.names.joined(separator: ", "))")
        }
    }
}
