import Locks
import Possession
import Sandbox
import Testing

@Suite struct `The scripted carrier` {
    let clock = Fixture.clock()
    let inbox: InMemoryInbox

    init() {
        inbox = Fixture.inbox(clock: clock)
    }

    private func carrier(_ users: SandboxUser...) -> ScriptedCarrier {
        ScriptedCarrier(users: SandboxUsers(users), inbox: inbox, now: { [clock] in clock.now() })
    }

    /// Notes in words what the carrier tells from now on.
    private func heard(_ carrier: ScriptedCarrier) -> Locked<[String]> {
        let heard = Locked<[String]>([])
        carrier.sendReceipts { end, token, gateway in
            heard.withLock { $0.append("\(gateway) \(end.rawValue), \(token)") }
        }
        carrier.answerLinks { token, approves in heard.withLock { $0.append("\(token) \(approves)") } }
        return heard
    }

    @Test func `delivers to a user at once`() async throws {
        try await carrier(Fixture.user()).send(Fixture.message("now"))
        #expect(inbox.messages(to: .number(Fixture.lorant), after: nil).map(\.text) == ["now"])
    }

    @Test func `delivers to a number that nobody scripted at once`() async throws {
        try await carrier(Fixture.user(delivery: .fail)).send(Fixture.message("now", to: Fixture.bertie))
        #expect(inbox.messages(to: .number(Fixture.bertie), after: nil).map(\.text) == ["now"])
    }

