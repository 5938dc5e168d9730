import HTTPServer
import StrictJSON
import TestSupport
import Testing
import Text

@testable import Engine
@testable import Possession
@testable import PreludeSurface
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Events in Prelude's words, byte for byte.
@Suite struct PreludeWebhooksTests {
    private static let now = Timestamp(milliseconds: 1_767_225_603_214)
    private static let event = WebhookEventID("0198f0c2-7d3a-7b1e-9a55-000000000001")!
    private static let message = "0198f0c2-7d3a-7b1e-9a55-000000000002"
    private static let session = CorrelationID("0198f0c2-7d3a-7b1e-9a55-1c2d3e4f5a6b")!

    private static func event(
        _ type: WebhookEventType, product: String = "prelude", reference: String? = "order-7",
        target: Possession.Target? = Possession.Target("+12015550123"), session: CorrelationID? = session,
        client: String = "shop", _ facts: [WebhookFact?] = [.text("messageId", message)]
    ) -> WebhookEvent {
        let common: [WebhookFact?] = [.text("clientRequestId", reference), .text("product", product)]
        let news = WebhookNews(type, at: now, session: session, of: target, common + facts)
        return WebhookEvent(id: event, clientID: ClientID(client)!, news: news, sequence: 4)
    }

    private static func posting(_ event: WebhookEvent) throws -> WebhookPosting? {
        let endpoint = WebhookEndpoint(
            id: WebhookEndpointID(bits: 1), clientID: ClientID("shop")!, url: "https://shop.example/h",
            filter: try WebhookFilter(["*"]), format: .prelude, keys: .init(secret: [1], seed: nil), createdAt: now)
        let dialect = PreludeWebhooks { (body) throws(TokenFault) in
            try PlayedWebhookKeys().signWebhook(body, at: now)
        }
        return try dialect.posting(event, to: endpoint, keys: [endpoint.keys])
    }

    private static func body(_ event: WebhookEvent) throws -> String? {
        try posting(event).map { String(decoding: $0.body, as: UTF8.self) }
    }

    private static let common = #"""
        "metadata":{"correlation_id":"order-7"},"target":{"type":"phone_number","value":"+12015550123"},\#
        "time":"2026-01-01T00:00:03.214Z","verification_id":"vrf_01k3rc4z9tfcf9mn8w5mz4ypkb"},\#
        "client_id":"shop","created_at":"2026-01-01T00:00:03.214Z"}
        """#
    private static let attempt = "att_01k3rc4z9tfcf9mn8000000002"

    private static func start(_ type: String) -> String {
        #"{"id":"evt_01k3rc4z9tfcf9mn8000000001","type":"\#(type)","payload":{"#
    }

    /// One key signs for all API clients: an event of one must not pass for another's.
    @Test func `the signed bytes name the API client`() throws {
        let own = try #require(try Self.posting(Self.event(.sessionCreated, [])))
        let other = try #require(try Self.posting(Self.event(.sessionCreated, client: "other", [])))
        for (posting, client) in [(own, "shop"), (other, "other")] {
            #expect(try JSONObject.parse(posting.body)["client_id"]?.string == client)
        }
        #expect(own.body != other.body)
    }

    @Test func `a verification that begins`() throws {
        #expect(
            try Self.body(Self.event(.sessionCreated, [])) == Self.start("verify.authentication") + Self.common)
    }

    @Test func `a message that goes out, and one that no carrier takes`() throws {
        let sent = [WebhookFact.text("messageId", Self.message), .text("channel", "whatsapp"), .text("gateway", "a")]
        #expect(
            try Self.body(Self.event(.messageSent, sent)) == Self.start("verify.attempt")
                + #""id":"\#(Self.attempt)","delivery_status":"submitted","channel":"whatsapp","# + Self.common)
        #expect(
            try Self.body(Self.event(.messageFailed)) == Self.start("verify.attempt")
                + #""id":"\#(Self.attempt)","delivery_status":"undeliverable","# + Self.common)
    }

    @Test(arguments: [(WebhookEventType.messageDelivered, "delivered"), (.messageUndelivered, "undeliverable")])
    func `what a carrier says of a message`(type: WebhookEventType, status: String) throws {
        #expect(
            try Self.body(Self.event(type)) == Self.start("verify.delivery_status")
                + #""id":"dls_01k3rc4z9tfcf9mn8000000001","attempt_id":"\#(Self.attempt)","status":"\#(status)","#
                + Self.common)
    }

    @Test func `a verification of an address`() throws {
        let target = Possession.Target("Ada@example.com")
        let body = try #require(try Self.body(Self.event(.sessionCreated, target: target, [])))
        #expect(body.contains(#""target":{"type":"email_address","value":"Ada@example.com"}"#))
    }

    @Test func `a verification without a name of the backend's has no metadata`() throws {
        let body = try #require(try Self.body(Self.event(.sessionCreated, reference: nil, [])))
        #expect(body.contains(#""payload":{"target""#))
    }

    @Test func `the signature is over the bytes of the body, and the only header of its own`() throws {
        let posting = try #require(try Self.posting(Self.event(.messageSent)))
        #expect(posting.headers.map(\.name) == ["Content-Type", "X-Webhook-Signature"])
        #expect(
            posting.headers.map(\.value) == ["application/json", "rsassa-pss-sha256=signed-\(posting.body.count)"])
    }

    @Test(arguments: WebhookEventType.allCases)
    func `has words for exactly the events that its endpoints are told of`(type: WebhookEventType) throws {
        for product in ["prelude", "prelude2", "unify"] {
            let event = Self.event(type, product: product)
            #expect(try (Self.posting(event) != nil) == WebhookEndpoint.Format.prelude.tells(of: event.news))
        }
        #expect(WebhookEndpoint.Format.standard.tells(of: Self.event(type).news))
    }

    @Test func `has no word for what lacks its session, its number or its message`() throws {
        #expect(try Self.posting(Self.event(.sessionCreated, session: nil)) == nil)
        #expect(try Self.posting(Self.event(.sessionCreated, target: nil)) == nil)
        #expect(try Self.posting(Self.event(.messageSent, [])) == nil)
        #expect(try Self.posting(Self.event(.messageSent, [.text("messageId", "x")])) == nil)
    }
}
