import Sandbox
import ClientSurfaces
import OperationsSurfaces
import ProveSurfaces
import SandboxSurfaces
import ServerDescription
import SurfaceKit
import HTTPServer
import Locks
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport

@Suite(.timeLimit(.minutes(60))) struct `A poll for a message that is on its way` {
    @Test func `looks again when the clock moves`() async throws {
        let world = try await World()
        let clock = world.clock
        let due = clock.now().adding(.seconds(600))
        let inbox = SlowInbox(
            isDue: { _ in clock.now() >= due },
            untilArrival: { .milliseconds(due.milliseconds - clock.now().milliseconds) })
        let client = try Self.client(world, inbox)
        async let waiting = client.send(Self.poll(wait: 30))
        while inbox.looks == 0 { await Task.yield() }
        let moved = await client.send(World.request(.post, "/sandbox/clock", #"{"advanceSeconds":600}"#))
        #expect(moved.status == 200)
        #expect(await Self.ids(waiting) == ["1"])
    }

    @Test func `waits no longer than the message takes`() async throws {
        let inbox = SlowInbox(isDue: { look in look > 1 }, untilArrival: { .milliseconds(1) })
        let time = ManualClock()
        let client = try Self.client(try await World(), inbox, time)
        async let waiting = client.send(Self.poll(wait: 30))
        await client.untilTimer()
        #expect(inbox.looks == 1)
        time.advance(.milliseconds(1))
        await client.catchUp()
        #expect(await Self.ids(waiting) == ["1"])
        #expect(inbox.looks == 2)
    }

    @Test func `goes on when what arrived was for another number`() async throws {
        let inbox = SlowInbox(isDue: { look in look > 4 }, untilArrival: { .zero })
        let client = try Self.client(try await World(), inbox)
        #expect(await Self.ids(client.send(Self.poll(wait: 30))) == ["1"])
        #expect(inbox.looks == 5)
    }

    @Test func `ends empty when the message takes longer than the poll may`() async throws {
        let inbox = SlowInbox(isDue: { _ in false }, untilArrival: { .seconds(600) })
        let client = try Self.client(try await World(), inbox, nil)
        #expect(await Self.ids(client.send(Self.poll(wait: 1))) == [])
    }

    @Test func `does not wait unless it is asked to`() async throws {
        let inbox = SlowInbox(isDue: { look in look > 1 }, untilArrival: { .milliseconds(1) })
        let client = try Self.client(try await World(), inbox)
        #expect(await Self.ids(client.send(Self.poll(wait: 0))) == [])
        #expect(inbox.looks == 1)
    }

    // MARK: the server and its answers

    private static func client(
        _ world: World, _ inbox: SlowInbox, _ manualClock: ManualClock? = ManualClock()
    ) throws -> InProcessClient {
        let surface = SandboxSurface(
            engine: world.engine, inbox: inbox, clock: world.clock, keepClock: {}, users: World.users,
            waits: world.waits)
        return try InProcessClient(surface.routes, manualClock: manualClock)
    }

    private static func poll(wait: Int) -> Request {
        Request(method: .get, path: "/sandbox/messages", rawQuery: "to=2001004014&wait=\(wait)", id: "q")
    }

    private static func ids(_ answer: Response) -> [String]? {
        answer.json["messages"]?.array?.compactMap { $0.object?["id"]?.string }
    }
}

@Suite struct `The list of sandbox users` {
    @Test func `shows the script of a user, and leaves out what it does not say`() async throws {
        let scripted = SandboxUser(
            digits: "2001004014", number: PhoneNumber(e164: "+12001004014")!, name: "Lorant", region: .northAmerica,
            codes: ["4321", "000000"].compactMap { OTP($0) }, delivery: .fail, deliveryDelaySeconds: 30,
            mobileAuth: .timeout, reputation: .fail, reputationReasons: [.init(code: "9135", text: "SIM swap")],
            link: .approve)
        let plain = SandboxUser(
            digits: "+2001004025", number: PhoneNumber(e164: "+2001004025")!, name: "Bertie", region: .international,
            delivery: SandboxDelivery([.whatsapp: .undelivered, .sms: .silent]))
        let world = try await World()
        let surface = SandboxSurface(
            engine: world.engine, inbox: world.inbox, clock: world.clock, keepClock: {},
            users: SandboxUsers([scripted, plain]), waits: world.waits)
        let client = try InProcessClient(surface.routes)
        let answer = await client.send(Request(method: .get, path: "/sandbox/users", id: "q"))
        #expect(
            answer.text
                == #"{"users":[{"phoneNumber":"2001004014","name":"Lorant","region":"NA","product":"unify","otp":"pass","#
                + #""codes":["4321","000000"],"delivery":"fail","deliveryDelaySeconds":30,"mobileAuth":"timeout","#
                + #""reputation":"fail","reputationReasons":{"9135":"SIM swap"},"link":"approve","withoutClient":false},"#
                + #"{"phoneNumber":"+2001004025","name":"Bertie","region":"Intl","product":"unify","otp":"pass","#
                + #""delivery":{"sms":"silent","whatsapp":"undelivered"},"deliveryDelaySeconds":0,"mobileAuth":"unavailable","reputation":"pass","link":"open","#
                + #""withoutClient":false}]}"#)
        #expect(SDKShape.defects(of: answer.body) == [])
    }
}

/// Holds one message that arrives when the test says so.
private final class SlowInbox: SandboxInbox {
    private let looksSoFar = Locked(0)
    private let isDue: @Sendable (_ look: Int) -> Bool
    private let untilArrival: @Sendable () -> Duration

    init(isDue: @escaping @Sendable (_ look: Int) -> Bool, untilArrival: @escaping @Sendable () -> Duration) {
        self.isDue = isDue
        self.untilArrival = untilArrival
    }

    var looks: Int { looksSoFar.withLock { $0 } }
    var untilNextArrival: Duration? { untilArrival() }

    func forget(_ target: Target, of sessions: Set<CorrelationID>?) -> Int { 0 }

    func messages(to target: Target?, after id: String?) -> [SandboxMessage] {
        let look = looksSoFar.withLock { looks -> Int in
            looks += 1
            return looks
        }
        guard isDue(look) else { return [] }
        return [
            SandboxMessage(
                id: "1", to: Target("+12001004014")!, channel: .sms, text: "Code 1234", code: "1234",
                correlationID: CorrelationID("0193a0b0-0000-7000-8000-000000000001")!, sentAt: FixedClock.start)
        ]
    }
}
