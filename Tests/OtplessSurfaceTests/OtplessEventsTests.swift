import HTTPServer
import Sandbox
import StrictJSON
import TestSupport
import Testing

@testable import OtplessSurface
@testable import Engine
@testable import Possession
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Events of whole requests, as endpoints of the format `otpless` are told them.
@Suite struct OtplessEventsTests {
    private func add(
        _ otpless: OtplessWorld, format: String = "otpless", types: String = #"["*"]"#, as client: String = "sandbox"
    ) async throws -> WebhookEndpointID {
        let answer = await otpless.world.post(
            "/v1/webhooks", #"{"url":"https://shop.example/\#(format)","types":\#(types),"format":"\#(format)"}"#,
            as: client)
        #expect(answer.json["format"]?.string == format, "\(answer.text)")
        return try #require(WebhookEndpointID(name: answer.json["id"]?.string ?? ""))
    }

    /// The events of an endpoint, in their order.
    private func told(_ otpless: OtplessWorld, at id: WebhookEndpointID) async throws -> [WebhookNews] {
        try await otpless.world.store.webhookDeliveries(at: id, of: nil, in: nil, limit: 100)
            .sorted { ($0.event.sequence ?? 0) < ($1.event.sequence ?? 0) }.map(\.event.news)
    }

    /// Says what became of a message.
    private func tell(_ otpless: OtplessWorld, _ end: MessageReceipt.End, of place: Int) async throws {
        let receipts = ReceiptService(otpless.world.engine)
        let token = try #require(otpless.world.gateway.sent[place].receiptToken?("one"))
        let subject = try #require(receipts.message(of: token, from: "one"))
        #expect(try await receipts.take(MessageReceipt(end), for: subject, from: "one"))
    }