    @Test(arguments: [0, 30])
    func `refuses every message of a user whose delivery fails`(delay: Int) async throws {
        let carrier = carrier(Fixture.user(delivery: .fail, deliveryDelaySeconds: delay))
        for _ in 0..<2 {
            let fault = await #expect(throws: GatewayFault.self) {
                try await carrier.send(Fixture.message("secret", link: "https://secret"))
            }
            #expect(fault?.reason == "the sandbox user's delivery fails")
        }
        #expect(clock.advance(seconds: 600))
        #expect(inbox.messages(to: nil, after: nil).isEmpty)
    }

    @Test(arguments: [(29, 0), (30, 1)])
    func `delivers later to a user with a delay`(age: Int64, count: Int) async throws {
        try await carrier(Fixture.user(deliveryDelaySeconds: 30)).send(Fixture.message("late"))
        #expect(clock.advance(seconds: age))
        #expect(inbox.messages(to: nil, after: nil).count == count)
    }

    @Test func `lets the delay of one user hold up no other`() async throws {
        let carrier = carrier(Fixture.user(deliveryDelaySeconds: 30), Fixture.user(Fixture.bertie))
        try await carrier.send(Fixture.message("late"))
        try await carrier.send(Fixture.message("now", to: Fixture.bertie))
        #expect(inbox.messages(to: nil, after: nil).map(\.text) == ["now"])
    }

    // MARK: Channels

    @Test func `takes a message on its first channel, as the gateway of that channel`() async throws {
        let carrier = carrier(Fixture.user())
        for channel in OutgoingMessage.Channel.allCases {
            let taken = try await carrier.send(Fixture.message(channels: [channel]))
            #expect(taken == Acceptance(gateway: "sandbox-\(channel.rawValue)", channel: channel))
        }
        #expect(inbox.messages(to: nil, after: nil).map(\.channel) == OutgoingMessage.Channel.allCases)
    }

    @Test func `takes it on the next channel where the first is to be avoided, or refuses it`() async throws {
        let user = Fixture.user(delivery: SandboxDelivery([.voice: .fail]))
        let carrier = carrier(user)
        func taken(_ avoids: [ExcludedRoute]) async throws -> Acceptance {
            try await carrier.send(Fixture.message(channels: [.whatsapp, .voice, .sms], avoids: avoids))
        }
        let first = try await taken([])
        #expect(first.channel == .whatsapp && first.hasNextRoute)
        for way in [ExcludedRoute("sandbox-whatsapp", .whatsapp), ExcludedRoute(every: .whatsapp)] {
            let next = try await taken([way])
            #expect(next.channel == .sms && next.hasNextRoute)
        }
        let last = try await taken([ExcludedRoute("sandbox-whatsapp"), ExcludedRoute("sandbox-voice", .voice)])
        #expect(last.channel == .sms && !last.hasNextRoute)
        #expect(inbox.messages(to: nil, after: nil).map(\.channel) == [.whatsapp, .sms, .sms, .sms])
        let all = OutgoingMessage.Channel.allCases.map { ExcludedRoute(ScriptedCarrier.gateway(of: $0), $0) }
        let fault = await #expect(throws: GatewayFault.self) { _ = try await taken(all) }
        #expect(fault?.kind == .route)
    }

    // MARK: Receipts

    @Test(arguments: [
        (SandboxDelivery.ok, ["sandbox-sms delivered, token of sandbox-sms"], 1),
        (.undelivered, ["sandbox-sms undelivered, token of sandbox-sms"], 0), (.silent, [], 1),
    ])
    func `says how a message ended once that it was taken is noted, and once only`(
        delivery: SandboxDelivery, expected: [String], arrived: Int
    ) async throws {
        let carrier = carrier(Fixture.user(delivery: delivery))
        let heard = heard(carrier)
        try await carrier.send(Fixture.message(id: 5))
        #expect(heard.withLock { $0 } == [])
        await carrier.wasNoted(MessageID(bits: 6))
        for _ in 0..<2 { await carrier.wasNoted(MessageID(bits: 5)) }
        #expect(heard.withLock { $0 } == expected)
        #expect(inbox.messages(to: nil, after: nil).count == arrived)
    }

    @Test func `says nothing of a message that it refuses`() async throws {
        let carrier = carrier(Fixture.user(delivery: .fail))
        let heard = heard(carrier)
        await #expect(throws: GatewayFault.self) { try await carrier.send(Fixture.message(id: 5)) }
        await carrier.wasNoted(MessageID(bits: 5))
        #expect(heard.withLock { $0 } == [])
    }

    @Test(arguments: [SandboxDelivery.ok, .undelivered]) func `says how a delayed message ended when its delay is over`(
        delivery: SandboxDelivery
    ) async throws {
        let carrier = carrier(Fixture.user(delivery: delivery, deliveryDelaySeconds: 30))
        let heard = heard(carrier)
        try await carrier.send(Fixture.message(id: 5))
        await carrier.wasNoted(MessageID(bits: 5))
        #expect(clock.advance(seconds: 29))
        await carrier.sendDue()
        #expect(heard.withLock { $0 } == [])
        #expect(clock.advance(seconds: 1))
        for _ in 0..<2 { await carrier.sendDue() }
        #expect(heard.withLock { $0.count } == 1)
    }

    @Test(arguments: [
        (SandboxDelivery.ok, 0, ["sandbox-sms delivered, token of sandbox-sms", "t true"]), (.silent, 0, ["t true"]),
        (.undelivered, 0, ["sandbox-sms undelivered, token of sandbox-sms"]), (.ok, 30, []),
    ])
    func `answers a link that has arrived at once, as the person would`(
        delivery: SandboxDelivery, delay: Int, expected: [String]
    ) async throws {
        let carrier = carrier(Fixture.user(link: .approve, delivery: delivery, deliveryDelaySeconds: delay))
        let heard = heard(carrier)
        try await carrier.send(Fixture.message(link: "t", id: 5))
        await carrier.wasNoted(MessageID(bits: 5))
        #expect(heard.withLock { $0 } == expected)
    }

    @Test func `passes on what the inbox cannot hold`() async {
        let users = SandboxUsers([Fixture.user(deliveryDelaySeconds: 30)])
        let carrier = ScriptedCarrier(
            users: users, inbox: Fixture.inbox(maxTextBytes: 3, clock: clock), now: { [clock] in clock.now() })
        await #expect(throws: GatewayFault.self) { try await carrier.send(Fixture.message("1234")) }
    }
}

@Suite struct `A message to be sent` {
    @Test func `prints neither text nor code nor link nor the whole number`() {
        let message = Fixture.message("text 1234", link: "https://link")
        #expect(!"\(message)".contains("1234") && !"\(message)".contains("link") && !"\(message)".contains("text"))
        #expect(!"\(message)".contains(Fixture.lorant.e164))
    }
}
