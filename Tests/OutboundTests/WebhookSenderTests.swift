import Locks
import Engine
import Possession
import StrictJSON
import Testing
import Text

@testable import Outbound

/// One attempt at an endpoint: what goes out, and what the answer comes to.
@Suite struct WebhookSenderTests {
    private static let now = Timestamp(milliseconds: 1_767_225_603_214)
    private static let number = PhoneNumber(e164: "+12015550123")!
    private static let session = CorrelationID("0198f0c2-7d3a-7b1e-9a55-1c2d3e4f5a6b")!

    private static func event() -> WebhookEvent {
        WebhookEvent(
            id: WebhookEventID("0198f0c2-7d3a-7b1e-9a55-000000000001")!, clientID: ClientID("shop")!,
            news: WebhookNews(
                .sessionSucceeded, at: now, session: session, of: .number(number),
                [
                    WebhookFact("method", .text("otp")), WebhookFact("tries", .integer(2)),
                    WebhookFact("evaluation", .texts(["R1", "R2"])),
                    WebhookFact("expiresAt", .time(Timestamp(seconds: 1_767_225_600))),
                    WebhookFact("metadata", .map(SessionMetadata([.init("order", "7")]))),
                ]), sequence: 4)
    }

    private static func endpoint(
        includes: Set<WebhookEndpoint.Inclusion> = [], format: WebhookEndpoint.Format = .standard,
        hasHandshake: Bool = false
    ) throws -> WebhookEndpoint {
        WebhookEndpoint(
            id: WebhookEndpointID(bits: 1), clientID: ClientID("shop")!, url: "https://shop.example/h?token=1",
            filter: try WebhookFilter(["*"]), includes: includes, format: format,
            hasHandshake: hasHandshake,
            keys: .init(secret: Array("secret".utf8), seed: nil), createdAt: now)
    }

    private static let signing = WebhookSigning(
        mac: { _, message in message }, sign: { (seed, _) throws(TokenFault) in seed },
        publicKey: { (seed) throws(TokenFault) in seed }, subject: { client, _ in "s_" + client.text })

    private func sender(_ send: @escaping OutboundSend) -> WebhookSender {
        let standard = StandardWebhooks(
            body: WebhookBody(mode: "live", publicURL: "https://me.example", subject: Self.signing.subject),
            signing: Self.signing, now: { Self.now })
        return WebhookSender(
            dialects: [.standard: standard, .cloudevents: standard], origin: "me.example",
            addresses: .publicAnd(AddressRanges()), send: send)
    }

    private func sent(_ endpoint: WebhookEndpoint) async throws -> OutboundRequest {
        let requests = Locked<[OutboundRequest]>([])
        let sender = sender { (request) throws(OutboundFault) in
            requests.withLock { $0.append(request) }
            return OutboundResponse(status: 200)
        }
        #expect(await sender.attempt(Self.event(), at: endpoint, keysAt: Self.now) == .taken(200))
        return try #require(requests.withLock { $0.first })
    }

    @Test func `sends a thin body, signed byte for byte`() async throws {
        let request = try await sent(try Self.endpoint())
        let body = """
            {"type":"session.succeeded","timestamp":"2026-01-01T00:00:03.214Z","data":{\
            "sessionId":"0198f0c2-7d3a-7b1e-9a55-1c2d3e4f5a6b","correlationId":"0198f0c2-7d3a-7b1e-9a55-1c2d3e4f5a6b",\
            "mode":"live","sequence":4,"method":"otp","tries":2,"evaluation":["R1","R2"],\
            "expiresAt":"2026-01-01T00:00:00.000Z","metadata":{"order":"7"},"phoneNumberHint":"+1•••0123","subject":"s_shop"}}
            """
        #expect(String(decoding: request.body, as: UTF8.self) == body)
        let headers = Dictionary(uniqueKeysWithValues: request.headers.map { ($0.name, $0.value) })
        #expect(headers["webhook-id"] == "evt_0198f0c2-7d3a-7b1e-9a55-000000000001")
        #expect(headers["webhook-timestamp"] == "1767225603")
        #expect(headers["Content-Type"] == "application/json")
        // The fake signature is what was signed.
        let signed = Array("evt_0198f0c2-7d3a-7b1e-9a55-000000000001.1767225603.\(body)".utf8)
        #expect(headers["webhook-signature"] == "v1," + Base64.encode(signed))
        #expect(request.timeout == .seconds(15) && request.maxResponseBytes == 4096 && request.takesBeginning)
        #expect(request.addresses == .publicAnd(AddressRanges()))
    }

