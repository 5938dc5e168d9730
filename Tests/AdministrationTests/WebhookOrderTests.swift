import Engine
import Possession
import Testing

@testable import Administration

@Suite struct WebhookOrderTests {
    private func isReadAsWritten<O: Order & Equatable>(_ order: O) throws -> Bool {
        try O.call.read(O.call.written(order).body) == order
    }

    @Test func `reads what it wrote`() throws {
        var wish = WebhookManager.Order()
        wish.url = "https://shop.example/h"
        wish.types = ["session.*", "ping"]
        wish.hasKeyPair = true
        wish.includes = [.phoneNumber, .statement]
        wish.format = .cloudevents
        wish.ordering = .session
        wish.hasHandshake = true
        let shop = try #require(ClientID("shop"))
        let endpoint = WebhookEndpointID(bits: 7)
        #expect(try isReadAsWritten(AddWebhook(client: shop, wish: wish)))
        #expect(try isReadAsWritten(AddWebhook(client: shop, wish: WebhookManager.Order())))
        #expect(try isReadAsWritten(TestWebhook(endpoint: endpoint)))
        #expect(try isReadAsWritten(RotateWebhook(endpoint: endpoint, isForced: true)))
        #expect(try isReadAsWritten(ReplayWebhooks(replay: .event(WebhookEventID(bits: 8)))))
        let since = WebhookReplay.missed(since: Timestamp(milliseconds: 5))
        #expect(try isReadAsWritten(ReplayWebhooks(replay: since, endpoint: endpoint)))
        #expect(try isReadAsWritten(ListDeliveries(state: .failed, limit: 3)))
        #expect(try isReadAsWritten(ListWebhooks(client: nil)))
    }

    static let malformed: [(order: any Order.Type, body: String)] = [
        (AddWebhook.self, "{}"), (AddWebhook.self, #"{"client":"a b"}"#), (TestWebhook.self, "{}"),
        (TestWebhook.self, #"{"endpoint":"x"}"#), (ReplayWebhooks.self, "{}"),
        (ReplayWebhooks.self, #"{"event":"x"}"#), (ListDeliveries.self, #"{"limit":0}"#),
        (ListDeliveries.self, #"{"limit":201}"#), (ListDeliveries.self, #"{"state":"lost"}"#),
        (ListWebhooks.self, "[]"), (ListWebhooks.self, ""), (ListWebhooks.self, #"{"other":1}"#),
        (AddWebhook.self, #"{"client":"a","key":"rsa"}"#), (AddWebhook.self, #"{"client":"a","format":"x"}"#),
    ]

    @Test(arguments: malformed.indices) func `takes no malformed order`(index: Int) {
        func read<O: Order>(_ order: O.Type, _ body: String) throws { _ = try O.call.read(Array(body.utf8)) }
        let (order, body) = Self.malformed[index]
        #expect(throws: Administrator.Refusal.self, "\(body)") { try read(order, body) }
    }
}
