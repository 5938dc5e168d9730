internal import ArgumentParser
internal import Engine
internal import Possession
internal import StrictJSON

/// The options that select deliveries.
struct DeliveryOptions: ParsableArguments {
    @Option(name: .long, help: "To this endpoint only: we_...")
    var endpoint: String?
    @Option(name: .long, help: "Of this API client only.")
    var client: String?

    func validate() throws { _ = (try endpointID(), try clientID()) }

    /// - Throws: an error of usage.
    fileprivate func endpointID() throws -> WebhookEndpointID? { try endpoint.map(Webhooks.endpoint) }

    /// - Throws: an error of usage.
    fileprivate func clientID() throws -> ClientID? { try client.map(Clients.id) }
}

extension Webhooks {
    struct Deliveries: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists deliveries, the newest first, one JSON object a line.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var which: DeliveryOptions
        @Option(name: .long, help: "pending, delivered, failed or dropped.")
        var state: String?
        @Option(name: .long, help: "At most so many, 1 to 200.")
        var limit = 50

        func validate() throws {
            _ = try wanted()
            guard ListDeliveries.limits.contains(limit) else {
                throw ValidationError("--limit must be 1 to \(WebhookManager.mostListed)")
            }
        }

        private func wanted() throws -> WebhookDelivery.State? {
            guard let state else { return nil }
            guard let wanted = WebhookDelivery.State(rawValue: state) else {
                throw ValidationError("--state must be pending, delivered, failed or dropped")
            }
            return wanted
        }

        func run(on installation: Installation) async throws {
            let order = ListDeliveries(
                client: try which.clientID(), endpoint: try which.endpointID(), state: try wanted(), limit: limit)
            try await printLines(of: "deliveries", in: installation.send(order))
        }
    }

    struct Failed: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists deliveries that were given up, the newest first, one JSON object a line.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var which: DeliveryOptions

        func run(on installation: Installation) async throws {
            let order = ListDeliveries(
                client: try which.clientID(), endpoint: try which.endpointID(), state: .failed,
                limit: WebhookManager.mostListed)
            try await printLines(of: "deliveries", in: installation.send(order))
        }
    }

    struct Replay: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sends events again, under the same ids.",
            discussion: "Names one event, or all that failed or was dropped since a time.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var which: DeliveryOptions
        @Option(name: .long, help: "The event: evt_...")
        var event: String?
        @Option(name: .long, help: "All that failed or was dropped since then: Unix seconds.")
        var since: Int?

        func validate() throws { _ = try what() }

        private func what() throws -> WebhookReplay {
            switch (event, since) {
            case (let event?, nil):
                guard let id = WebhookEventID(name: event) else {
                    throw ValidationError("--event must be evt_ and a UUID")
                }
                return .event(id)
            case (nil, let since?):
                guard since >= 0 else { throw ValidationError("--since must be Unix seconds") }
                return .missed(since: Timestamp(seconds: Int64(since)))
            default: throw ValidationError("give --event or --since")
            }
        }

        func run(on installation: Installation) async throws {
            let order = ReplayWebhooks(
                replay: try what(), client: try which.clientID(), endpoint: try which.endpointID())
            let answer = try await installation.send(order)
            print("queued \(answer["deliveries"]?.integer ?? 0)")
        }
    }
}