    @Test(arguments: [false, true])
    func `tells an address masked, and whole where the endpoint asks for it`(isWhole: Bool) throws {
        let target = try #require(Target("Ada@example.com"))
        let news = WebhookNews(.sessionFailed, at: Self.now, session: Self.session, of: target)
        let event = WebhookEvent(id: WebhookEventID(bits: 2), clientID: ClientID("shop")!, news: news)
        let body = WebhookBody(mode: "live", publicURL: "https://me.example", subject: Self.signing.subject)
        let endpoint = try Self.endpoint(includes: isWhole ? [.phoneNumber] : [])
        let bytes = try #require(body.bytes(event, for: endpoint))
        let data = try JSONObject.parse(bytes)["data"]?.object
        #expect(data?["emailAddressHint"]?.string == "A***@e***.com" && data?["subject"]?.string == "s_shop")
        #expect(data?["emailAddress"]?.string == (isWhole ? "Ada@example.com" : nil))
        #expect(data?["phoneNumberHint"] == nil && data?["phoneNumber"] == nil)
    }

    @Test func `names who sends where the receiver had to agree`() async throws {
        func origin(_ endpoint: WebhookEndpoint) async throws -> String? {
            try await sent(endpoint).headers.first { $0.name == "WebHook-Request-Origin" }?.value
        }
        #expect(try await origin(Self.endpoint(format: .cloudevents, hasHandshake: true)) == "me.example")
        #expect(try await origin(Self.endpoint(format: .cloudevents)) == nil)
    }

    @Test(arguments: [(UInt128(1), "https://shop.example/h/done"), (2, "https://shop.example/h?token=1")])
    func `goes where the session's backend wished to be called, at its endpoint alone`(
        endpoint: UInt128, url: String
    ) async throws {
        let callback = SessionRequest.Callback(
            endpoint: WebhookEndpointID(bits: endpoint), url: "https://shop.example/h/done")
        let news = WebhookNews(.sessionFailed, at: Self.now, session: Self.session, callback: callback)
        let event = WebhookEvent(id: WebhookEventID(bits: 2), clientID: ClientID("shop")!, news: news, sequence: 1)
        let sender = sender { (request) throws(OutboundFault) in
            #expect(request.url == url && request.addresses == .publicAnd(AddressRanges()))
            return OutboundResponse(status: 200)
        }
        #expect(await sender.attempt(event, at: try Self.endpoint(), keysAt: Self.now) == .taken(200))
    }

    @Test func `shows the whole number only to an endpoint that asks for it`() async throws {
        for includesNumber in [false, true] {
            let body = String(
                decoding: try await sent(try Self.endpoint(includes: includesNumber ? [.phoneNumber] : [])).body,
                as: UTF8.self)
            #expect(body.contains("+12015550123") == includesNumber)
        }
    }

    @Test func `states a success to an endpoint that asks for it, for its own origin`() throws {
        let asked = Locked<[PossessionStatement]>([])
        let body = WebhookBody(
            mode: "live", publicURL: "https://me.example", subject: Self.signing.subject,
            statement: { statement in
                asked.withLock { $0.append(statement) }
                return "signed"
            })
        func data(_ event: WebhookEvent, _ includes: Set<WebhookEndpoint.Inclusion>) throws -> JSONObject? {
            try body.bytes(event, for: try Self.endpoint(includes: includes)).map { try JSONObject.parse($0) }?["data"]?
                .object
        }
        #expect(try data(Self.event(), [.phoneNumber])?["statement"] == nil)
        #expect(try data(Self.event(), [.statement])?["statement"] == "signed")
        let other = PossessionStatement(
            audience: "https://shop.example", clientID: ClientID("shop")!, session: Self.session,
            number: Self.number, method: .otp, provenAt: Self.now)
        #expect(asked.withLock { $0 } == [other])
        // A success without a check, and what is no success.
        for (type, method) in [(WebhookEventType.sessionSucceeded, "none"), (.sessionFailed, "otp")] {
            let news = WebhookNews(
                type, at: Self.now, session: Self.session, of: .number(Self.number),
                [WebhookFact("method", .text(method))])
            let event = WebhookEvent(id: WebhookEventID(bits: 2), clientID: ClientID("shop")!, news: news, sequence: 1)
            #expect(try data(event, [.statement])?["statement"] == nil)
        }
    }

