package import ArgumentParser
internal import Possession
internal import StrictJSON

package struct Webhooks: ParsableCommand {
    package static let configuration = CommandConfiguration(
        abstract: "Tells API clients' systems what happens: endpoints, deliveries, replays.",
        discussion: "Works on the running server of the data directory, or on the directory itself when none runs.",
        subcommands: [
            Add.self, List.self, Test.self, Replay.self, Rotate.self, Enable.self, Disable.self, Remove.self,
            Deliveries.self, Failed.self,
        ])

    package init() {}

    /// - Throws: an error of usage.
    static func endpoint(_ text: String) throws -> WebhookEndpointID {
        guard let id = WebhookEndpointID(name: text) else {
            throw ValidationError("the endpoint must be we_ and a UUID")
        }
        return id
    }

    /// The endpoint that a command is about.
    struct Named: ParsableArguments {
        @Argument(help: "The endpoint: we_...")
        var endpoint: String

        /// - Throws: an error of usage.
        func validate() throws { _ = try id() }

        fileprivate func id() throws -> WebhookEndpointID { try Webhooks.endpoint(endpoint) }
    }

    struct List: AdministrationCommand {
        static let configuration = CommandConfiguration(abstract: "Lists endpoints, one JSON object a line.")

        @OptionGroup var options: ConfigurationOptions
        @Option(name: .long, help: "Those of this API client only.")
        var client: String?

        func validate() throws { _ = try client.map(Clients.id) }

        func run(on installation: Installation) async throws {
            let order = ListWebhooks(client: try client.map(Clients.id))
            try await printLines(of: "webhooks", in: installation.send(order))
        }
    }

    struct Test: AdministrationCommand {
        static let configuration = CommandConfiguration(abstract: "Sends a ping to an endpoint, whatever it asks for.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var named: Named

        func run(on installation: Installation) async throws {
            let answer = try await installation.send(TestWebhook(endpoint: try named.id()))
            print("queued \(answer["event"]?.string ?? "")")
        }
    }

    struct Rotate: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Gives an endpoint new keys and prints them, this once.",
            discussion: """
                The keys before sign beside the new ones for 24 hours, so that the receiver can follow. Until then there are no \
                newer ones, unless with --force.
                """)

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var named: Named
        @Flag(name: .long, help: "Also while the keys before sign: they end now.")
        var force = false
        @Flag(name: .long, help: "Prints one JSON object.")
        var json = false

        func run(on installation: Installation) async throws {
            let order = RotateWebhook(endpoint: try named.id(), isForced: force)
            printKeys(try await installation.send(order), asJSON: json)
        }
    }

    struct Enable: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lets an endpoint be told again, beginning with a ping.",
            discussion: "What waited when it was disabled goes out as well.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var named: Named

        func run(on installation: Installation) async throws {
            _ = try await installation.send(EnableWebhook(endpoint: try named.id()))
            print("enabled \(named.endpoint)")
        }
    }

    struct Disable: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Stops telling an endpoint.",
            discussion: "What waits is kept until it is enabled. Of what happens meanwhile it is not told.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var named: Named

        func run(on installation: Installation) async throws {
            _ = try await installation.send(DisableWebhook(endpoint: try named.id()))
            print("disabled \(named.endpoint)")
        }
    }

    struct Remove: AdministrationCommand {
        static let configuration = CommandConfiguration(abstract: "Removes an endpoint with all that waits for it.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var named: Named

        func run(on installation: Installation) async throws {
            _ = try await installation.send(RemoveWebhook(endpoint: try named.id()))
            print("removed \(named.endpoint)")
        }
    }
}

/// Prints the keys of an endpoint. They are shown only once.
func printKeys(_ answer: JSONObject, asJSON: Bool) {
    if asJSON { return printJSON(answer) }
    print("endpoint=\(answer["id"]?.string ?? "")")
    print("secret=\(answer["secret"]?.string ?? "")")
    if let key = answer["publicKey"]?.string { print("public_key=\(key)") }
}
