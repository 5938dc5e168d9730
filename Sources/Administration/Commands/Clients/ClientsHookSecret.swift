internal import ArgumentParser
internal import Engine
internal import Possession
internal import StrictJSON

extension Clients {
    struct HookSecret: AdministrationCommand {
        static let configuration = CommandConfiguration(
            commandName: "hook-secret",
            abstract: "Prints the secret by which another server has its codes sent for an API client.",
            discussion: """
                With it a server can send codes by /hooks, and do nothing else. It is made of the client's secret: \
                rotate-secret makes another one, and the one before stays valid as long as the secret before.
                """)

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var named: Named
        @Flag(name: .long, help: "Prints one JSON object.")
        var json = false

        func run(on installation: Installation) async throws {
            let id = try named.client()
            let answer = try await installation.send(ShowHookSecret(client: id))
            if json { return printJSON(answer) }
            print("client_id=\(id.text)")
            print("hook_secret=\(answer["secret"]?.string ?? "")")
            print("signing_secret=\(answer["signingSecret"]?.string ?? "")")
        }
    }
}
