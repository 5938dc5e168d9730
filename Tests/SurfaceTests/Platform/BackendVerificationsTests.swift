import HTTPServer
import Locks
import Possession
import Sandbox
import TestSupport
import Testing

/// A backend verifies a number by itself: it names the number and the code, and no client of ours takes part.
@Suite(.timeLimit(.minutes(10))) struct BackendVerificationsTests {
    private static let product: Product = {
        var product = Product(ProductName("backend")!, number: .orMobileAuth)
        product.isFoundByNumber = true
        return product
    }()
    private static let lorant = PhoneNumber(e164: "+12001004014")!

    private struct Run {
        let world: World
        let verifications: BackendVerifications
        let tenant: Tenant

        init(_ options: World.Options = World.Options(), client: String = "sandbox") async throws {
            try await self.init(World(options), client: client)
        }

        init(_ world: World, client: String) async throws {
            self.world = world
            verifications = BackendVerifications(world.engine)
            tenant = try #require(try await world.store.tenant(ClientID(client)!))
        }

        var name: ProductName { BackendVerificationsTests.product.name }

        func begin(
            _ number: String = "2001004014", _ product: Product = product,
            _ change: (inout PlatformService.SessionOrder) -> Void = { _ in }
        ) async throws -> BackendVerifications.Begun {
            var order = PlatformService.SessionOrder(product, flow: .mobile)
            order.phoneNumber = number
            order.code = try Policy.Code(length: 6, lifetimeSeconds: 600, tries: 5, earlierCodes: 4)
            order.sends = 5
            order.lifetimeSeconds = 600
            order.checks = .code
            change(&order)
            return try await verifications.begin(order, for: tenant) { !$0.isDone }
        }

        func send(_ session: Session, own: String? = nil, by channel: OutgoingMessage.Channel? = nil) async throws
            -> OperationReply?
        {
            try await verifications.sendCode(
                on: .correlation(session.correlationID), of: session.request.policy.product, for: tenant.id,
                own: own.map { OTP($0)! }, by: channel)
        }

        func check(_ code: String, number: PhoneNumber = lorant) async throws -> OperationReply? {
            try await verifications.check(OTP(code)!, on: .target(tenant.id, name, number), of: name, for: tenant.id)
        }
    }

    @Test func `sends a code and takes it by the number alone`() async throws {
        let run = try await Run()
        guard case .new(let session) = try await run.begin() else {
            Issue.record("no new session")
            return
        }
        let sent = try await run.send(session)
        #expect(sent?.refusal == nil && sent?.session.phase == .active(.otpFinish))
        #expect(run.world.gateway.sent.map(\.code) == [OTP("123456")])
        #expect(try await run.check("999999")?.refusal == .otpMismatch)
        let right = try await run.check("123456")
        #expect(right?.session.outcome == .succeeded && right?.session.proof?.method == .otp)
        #expect(try await run.check("123456")?.refusal == .sessionDone)
    }

    @Test func `goes on with the session that stands, and begins another once it is over`() async throws {
        let run = try await Run()
        let first = try await run.begin().session
        _ = try await run.send(first)
        guard case .standing(let again) = try await run.begin() else {
            Issue.record("a second session")
            return
        }
        #expect(again.correlationID == first.correlationID)
        let resent = try await run.send(again)
        #expect(resent?.session.sends.sendsLeft == 3)
        #expect(run.world.gateway.sent.count == 2)
        _ = run.world.clock.advance(seconds: 600)
        guard case .new(let other) = try await run.begin() else {
            Issue.record("the expired one stands")
            return
        }
        #expect(other.correlationID != first.correlationID)
    }

    @Test func `begins one session for many calls at the same time`() async throws {
        let run = try await Run()
        let began = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 {
                group.addTask { if case .new = try await run.begin() { true } else { false } }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(began == 1)
    }

    @Test func `takes an earlier code while it lives`() async throws {
        var options = World.Options()
        options.unknownNumbers = .simulate
        let run = try await Run(options)
        let session = try await run.begin("+12015550123").session
        for _ in 0..<2 { _ = try await run.send(session) }
        let codes = run.world.gateway.sent.compactMap(\.code)
        #expect(codes.count == 2)
        let first = try #require(codes.first)
        #expect(try await run.check(first.text, number: PhoneNumber(e164: "+12015550123")!)?.refusal == nil)
    }

    @Test func `sends the code that the backend has made, by the channel that it names`() async throws {
        var options = World.Options()
        options.unknownNumbers = .simulate
        let run = try await Run(options)
        let number = PhoneNumber(e164: "+12015550123")!
        let session = try await run.begin(number.e164) { $0.channels = [.sms] }.session
        _ = try await run.send(session, own: "20202020", by: .voice)
        #expect(run.world.gateway.sent.map(\.code) == [OTP("20202020")])
        #expect(run.world.gateway.sent.map(\.channel) == [.voice])
        let events = try await run.world.store.events(of: session.correlationID).filter { $0.kind == .otpSent }
        #expect(events.map(\.detail) == ["first voice"] && events.map(\.channel) == [.voice])
        #expect(try await run.check("20202021", number: number)?.refusal == .otpMismatch)
        #expect(try await run.check("20202020", number: number)?.refusal == nil)
    }

    @Test func `takes the backend's word only for codes of its own`() async throws {
        let run = try await Run()
        func vouch(_ session: Session) async throws -> OperationReply? {
            try await run.verifications.vouch(
                on: .correlation(session.correlationID), of: run.name, for: run.tenant.id)
        }
        let drawn = try await run.begin().session
        _ = try await run.send(drawn)
        #expect(try await vouch(drawn)?.refusal == .invalidState)
        _ = try await run.verifications.cancel(
            on: .correlation(drawn.correlationID), of: run.name, for: run.tenant.id)
        let own = try await run.begin { $0.letsBackendVouch = true }.session
        #expect(try await vouch(own)?.refusal == .invalidState, "no code has been sent")
        _ = try await run.send(own, own: "123456")
        let proven = try await vouch(own)
        #expect(proven?.session.proof?.method == .customer && proven?.session.outcome == .succeeded)
    }

    @Test func `cancels a session before and after its first code`() async throws {
        let run = try await Run()
        for sends in 0...1 {
            let session = try await run.begin().session
            for _ in 0..<sends { _ = try await run.send(session) }
            let key = SessionKey.correlation(session.correlationID)
            let cancelled = try await run.verifications.cancel(on: key, of: run.name, for: run.tenant.id)
            #expect(cancelled?.refusal == nil && cancelled?.session.outcome == .cancelled)
            #expect(try await run.send(session)?.refusal == .sessionDone)
        }
    }

    @Test func `of many cancels one cancels, and one that must not end the session does not`() async throws {
        let run = try await Run()
        let session = try await run.begin().session
        _ = try await run.send(session)
        @Sendable func cancel(_ mayEnd: @escaping @Sendable (Session) -> Bool) async throws -> ClientRefusal? {
            let reply = try await run.verifications.cancel(
                on: .correlation(session.correlationID), of: run.name, for: run.tenant.id, where: mayEnd)
            return try #require(reply).refusal
        }
        #expect(try await cancel { $0.sends.sendsLeft == 5 } == .invalidState)
        let refusals = try await withThrowingTaskGroup(of: ClientRefusal?.self) { racers in
            for _ in 0..<8 { racers.addTask { try await cancel { $0.sends.sendsLeft == 4 } } }
            return try await racers.reduce(into: []) { $0.append($1) }
        }
        #expect(refusals.filter { $0 == nil }.count == 1 && refusals.filter { $0 == .sessionDone }.count == 7)
    }

    @Test func `knows nothing of other tenants and other products`() async throws {
        let run = try await Run()
        let session = try await run.begin().session
        _ = try await run.send(session)
        let key = SessionKey.correlation(session.correlationID)
        let stranger = try await Run(run.world, client: "sandbox-2")
        #expect(try await stranger.verifications.session(key, of: run.name, for: stranger.tenant.id) == nil)
        #expect(try await stranger.send(session) == nil)
        #expect(try await stranger.check("123456") == nil)
        let other = ProductName("other")!
        #expect(try await run.verifications.session(key, of: other, for: run.tenant.id) == nil)
        #expect(try await run.verifications.check(OTP("123456")!, on: key, of: other, for: run.tenant.id) == nil)
        var product = Self.product
        product = Product(other, number: .orMobileAuth)
        product.isFoundByNumber = true
        guard case .new = try await run.begin("2001004014", product) else {
            Issue.record("a session of another product stands")
            return
        }
        #expect(try await run.check("123456")?.refusal == nil)
    }

    @Test func `gives a send back that the carrier refuses, and begins nothing for a bad number`() async throws {
        let run = try await Run()
        let session = try await run.begin().session
        run.world.gateway.refuse(true)
        let refused = try await run.send(session)
        #expect(refused?.refusal == .messageFailed && refused?.session.sends.sendsLeft == 5)
        run.world.gateway.refuse(false)
        #expect(try await run.send(session)?.refusal == nil)
        for number in ["", "12", "+1999"] {
            await #expect(throws: PlatformRefusal.self) { try await run.begin(number) }
        }
    }

    @Test func `no auth token lets a client into the session`() async throws {
        let run = try await Run()
        let session = try await run.begin().session
        _ = try await run.send(session)
        #expect(session.binding == .unbound)
        #expect(try await run.world.store.session(.correlation(session.correlationID))?.binding == .backend)
    }
}