    @Test func `a request that falls back to a text message and succeeds`() async throws {
        let otpless = try await OtplessWorld.ofAnyNumber()
        otpless.world.gateway.take(routes: ["one"])
        let (own, foreign) = (try await add(otpless), try await add(otpless, as: "sandbox-2"))
        let more = #","channels":["WHATSAPP","SMS"],"metadata":{"order":"7","shop":"Zoë"}"#
        let id = await otpless.initiate("+12015550123", more).requestID
        try await tell(otpless, .undelivered, of: 0)
        try await tell(otpless, .delivered, of: 1)
        let code = try #require(otpless.sentCodes.last ?? nil)
        #expect(await otpless.verify("000000", id).status == 400)
        #expect(await otpless.verify(code, id).status == 200)

        let news = try await told(otpless, at: own)
        let (first, second) = (WebhookFact.text("channel", "whatsapp"), WebhookFact.text("channel", "sms"))
        let expected: [(WebhookEventType, WebhookFact?)] = [
            (.sessionCreated, nil), (.messageSent, first), (.messageUndelivered, first),
            (.messageChannelChanged, .text("fromChannel", "whatsapp")), (.messageSent, second),
            (.messageDelivered, second), (.sessionSucceeded, .text("method", "otp")),
        ]
        try #require(news.map(\.type) == expected.map(\.0))
        for (item, (_, fact)) in zip(news, expected) {
            if let fact { #expect(item.facts.contains(fact)) }
            #expect(item.session?.text == id && item.target?.text == "+12015550123")
            #expect(item.metadata == SessionMetadata([.init("order", "7"), .init("shop", "Zoë")]))
            #expect(item.texts("channels") == ["whatsapp", "sms"] && item.texts("checks") == ["otp"])
        }
        #expect(news[3].text("toChannel") == "sms")
        #expect(try await told(otpless, at: foreign).isEmpty)
    }

    @Test func `a channel that is refused at once is told as changed, and the preferred one is not`() async throws {
        let otpless = try await OtplessWorld.ofAnyNumber()
        let own = try await add(otpless, types: #"["message.*"]"#)
        otpless.world.gateway.take(routes: ["one"], over: [.sms])
        _ = await otpless.initiate("+12015550123", #","channels":["WHATSAPP","SMS"]"#)
        let changed = try await told(otpless, at: own)
        #expect(changed.map(\.type) == [.messageChannelChanged, .messageSent])
        let change = try #require(changed.first)
        #expect(change.text("fromChannel") == "whatsapp" && change.text("toChannel") == "sms")
        _ = await otpless.initiate("+12015550124", #","channels":["SMS"]"#)
        #expect(try await told(otpless, at: own).map(\.type).suffix(1) == [.messageSent])
        #expect(try await told(otpless, at: own).count == 3)
    }

    @Test func `a code to an address changes no channel`() async throws {
        var options = World.Options()
        options.emails = SandboxEmails(World.users)
        let otpless = try await OtplessWorld(options)
        let own = try await add(otpless, types: #"["message.*","session.created"]"#)
        let answer = await otpless.post("/auth/v1/initiate/otp", #"{"email":"ada@example.com"}"#)
        #expect(answer.status == 200)
        let news = try await told(otpless, at: own)
        #expect(news.map(\.type) == [.sessionCreated, .messageSent])
        #expect(news.first?.texts("channels") == ["email"])
    }

    @Test func `a link is told once it is tapped, and its success once its code is redeemed`() async throws {
        let otpless = try await OtplessWorld()
        let own = try await add(otpless)
        #expect(await otpless.sendLink().status == 200)
        _ = await otpless.tap()
        let code = try #require(await otpless.tap().givenCode)
        let before: [WebhookEventType] = [.sessionCreated, .messageSent, .linkTapped]
        #expect(try await told(otpless, at: own).map(\.type) == before)
        #expect(await otpless.verifyCode(code).status == 200)
        let news = try await told(otpless, at: own)
        #expect(news.map(\.type) == before + [.sessionSucceeded])
        #expect(news.last?.text("method") == "link" && news.allSatisfy { $0.texts("checks") == ["link"] })
    }

    @Test func `a silent proof is told before the success, with what the caller has named it`() async throws {
        let otpless = try await OtplessWorld()
        let own = try await add(otpless)
        otpless.world.carrier.answer(.success(.verified(true)))
        let begun = await otpless.sna(OtplessWorld.lorant, #","correlationId":"login-1","metadata":{"order":"7"}"#)
        #expect(await otpless.hop(try await otpless.follow(begun.link)).status == 200)
        let news = try await told(otpless, at: own)
        #expect(news.map(\.type) == [.sessionCreated, .checkPassed, .sessionSucceeded])
        for item in news {
            #expect(item.texts("checks") == ["mobile_auth"] && item.text("clientRequestId") == "login-1")
            #expect(item.metadata == SessionMetadata([.init("order", "7")]))
        }
    }

    @Test(arguments: [(60, 300, "not_opened"), (30, 30, nil)])
    func `a link that nobody opens fails, or its request expires first`(
        seconds: Int64, expiry: Int, reason: String?
    ) async throws {
        let otpless = try await OtplessWorld()
        let own = try await add(otpless)
        let id = await otpless.sna(OtplessWorld.lorant, #","expiry":\#(expiry)"#).requestID
        _ = otpless.world.clock.advance(seconds: seconds)
        #expect(await otpless.factor(id) == ["FAILED", "SP40012"])
        let news = try await told(otpless, at: own)
        #expect(news.map(\.type) == [.sessionCreated, reason == nil ? .sessionExpired : .checkFailed])
        #expect(news.last?.text("reason") == reason)
    }

    @Test func `other formats are told of metadata too, and other surfaces know none`() async throws {
        let otpless = try await OtplessWorld()
        let standard = try await add(otpless, format: "standard", types: #"["session.created"]"#)
        let own = try await add(otpless)
        _ = await otpless.initiate(OtplessWorld.lorant, #","metadata":{"order":"7"}"#)
        _ = await otpless.initiate()
        _ = await otpless.world.start(World.mobile)
        let news = try await told(otpless, at: standard)
        #expect(news.count { $0.metadata == SessionMetadata([.init("order", "7")]) } == 1)
        #expect(news.count { $0.metadata.isEmpty } == 2 && news.count { $0.texts("channels").isEmpty } == 1)
        #expect(try await told(otpless, at: own).allSatisfy { $0.text("product") == "otpless" })
    }

    @Test func `a session of another surface tells what of it passed, to whom that asks`() async throws {
        let otpless = try await OtplessWorld()
        let asked = try await add(otpless, format: "standard", types: #"["check.*"]"#)
        let rest = try await add(otpless, format: "standard")
        let started = await otpless.world.start(World.mobile)
        let app = App(otpless.world, started)
        _ = await app.redeem()
        #expect(await app.post("/otp").status == 200)
        let code = try #require(otpless.sentCodes.last ?? nil)
        #expect(await app.post("/otp/verify", #"{"code":"\#(code)"}"#).status == 200)
        let news = try await told(otpless, at: asked)
        #expect(news.last?.type == .checkPassed && news.last?.text("method") == "otp")
        #expect(try await told(otpless, at: rest).allSatisfy { !$0.type.rawValue.hasPrefix("check.") })
    }
}
