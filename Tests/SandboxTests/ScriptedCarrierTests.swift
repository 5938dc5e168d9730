import Sandbox
import Possession
import Testing

@Suite struct `The scripted carrier` {
    let clock = Fixture.clock()
    let inbox: InMemoryInbox

    init() {
        inbox = Fixture.inbox(clock: clock)
    }

    private func carrier(_ users: SandboxUser...) -> ScriptedCarrier {
        ScriptedCarrier(users: SandboxUsers(users), inbox: inbox)
    }

    @Test func `delivers to a user at once`() async throws {
        try await carrier(Fixture.user()).send(Fixture.message("now"))
        #expect(inbox.messages(to: Fixture.lorant, after: nil).map(\.text) == ["now"])
    }

    @Test func `delivers to a number that nobody scripted at once`() async throws {
        try await carrier(Fixture.user(delivery: .fail)).send(Fixture.message("now", to: Fixture.bertie))
        #expect(inbox.messages(to: Fixture.bertie, after: nil).map(\.text) == ["now"])
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

    @Test func `passes on what the inbox cannot hold`() async {
        let users = SandboxUsers([Fixture.user(deliveryDelaySeconds: 30)])
        let carrier = ScriptedCarrier(users: users, inbox: Fixture.inbox(maxTextBytes: 3, clock: clock))
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
