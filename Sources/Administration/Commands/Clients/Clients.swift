package import ArgumentParser
internal import Engine
internal import Possession
internal import Text

package struct Clients: ParsableCommand {
    package static let configuration = CommandConfiguration(
        abstract: "Adds, changes, lists and revokes API clients and their keys.",
        discussion: "Works on the running server of the data directory, or on the directory itself when none runs.",
        subcommands: [
            Add.self, Update.self, RotateSecret.self, HookSecret.self, Keys.self, AppKeys.self, List.self, Revoke.self,
        ])

    package init() {}

    struct List: AdministrationCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the API clients, one JSON object a line.")

        @OptionGroup var options: ConfigurationOptions

        func run(on installation: Installation) async throws {
            try await printLines(of: "clients", in: installation.send(ListClients()))
        }
    }

    struct Revoke: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revokes an API client: its next call is refused, its tokens are void.",
            discussion: """
                This cannot be taken back. What the client's sessions, devices and identities are kept under is its id, so \
                no other client can get the id.
                """)

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var named: Named

        func run(on installation: Installation) async throws {
            _ = try await installation.send(RevokeClient(client: try named.client()))
            print("revoked \(named.id)")
        }
    }
}

extension Clients {
    /// The API client that a command is about.
    struct Named: ParsableArguments {
        @Argument(help: "The client_id.")
        var id: String

        /// - Throws: an error of usage.
        func validate() throws { _ = try client() }

        func client() throws -> ClientID { try Clients.id(id) }
    }

    /// - Throws: an error of usage.
    static func id(_ text: String) throws -> ClientID {
        guard let id = ClientID(text) else { throw ValidationError("the id must be 1 to 64 of A-Z a-z 0-9 . _ -") }
        return id
    }

    /// Reads a secret from the only line of the standard input. It is not an argument, because the process list shows
    /// arguments to every user.
    /// - Throws: an error of usage.
    static func ownSecret(_ isWanted: Bool) throws -> Secret? {
        guard isWanted else { return nil }
        guard let line = readLine(), !line.isEmpty else {
            throw ValidationError("--secret-stdin needs the secret as the one line of the standard input")
        }
        return Secret(line)
    }
}
