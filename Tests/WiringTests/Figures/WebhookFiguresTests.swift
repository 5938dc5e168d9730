import Logging
import Engine
import Possession
import Testing

@testable import Observation
@testable import Wiring

@Suite struct WebhookFiguresTests {
    @Test func `counts what was dropped by its type, and logs how many in all`() throws {
        let registry = MetricsRegistry(WebhookWorker.families)
        let now = Timestamp(seconds: 1_767_225_600)
        let endpoint = WebhookEndpoint(
            id: WebhookEndpointID(at: now, random: 1), clientID: try #require(ClientID("shop")),
            url: "https://shop.example/h", filter: try WebhookFilter(["*"]), keys: .init(secret: [1], seed: nil),
            createdAt: now)
        let lines = try LogTests.lines { sink in
            let logger = Logger(label: "test", factory: { _ in JSONLogHandler(sink, level: .info) })
            let notes = WebhookNotes(
                registry, logger, label: "holdfast_webhook_deliveries_total",
                disabled: "holdfast_webhook_endpoints_disabled_total",
                removed: "holdfast_webhook_deliveries_removed_total")
            notes.take(.dropped(endpoint, [.messageSent: 2, .checkStarted: 1]))
            notes.take(.dropped(endpoint, [.messageSent: 3]))
        }
        #expect(
            MetricsTests.rendered(registry).filter { $0.hasPrefix("holdfast_webhook_deliveries_total") } == [
                #"holdfast_webhook_deliveries_total{type="check.started",outcome="dropped"} 1"#,
                #"holdfast_webhook_deliveries_total{type="message.sent",outcome="dropped"} 5"#,
            ])
        let contexts = lines.compactMap { $0["context"] as? [String: Any] }
        #expect(contexts.map { $0["events"] as? String } == ["3", "3"])
        #expect(contexts.allSatisfy { $0["endpoint"] as? String == endpoint.id.name })
    }

    @Test func `tells whose webhooks were removed before they were delivered, and how many`() throws {
        let registry = MetricsRegistry(WebhookWorker.families)
        let client = try #require(ClientID("shop"))
        let lines = try LogTests.lines { sink in
            let logger = Logger(label: "test", factory: { _ in JSONLogHandler(sink, level: .info) })
            let notes = WebhookNotes(
                registry, logger, label: "holdfast_webhook_deliveries_total",
                disabled: "holdfast_webhook_endpoints_disabled_total",
                removed: "holdfast_webhook_deliveries_removed_total")
            notes.take(.removed(client, deliveries: 7))
        }
        #expect(MetricsTests.rendered(registry).contains("holdfast_webhook_deliveries_removed_total 7"))
        let context = try #require(lines.first?["context"] as? [String: Any])
        #expect(context["client"] as? String == "shop" && context["deliveries"] as? String == "7")
    }
}
