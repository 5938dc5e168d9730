internal import ArgumentParser
internal import Possession
internal import StrictJSON

extension Clients {
    struct Add: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds an API client and prints its secret, this once.",
            discussion: """
                The secret is 256 random bits, unless it comes from the standard input. It is kept as a keyed digest and \
                cannot be shown again.
                """)

        @OptionGroup var options: ConfigurationOptions
        @Argument(help: "The client_id: 1 to 64 of A-Z a-z 0-9 . _ -")
        var id: String
        @OptionGroup(title: "Rules") var rules: ClientRuleOptions
        @Flag(
            name: .long,
            help: "The secret is the one line of the standard input: at least 32 visible characters, 8 in sandbox.")
        var secretStdin = false
        @Flag(name: .long, help: "Prints one JSON object.")
        var json = false

        /// The rules of a new client. On a live server, links need a match code and the same address, unless the
        /// operator says otherwise (contract section 9).
        static func rules(_ members: JSONObject, isLive: Bool) throws(TenantMemberFault) -> TenantRules {
            var rules = TenantRules()
            rules.linkMatchCode = isLive
            rules.linkNeedsSameAddress = isLive
            try TenantMember.apply(members, to: &rules)
            return rules
        }

        func validate() throws { _ = try Clients.id(id) }

        func run(on installation: Installation) async throws {
            let id = try Clients.id(id)
            let wanted = try Self.rules(rules.members, isLive: installation.isLive)
            let secret = try Clients.ownSecret(secretStdin)
            let answer = try await installation.send(AddClient(id, wanted, secret: secret))
            rules.warnOfName()
            if json { return printJSON(answer) }
            print("client_id=\(answer["id"]?.string ?? "")")
            print("client_secret=\(answer["secret"]?.string ?? "")")
        }
    }
}
