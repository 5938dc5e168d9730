import HTTPServer
import Locks
import Sandbox
import StrictJSON
import TestSupport
import Testing

@testable import Engine
@testable import Possession
@testable import SurfaceTestSupport

/// A message that its carrier could not deliver goes by the next route, without anybody asking.
@Suite struct NextRouteTests {
    private struct Run {
        let world: World
        let receipts: ReceiptService
        let app: App
        let id: CorrelationID

        init(
            _ options: World.Options = World.Options(), routes: [String] = ["one", "two", "three"],
            _ prepare: (FakeGateway, Engine) -> Void = { _, _ in }
        ) async throws {
            world = try await World(options)
            world.gateway.take(routes: routes)
            prepare(world.gateway, world.engine)
            receipts = ReceiptService(world.engine)
            let started = await world.start(
                #"{"phoneNumber":"+12065550123","possessionType":"mobile","clientRequestId":"a"}"#)
            app = App(world, started)
            id = try #require(CorrelationID(started.correlationID))
            _ = await app.redeem()
            #expect(await app.post("/otp").status == 200)
        }

        /// Hands in the gateway's receipt for one of the messages.
        @discardableResult
        func tell(_ end: MessageReceipt.End?, of place: Int = 0, from gateway: String = "one") async throws -> Bool {
            let token = try #require(world.gateway.sent[place].receiptToken?(gateway))
            let subject = try #require(receipts.message(of: token, from: gateway))
            return try await receipts.take(MessageReceipt(end), for: subject, from: gateway, isTimed: true)
        }

        /// Lets the gateway's time for a receipt pass, and looks for what is overdue; how many messages were.
        func wait(seconds: Int64) async throws -> Int {
            _ = world.clock.advance(seconds: seconds)
            return try await receipts.noteOverdue()
        }

        func timeline() async throws -> [String] {
            try await world.store.events(of: id).map { "\($0.kind.rawValue) \($0.detail ?? "")" }
                .filter { $0.hasPrefix("otp_") || $0.hasPrefix("link_") || $0.hasPrefix("message_") }
        }

        var texts: [String] { world.gateway.sent.map(\.text) }
    }

    private static func options(_ change: (inout Possession.Limits) -> Void = { _ in }) -> World.Options {
        var options = World.Options()
        options.unknownNumbers = .simulate
        change(&options.limits)
        return options
    }

    @Test(arguments: [MessageReceipt.End.undelivered, .expired])
    func `the same code goes once by each route, and passes`(end: MessageReceipt.End) async throws {
        let run = try await Run(Self.options { $0.sendsPerSession = 5 })
        try await run.tell(end)
        try await run.tell(end, of: 1, from: "two")
        try await run.tell(end, of: 2, from: "three")
        #expect(run.texts.count == 3 && Set(run.texts).count == 1)
        #expect(run.world.gateway.sent.map { $0.avoids.map(\.gateway) } == [[], ["one"], ["one", "two"]])
        #expect(Set(run.world.gateway.sent.map(\.id)).count == 3)
        let code = try #require(run.world.gateway.sent[0].code?.text)
        #expect(
            try await run.timeline() == [
                "otp_sent first", "message_\(end.rawValue) one", "otp_sent next_route", "message_\(end.rawValue) two",
                "otp_sent next_route", "message_\(end.rawValue) three",
            ])
        #expect(await run.app.post("/otp/verify", #"{"code":"\#(code)"}"#).status == 200)
    }

    @Test func `a gateway that could not deliver on one channel sends on the other`() async throws {
        let run = try await Run(
            Self.options {
                $0.channels = [.whatsapp, .sms]
                $0.sendsPerSession = 5
            }, routes: ["one"])
        try await run.tell(.undelivered)
        try await run.tell(.undelivered, of: 1)
        #expect(run.world.gateway.sent.map(\.avoids) == [[], [ExcludedRoute("one", .whatsapp)]])
        let standings = try await InMemoryOutbox(run.world.store).standings(of: run.id)
        #expect(standings.map(\.channel) == [.whatsapp, .sms])
    }

    @Test func `what is told again, of a delivery or by somebody else sends nothing`() async throws {
        let run = try await Run(Self.options())
        for _ in 0..<3 { try await run.tell(.undelivered) }
        #expect(run.texts.count == 2)
        try await run.tell(.undelivered, of: 1, from: "three")
        try await run.tell(nil, of: 1, from: "two")
        try await run.tell(.delivered, of: 1, from: "two")
        try await run.tell(.undelivered, of: 1, from: "two")
        #expect(run.texts.count == 2)
    }

    @Test func `a receipt does not wake a client that waits, and a message by the next route does`() async throws {
        let run = try await Run(Self.options())
        func revision() async throws -> Int? { try await run.world.store.session(.correlation(run.id))?.revision }
        let before = try #require(try await revision())
        try await run.tell(.undelivered)
        #expect(try await revision() == before + 1)
        try await run.tell(.delivered, of: 1, from: "two")
        #expect(try await revision() == before + 1)
    }

