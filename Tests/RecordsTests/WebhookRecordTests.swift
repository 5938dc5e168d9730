import TestSupport
import Testing

@testable import Possession
@testable import Records

@Suite struct WebhookRecordTests {
    private static let id = WebhookEndpointID(bits: 7)

    private static func columns() throws -> WebhookEndpoint.Columns {
        .init(
            clientID: try #require(ClientID("acme")), createdAt: Sample.now, stop: nil, stoppedAt: nil,
            failingSince: nil, failures: 0)
    }

    /// Record that a version has written of an endpoint that asks for all there was.
    private static func sealed(version: UInt8, flags: Int) throws -> [UInt8] {
        var record = RecordWriter(version...version, expecting: 64)
        record.text("https://a.example/h")
        record.integer(1)
        record.text("session.*")
        for _ in 0..<flags { record.flag(true) }
        record.choice(WebhookEndpoint.Format.cloudevents)
        record.choice(WebhookEndpoint.Ordering.session)
        if version >= 4 { record.flag(true) }
        record.bytes([1, 2])
        record.bytes(nil)
        record.time(nil)
        let column: StaticString = "webhook_endpoints.endpoint_sealed"
        return try Sealing.fake.seal(try record.finished(column), SealingContext(column, row: id).bytes)
    }

    @Test(arguments: UInt8(1)...4)
    func `reads what each version has written of an endpoint`(version: UInt8) throws {
        let all: [WebhookEndpoint.Inclusion] = [.phoneNumber, .statement, .server]
        let includes = Set(all.prefix(Int(version)))
        let endpoint = try WebhookEndpoint(
            Self.id, Self.columns(), sealed: Self.sealed(version: version, flags: includes.count), with: .fake)
        #expect(endpoint.hasHandshake == (version >= 4))
        #expect(endpoint.includes == includes && endpoint.ordering == .session && endpoint.keys.secret == [1, 2])
        let again = try WebhookEndpoint(
            Self.id, Self.columns(), sealed: endpoint.sealed(with: .fake), with: .fake)
        #expect(again == endpoint)
    }

    @Test(arguments: WebhookEndpoint.Format.allCases)
    func `keeps every format of an endpoint`(format: WebhookEndpoint.Format) throws {
        let columns = try Self.columns()
        let endpoint = WebhookEndpoint(
            id: Self.id, clientID: columns.clientID, url: "https://a.example/h", filter: try WebhookFilter(["*"]),
            format: format, keys: .init(secret: [1], seed: nil), createdAt: columns.createdAt)
        let again = try WebhookEndpoint(Self.id, columns, sealed: endpoint.sealed(with: .fake), with: .fake)
        #expect(again.format == format && again == endpoint)
    }

    @Test func `gives back an event about an address`() throws {
        let id = WebhookEventID(bits: 9)
        let target = try #require(Target("Ada@example.com"))
        let news = WebhookNews(.sessionFailed, at: Sample.now, of: target, [.text("reason", "denied")])
        let sealed = try news.sealed(for: id, with: .fake)
        #expect(try WebhookNews(id, .sessionFailed, at: Sample.now, session: nil, sealed: sealed, with: .fake) == news)
    }

    @Test func `gives back an event with what the backend keeps with the session`() throws {
        let id = WebhookEventID(bits: 9)
        let map = SessionMetadata([.init("order", "7"), .init("", "Zoë")])
        let news = WebhookNews(.messageSent, at: Sample.now, [WebhookFact("metadata", .map(map))])
        let sealed = try news.sealed(for: id, with: .fake)
        let again = try WebhookNews(id, .messageSent, at: Sample.now, session: nil, sealed: sealed, with: .fake)
        #expect(again == news && again.metadata == map)
    }

    @Test func `reads an event that was written before there were callbacks`() throws {
        let id = WebhookEventID(bits: 9)
        let column: StaticString = "webhook_events.event_sealed"
        var record = RecordWriter(1...1, expecting: 64)
        record.number(Sample.number)
        record.integer(1)
        record.text("reason")
        record.integer(0)
        record.text("denied")
        let sealed = try Sealing.fake.seal(try record.finished(column), SealingContext(column, row: id).bytes)
        let news = WebhookNews(.sessionFailed, at: Sample.now, of: .number(Sample.number), [.text("reason", "denied")])
        #expect(try WebhookNews(id, .sessionFailed, at: Sample.now, session: nil, sealed: sealed, with: .fake) == news)
    }
}
