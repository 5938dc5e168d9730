internal import ArgumentParser
internal import Engine
internal import Possession
internal import StrictJSON

extension Webhooks {
    struct Add: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds an endpoint and prints its secret, this once.",
            discussion: """
                Requests carry the headers of Standard Webhooks 1.0.0. The secret verifies their v1 signature, and the public \
                key of --key ed25519 the v1a signature beside it. Those of the formats prelude and otpless carry that vendor's \
                signature instead: prelude's by a key of the server, see `holdfast keys list`; otpless's by the secret.
                """)

        @OptionGroup var options: ConfigurationOptions
        @Option(name: .long, help: "The API client whose events it gets.")
        var client: String
        @Option(name: .long, help: "Where to: https://..., in sandbox also http:// to a loopback address.")
        var url: String
        @Option(
            name: .long,
            help: """
                What it asks for, with commas between: types such as session.succeeded, groups such as session.*, or * for all \
                but check.*.
                """)
        var types = "*"
        @Option(name: .long, help: "ed25519: signs with a key pair as well.")
        var key: String?
        @Option(
            name: .long,
            help: """
                What it gets more, with commas between: phoneNumber and statement in bodies; server for the events of limits \
                that all API clients share.
                """)
        var include: String?
        @Option(name: .long, help: "\(Self.formats).")
        var format = WebhookEndpoint.Format.standard.rawValue
        @Option(name: .long, help: "none, or session: events of one session go one after the other.")
        var ordering = WebhookEndpoint.Ordering.none.rawValue
        @Flag(
            name: .long,
            help: "Asks the receiver first, as CloudEvents receivers expect; without its consent nothing is added.")
        var handshake = false
        @Flag(name: .long, help: "Prints one JSON object.")
        var json = false

        func validate() throws { _ = try order() }

        private func order() throws -> AddWebhook {
            let client = try Clients.id(client)
            var wish = WebhookManager.Order()
            wish.url = url
            wish.types = Self.words(types)
            do { _ = try WebhookFilter(wish.types) } catch { throw ValidationError("--types \(error.reason)") }
            if let key {
                guard key == "ed25519" else { throw ValidationError("--key must be ed25519") }
                wish.hasKeyPair = true
            }
            if let include {
                guard let includes = WebhookEndpoint.Inclusion.read(Self.words(include)) else {
                    throw ValidationError("--include may have phoneNumber, statement and server only")
                }
                wish.includes = includes
            }
            guard let format = WebhookEndpoint.Format(rawValue: format) else {
                throw ValidationError("--format must be \(Self.formats)")
            }
            guard let ordering = WebhookEndpoint.Ordering(rawValue: ordering) else {
                throw ValidationError("--ordering must be none or session")
            }
            wish.format = format
            wish.ordering = ordering
            guard !handshake || format == .cloudevents else {
                throw ValidationError("--handshake needs --format cloudevents")
            }
            wish.hasHandshake = handshake
            return AddWebhook(client: client, wish: wish)
        }

        private static let formats = "standard, cloudevents, prelude or otpless"

        /// Splits a text at its commas.
        private static func words(_ text: String) -> [String] {
            text.utf8.split(separator: UInt8(ascii: ",")).map { String(decoding: $0, as: UTF8.self) }
        }

        func run(on installation: Installation) async throws {
            printKeys(try await installation.send(try order()), asJSON: json)
        }
    }
}
