internal import ArgumentParser
internal import Possession
internal import StrictJSON

extension Clients {
    struct Keys: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds, lists and revokes the API keys and SDK keys of API clients.",
            discussion: """
                An API key lets a backend in, as Prelude's SDKs do it. An SDK key stands in apps, where everybody can read \
                it: it names the API client and gives no access. A client has \(APIKey.most) of each at most.
                """,
            subcommands: [Add.self, List.self, Revoke.self])
    }
}

extension Clients.Keys {
    struct Add: AdministrationCommand {
        static let configuration = CommandConfiguration(abstract: "Adds a key and prints it, this once.")

        @OptionGroup var options: ConfigurationOptions
        @Argument(help: "The client_id.")
        var id: String
        @Option(name: .long, help: "api, for a backend, or sdk, for apps.")
        var kind = APIKey.Kind.api.rawValue
        @Option(name: .long, help: "Tells operators who holds the key: at most \(APIKey.mostNameBytes) bytes.")
        var name = ""
        @Flag(name: .long, help: "Prints one JSON object.")
        var json = false

        func validate() throws { _ = try order() }

        private func order() throws -> AddAPIKey {
            guard let kind = APIKey.Kind(rawValue: kind) else { throw ValidationError("--kind must be api or sdk") }
            guard AddAPIKey.isName(name) else {
                throw ValidationError(
                    "--name must be at most \(APIKey.mostNameBytes) bytes without control characters")
            }
            return AddAPIKey(client: try Clients.id(id), kind: kind, name: name)
        }

        func run(on installation: Installation) async throws {
            let answer = try await installation.send(try order())
            if json { return printJSON(answer) }
            print("key_id=\(answer["id"]?.string ?? "")")
            print("\(kind)_key=\(answer["key"]?.string ?? "")")
        }
    }

    struct List: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the keys of an API client without their texts, one JSON object a line.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var named: Clients.Named

        func run(on installation: Installation) async throws {
            try await printLines(of: "keys", in: installation.send(ListAPIKeys(client: try named.client())))
        }
    }

    struct Revoke: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revokes a key: its next call is refused. This cannot be taken back.")

        @OptionGroup var options: ConfigurationOptions
        @Argument(help: "The key_id, as add and list tell it.")
        var key: String

        func validate() throws { _ = try keyID() }

        private func keyID() throws -> APIKeyID {
            guard let id = APIKeyID(key) else {
                throw ValidationError("the key_id must be a UUID, and not the key itself")
            }
            return id
        }

        func run(on installation: Installation) async throws {
            _ = try await installation.send(RevokeAPIKey(id: try keyID()))
            print("revoked \(key)")
        }
    }
}