    @Test func `receipts at once send one message`() async throws {
        let run = try await Run(Self.options())
        await withTaskGroup { group in
            for _ in 0..<16 { group.addTask { _ = try? await run.tell(.undelivered) } }
        }
        #expect(run.texts.count == 2)
    }

    /// A run whose first message has receipts of these gateways, in order, before the gateway "one" answers.
    private func early(
        _ receipts: [(gateway: String, end: MessageReceipt.End)], routes: [String] = ["one", "two", "three"]
    ) async throws -> Run {
        try await Run(Self.options(), routes: routes) { gateway, engine in
            gateway.beforeAnswer { message in
                guard message.ordinal == 0 else { return }
                let service = ReceiptService(engine)
                for (gateway, end) in receipts {
                    guard let token = message.receiptToken?(gateway),
                        let subject = service.message(of: token, from: gateway)
                    else { return }
                    _ = try? await service.take(MessageReceipt(end), for: subject, from: gateway)
                }
            }
        }
    }

    @Test(arguments: [MessageReceipt.End.undelivered, .expired])
    func `a failure that comes before the gateway's answer counts once the answer is there`(
        end: MessageReceipt.End
    ) async throws {
        let run = try await early([("one", end)])
        #expect(run.texts.count == 1)
        #expect(try await run.receipts.noteOverdue() == 1)
        #expect(run.texts.count == 2 && run.world.gateway.sent[1].avoids.map(\.gateway) == ["one"])
        #expect(
            try await run.timeline() == ["otp_sent first", "message_\(end.rawValue) one", "otp_sent next_route"])
        #expect(try await run.receipts.noteOverdue() == 0)
        try await run.tell(end)
        #expect(run.texts.count == 2)
    }

    @Test func `an early failure of a gateway that has not taken the message means nothing`() async throws {
        let run = try await early([("one", .undelivered), ("two", .undelivered)])
        #expect(try await run.receipts.noteOverdue() == 0 && run.texts.count == 1)
        try await run.tell(.undelivered)
        #expect(run.texts.count == 2 && run.world.gateway.sent[1].avoids.map(\.gateway) == ["one"])
    }

    @Test func `an early delivery ends the message`() async throws {
        let run = try await early([("two", .undelivered), ("one", .delivered)])
        #expect(try await run.receipts.noteOverdue() == 0)
        try await run.tell(.undelivered)
        #expect(run.texts.count == 1)
    }

    @Test func `an early failure without a next route gives the send back`() async throws {
        let run = try await early([("one", .undelivered)], routes: ["one"])
        #expect(try await run.receipts.noteOverdue() == 1)
        #expect(try await run.receipts.noteOverdue() == 0 && run.texts.count == 1)
    }

    @Test func `nothing goes where there is no next route, or the server is set so`() async throws {
        let single = try await Run(Self.options(), routes: ["one"])
        try await single.tell(.undelivered)
        let off = try await Run(Self.options { $0.sendsByNextRoute = false })
        try await off.tell(.undelivered)
        #expect(single.texts.count == 1 && off.texts.count == 1)
    }

    @Test func `nothing goes once the code is dead, used or void`() async throws {
        let late = try await Run(Self.options())
        _ = late.world.clock.advance(seconds: 120)
        try await late.tell(.undelivered)
        let done = try await Run(Self.options())
        #expect(await done.app.post("/cancel").status == 200)
        try await done.tell(.undelivered)
        #expect(late.texts.count == 1 && done.texts.count == 1)
        let again = try await Run(Self.options())
        #expect(await again.app.post("/otp/resend").status == 200)
        try await again.tell(.undelivered)
        #expect(again.texts.count == 2)
    }

    @Test func `it is one of the messages that the session may send`() async throws {
        let run = try await Run(Self.options { $0.sendsPerSession = 2 })
        try await run.tell(.undelivered)
        try await run.tell(.undelivered, of: 1, from: "two")
        #expect(run.texts.count == 2)
        #expect(await run.app.post("/otp/resend").status == 403)
    }

    @Test func `it counts for limits and budgets, and need not wait`() async throws {
        var limited = World.limited {
            $0.secondsBetweenSends = 30
            $0.spend.perTenantPerDay = 2 * SpendGuard.unit
        }
        limited.limits.sendsPerSession = 5
        let run = try await Run(limited)
        try await run.tell(.undelivered)
        #expect(run.texts.count == 2)
        try await run.tell(.undelivered, of: 1, from: "two")
        #expect(run.texts.count == 2 && run.world.hits.withLock { $0 } == [.budgetPerTenant])
        // The end is noted all the same, and not taken again.
        #expect(try await run.timeline().last == "message_undelivered two")
    }

    /// The caller is charged once, and gets it back when no route was left.
    @Test func `it stands in the place of the message before among those that are not answered`() async throws {
        var limited = World.limited()
        limited.limits.sendsPerSession = 2
        let run = try await Run(limited)
        let number = try #require(PhoneNumber(e164: "+12065550123"))
        let account = MessageAccount(
            .number(number), from: MessageSource(nil), of: try #require(ClientID("sandbox")),
            country: run.world.engine.network.numbers.country(of: number))
        func unanswered() async throws -> [Int] {
            try await run.world.store.tallies([account.inPrefix])[account.inPrefix]?.open.map(\.messages) ?? []
        }
        #expect(try await unanswered() == [1])
        try await run.tell(.undelivered)
        #expect(try await unanswered() == [1])
        #expect(run.texts.count == 2)
        try await run.tell(.undelivered, of: 1, from: "two")
        #expect(try await unanswered() == [])
        #expect(run.texts.count == 2)
    }

    @Test func `one that no carrier takes is given back, and the code waits`() async throws {
        let run = try await Run(Self.options { $0.sendsPerSession = 2 })
        run.world.gateway.refuse(true)
        try await run.tell(.undelivered)
        run.world.gateway.refuse(false)
        #expect(try await run.timeline().last == "otp_send_failed ")
        let code = try #require(run.world.gateway.sent[0].code?.text)
        #expect(await run.app.post("/otp/verify", #"{"code":"\#(code)"}"#).status == 200)
        let other = try await Run(Self.options { $0.sendsPerSession = 2 })
        other.world.gateway.refuse(true)
        try await other.tell(.undelivered)
        other.world.gateway.refuse(false)
        #expect(await other.app.post("/otp/resend").status == 200)
    }

    @Test func `nothing goes for a client that was revoked`() async throws {
        let run = try await Run(Self.options())
        let client = try #require(ClientID("sandbox"))
        #expect(try await run.world.store.revokeTenant(client, at: run.world.clock.now()))
        try await run.tell(.undelivered)
        #expect(run.texts.count == 1)
    }

    private static func timed(_ options: World.Options, within seconds: Int = 15) async throws -> Run {
        try await Run(options) { gateway, _ in gateway.answer(within: seconds) }
    }

    @Test func `a message of which no receipt comes in time goes by the next route, once`() async throws {
        let run = try await Self.timed(Self.options { $0.sendsPerSession = 5 })
        #expect(try await run.wait(seconds: 14) == 0 && run.texts.count == 1)
        #expect(try await run.wait(seconds: 1) == 1)
        #expect(try await run.wait(seconds: 0) == 0)
        #expect(run.texts.count == 2 && Set(run.texts).count == 1)
        // A late receipt is taken as ever, and sends nothing again.
        try await run.tell(.undelivered)
        #expect(run.texts.count == 2)
        #expect(
            try await run.timeline() == [
                "otp_sent first", "message_unconfirmed one", "otp_sent next_route", "message_undelivered one",
            ])
        #expect(try await run.wait(seconds: 15) == 1)
        #expect(run.world.gateway.sent.map { $0.avoids.map(\.gateway) } == [[], ["one"], ["one", "two"]])
    }

    @Test func `any receipt in time is enough, and that of another gateway is none`() async throws {
        for end in [nil, MessageReceipt.End.delivered] {
            let run = try await Self.timed(Self.options())
            try await run.tell(end)
            #expect(try await run.wait(seconds: 60) == 0 && run.texts.count == 1)
        }
        let run = try await Self.timed(Self.options())
        try await run.tell(nil, from: "two")
        #expect(try await run.wait(seconds: 15) == 1)
    }

    @Test func `an overdue receipt is told where nothing can be sent again`() async throws {
        let off = try await Self.timed(Self.options { $0.sendsByNextRoute = false })
        #expect(try await off.wait(seconds: 15) == 1)
        let late = try await Self.timed(Self.options(), within: 200)
        #expect(try await late.wait(seconds: 200) == 1)
        for run in [off, late] {
            #expect(run.texts.count == 1)
            #expect(try await run.timeline().contains("message_unconfirmed one"))
        }
    }

    @Test func `systems are told from where it was taken`() async throws {
        let run = try await Run(Self.options())
        let added = await run.world.post("/v1/webhooks", #"{"url":"https://a.example/h","types":["message.*"]}"#)
        let endpoint = try #require(WebhookEndpointID(name: added.json["id"]?.string ?? ""))
        _ = run.world.clock.advance(seconds: 1)
        try await run.tell(.undelivered)
        let news = try await run.world.store.webhookDeliveries(at: endpoint, of: nil, in: nil, limit: 10)
            .map(\.event.news)
        let fallback = try #require(news.first { $0.type == .messageFallback })
        #expect(news.map(\.type).contains(.messageSent) && news.map(\.type).contains(.messageUndelivered))
        let ids = run.world.gateway.sent.map(\.id.text)
        #expect(news.first { $0.type == .messageUndelivered }?.text("channel") == "sms")
        #expect(!news.map(\.type).contains(.messageChannelChanged), "the next route is of the same channel")
        for (name, value) in [("messageId", ids[1]), ("earlierMessageId", ids[0]), ("from", "one")] {
            #expect(fallback.facts.contains(WebhookFact(name, .text(value))), "\(name)")
        }
    }
}
