internal import ArgumentParser
internal import Possession
internal import StrictJSON

/// The options that select deliveries.
struct DeliveryOptions: ParsableArguments {
    @Option(name: .long, help: "To this endpoint only: we_...")
    var endpoint: String?
    @Option(name: .long, help: "Of this API client only.")
    var client: String?

    func validate() throws { _ = try order(.deliveries) }

    func order(_ verb: WebhookOrder.Verb) throws -> WebhookOrder {
        var order = WebhookOrder(verb)
        order.endpoint = try endpoint.map(Webhooks.endpoint)
        order.client = try client.map(Clients.id)
        return order
    }
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
            guard (1...WebhookManager.mostListed).contains(limit) else {
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
            var order = try which.order(.deliveries)
            order.state = try wanted()
            order.limit = limit
            try await printLines(of: "deliveries", in: installation.carryOut(.webhook(order)))
        }
    }

    struct Failed: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists deliveries that were given up, the newest first, one JSON object a line.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var which: DeliveryOptions

        func run(on installation: Installation) async throws {
            var order = try which.order(.deliveries)
            order.state = .failed
            order.limit = WebhookManager.mostListed
            try await printLines(of: "deliveries", in: installation.carryOut(.webhook(order)))
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
            var order = try which.order(.replay)
            order.replay = try what()
            let answer = try await installation.carryOut(.webhook(order))
            print("queued \(answer["deliveries"]?.integer ?? 0)")
        }
    }
}