    @Test func `wraps the event as a CloudEvent where the endpoint wants it`() async throws {
        let request = try await sent(try Self.endpoint(format: .cloudevents))
        let body = String(decoding: request.body, as: UTF8.self)
        #expect(
            body.hasPrefix(
                """
                {"specversion":"1.0","id":"evt_0198f0c2-7d3a-7b1e-9a55-000000000001","source":"https://me.example",\
                "type":"com.holdfast.session.succeeded","subject":"0198f0c2-7d3a-7b1e-9a55-1c2d3e4f5a6b",\
                "time":"2026-01-01T00:00:03.214Z","datacontenttype":"application/json","data":{
                """))
        #expect(request.headers.contains { $0.name == "Content-Type" && $0.value == "application/cloudevents+json" })
    }

    @Test func `takes 2xx for a success and nothing else`() async throws {
        for (response, expected) in [
            (OutboundResponse(status: 200), WebhookAttempt.taken(200)), (OutboundResponse(status: 299), .taken(299)),
            (
                OutboundResponse(status: 302, headers: [("Location", "http://10.0.0.1/")]),
                .init(status: 302, failure: .status)
            ),
            (OutboundResponse(status: 410), .init(status: 410, failure: .status)),
            (
                OutboundResponse(status: 429, headers: [("Retry-After", "3600")]),
                .init(status: 429, failure: .status, wish: .seconds(3600))
            ),
            (
                OutboundResponse(status: 503, headers: [("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT")]),
                .init(status: 503, failure: .status)
            ),
            (
                OutboundResponse(status: 500, headers: [("Webhook-Delivery", "abort-message")]),
                .init(status: 500, failure: .aborted)
            ),
        ] {
            let sender = sender { (_) throws(OutboundFault) in response }
            #expect(await sender.attempt(Self.event(), at: try Self.endpoint(), keysAt: Self.now) == expected)
        }
    }

    @Test func `tells the kind of a fault and nothing else of it`() async throws {
        for (fault, expected) in [
            (OutboundFault.timeout, WebhookAttempt.Failure.timeout), (.connect, .refused), (.tls, .tls),
            (.broken, .broken), (.tooLarge, .broken), (.failed(reason: "x"), .broken),
        ] {
            let sender = sender { (_) throws(OutboundFault) in throw fault }
            let attempt = await sender.attempt(Self.event(), at: try Self.endpoint(), keysAt: Self.now)
            #expect(attempt == WebhookAttempt(status: nil, failure: expected))
        }
    }

    // MARK: Over sockets

    private func request(_ url: String, allowed: AddressRanges = AddressRanges()) -> OutboundRequest {
        var request = OutboundRequest(
            method: "GET", url: url, timeout: .seconds(5), maxResponseBytes: 8,
            addresses: .publicAnd(allowed))
        request.takesBeginning = true
        return request
    }

    @Test(arguments: ["localhost", "127.0.0.1", "127.1", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]", "0"])
    func `reaches this machine by no spelling unless its network is listed`(host: String) async throws {
        let server = try CountingServer { _ in CountingServer.ok }
        let client = OutboundHTTP()
        let url = "http://\(host):\(server.port)/"
        await #expect(throws: OutboundFault.connect) { _ = try await client.send(self.request(url)) }
        #expect(server.connections == 0)
        await client.shutdown()
    }

    @Test func `reaches a network that is listed`() async throws {
        let server = try CountingServer { _ in CountingServer.ok }
        let client = OutboundHTTP()
        let allowed = try AddressRanges(list: "127.0.0.0/8")
        let answer = try await client.send(request("http://127.0.0.1:\(server.port)/", allowed: allowed))
        #expect(answer.status == 200)
        await client.shutdown()
    }

    @Test func `takes the status of an answer that is longer than anybody reads`() async throws {
        let long = String(repeating: "a", count: 100_000)
        let server = try PlainServer(
            answering: "HTTP/1.1 200 Fine\r\nContent-Length: 1000000000\r\n\r\n\(long)")
        let client = OutboundHTTP()
        let answer = try await client.send(
            request("http://127.0.0.1:\(server.port)/", allowed: try AddressRanges(list: "127.0.0.1")))
        #expect(answer.status == 200 && answer.body.count <= 8)
        await client.shutdown()
    }

    @Test(arguments: ["204 No Content", "200 OK", "410 Gone"])
    func `takes the status of an answer whose body breaks off or never ends`(status: String) async throws {
        let head = "HTTP/1.1 \(status)\r\nContent-Length: 7\r\n\r\n"
        for answer in [CountingServer.Answer.last(head + "ok"), .bytes(head + "ok"), .bytes(head)] {
            let server = try CountingServer { _ in answer }
            let client = OutboundHTTP()
            var request = request(server.base, allowed: try AddressRanges(list: "127.0.0.1"))
            // For those that never end.
            request.timeout = .seconds(1)
            let response = try await client.send(request)
            #expect(status.hasPrefix(String(response.status)))
            await client.shutdown()
        }
    }

    @Test func `takes no status of a head that is not whole`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"
        for (answer, fault) in [(CountingServer.Answer.last(head), OutboundFault.broken), (.bytes(head), .timeout)] {
            let server = try CountingServer { _ in answer }
            let client = OutboundHTTP()
            var request = request(server.base, allowed: try AddressRanges(list: "127.0.0.1"))
            request.timeout = .seconds(1)
            let order = request
            await #expect(throws: fault) { _ = try await client.send(order) }
            await client.shutdown()
        }
    }
}
