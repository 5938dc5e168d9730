import HTTPServer
import Locks
import Engine
import Possession
import Sandbox
import TestSupport
import Testing

@testable import SurfaceTestSupport

/// A backend verifies a number by itself: it names the number and the code, and no client of ours takes part.
@Suite(.timeLimit(.minutes(60))) struct BackendVerificationsTests {
    private static let product: Product = {
        var product = Product(ProductName("backend")!, number: .orMobileAuth)
        product.isFoundByNumber = true
        return product
    }()
    private static let lorant = PhoneNumber(e164: "+12001004014")!

    private struct Run {
        let world: World
        let verifications: Verifications
        let tenant: Tenant

        init(_ options: World.Options = World.Options(), client: String = "sandbox") async throws {
            try await self.init(World(options), client: client)
        }

        init(_ world: World, client: String) async throws {
            self.world = world
            verifications = Verifications(world.engine)
            tenant = try #require(try await world.store.tenant(ClientID(client)!))
        }

        var name: ProductName { BackendVerificationsTests.product.name }

        /// Starts a session by a code, or goes on with the one that is open.
        func start(
            _ number: String = "2001004014", _ product: Product = product, own: String? = nil,
            by channel: OutgoingMessage.Channel? = nil, for closed: Tenant? = nil, retry: Retry? = nil,
            _ change: (inout VerificationOrder) -> Void = { _ in }
        ) async throws(SendRefusal) -> SendResult {
            let tenant = closed ?? tenant
            var order: VerificationOrder
            do throws(SendRefusal) {
                order = VerificationOrder(product, to: try verifications.recipient(number, for: tenant))
            } catch {
                // A number that is closed by now had a session before.
                guard let retry,
                    let earlier = try await verifications.repeated(
                        retry, on: .target(.number(try verifications.read(number, for: tenant.id).number)), of: name,
                        for: tenant.id)
                else { throw error }
                return earlier
            }
            order.code = .init(length: 6, lifetimeSeconds: 600, tries: 5, earlierCodes: 4)
            order.window = .init(sends: 5, lifetimeSeconds: 600)
            order.reuse = .whileOpen
            order.message = message(own, channel)
            order.retry = retry
            change(&order)
            return try await verifications.start(order, for: tenant)
        }

        func send(
            _ session: Session, own: String? = nil, by channel: OutgoingMessage.Channel? = nil
        ) async throws(SendRefusal) -> SendResult {
            try await verifications.sendCode(
                on: .correlation(session.correlationID), of: session.request.policy.product, for: tenant.id,
                message(own, channel))
        }

        private func message(_ own: String?, _ channel: OutgoingMessage.Channel?) -> OrderedMessage {
            var message = OrderedMessage()
            (message.content, message.channel) = (.code(own: own.map { OTP($0)! }), channel)
            return message
        }

        func check(_ code: String, number: PhoneNumber = lorant) async throws -> CheckResult {
            try await verifications.check(
                OTP(code)!, on: .target(.number(number)), of: name, for: tenant.id)
        }
    }

    /// The session of a check that passed.
    private func passed(_ result: CheckResult) throws -> Session {
        guard case .passed(let session) = result else { throw NotPassed(result: result) }
        return session
    }

    private struct NotPassed: Error { let result: CheckResult }

    /// Both name the number, so the check may be under way before the call that begins the session.
    @Test func `a check that came a moment before its session is carried out after that`() async throws {
        let run = try await Run()
        #expect(run.world.clock.advance(seconds: 1))
        let started = try await run.start(own: "482915").message.session
        run.world.clock.reset()
        let checked = try await run.verifications.check(
            OTP("482915")!, on: .target(.number(Self.lorant)), of: run.name, for: run.tenant.id)
        let session = try passed(checked)
        #expect(session.outcome == .succeeded && session.endedAt == started.createdAt)
    }

    @Test func `sends a code and takes it by the number alone`() async throws {
        let run = try await Run()
        let started = try await run.start().message
        #expect(started.isNew && started.session.phase == .active(.otpFinish))
        #expect(run.world.gateway.sent.map(\.code) == [OTP("123456")])
        guard case .wrong = try await run.check("999999") else {
            Issue.record("a wrong code")
            return
        }
        let right = try passed(try await run.check("123456"))
        #expect(right.outcome == .succeeded && right.proof?.method == .otp)
        guard case .over(_, secondsLeft: 600) = try await run.check("123456") else {
            Issue.record("a code is taken twice")
            return
        }
    }

    @Test func `goes on with the session that is open, and starts another once it is over`() async throws {
        let run = try await Run()
        let first = try await run.start().message.session
        let again = try await run.start().message
        #expect(!again.isNew && again.session.correlationID == first.correlationID)
        #expect(again.session.sends.sendsLeft == 3 && run.world.gateway.sent.count == 2)
        _ = run.world.clock.advance(seconds: 600)
        let other = try await run.start().message
        #expect(other.isNew && other.session.correlationID != first.correlationID)
    }

    @Test func `of many calls at the same time one starts a session, and its messages are counted exactly`()
        async throws
    {
        let run = try await Run()
        let outcomes = await withTaskGroup(of: Result<SendResult, SendRefusal>.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    do throws(SendRefusal) { return .success(try await run.start()) } catch { return .failure(error) }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let sent = outcomes.compactMap { try? $0.get().message }
        let usedUp = outcomes.compactMap { outcome in
            if case .failure(.sendsUsedUp(let session, secondsLeft: 600)) = outcome { session } else { nil }
        }
        #expect(sent.count { $0.isNew } == 1)
        #expect(Set(sent.map(\.session.correlationID) + usedUp.map(\.correlationID)).count == 1)
        #expect(sent.count == 5)
        #expect(usedUp.count == 195)
        #expect(run.world.gateway.sent.count == 5)
    }

    @Test func `a repeated call gets its answer where a first one would be refused by now`() async throws {
        let run = try await Run()
        func retry(_ name: String) -> Retry { Retry(RetryKey(path: "/create", requestID: name, body: BodyDigest([1]))) }
        let first = try await run.start(retry: retry("a"))
        var closed = run.tenant
        closed.rules.callingCodes = ["49"]
        let again = try await run.start(for: closed, retry: retry("a")).message
        #expect(!again.isNew && again.session.correlationID == first.message.session.correlationID)
        await #expect(throws: SendRefusal.self) { _ = try await run.start(for: closed, retry: retry("b")) }
        await #expect(throws: SendRefusal.self) { _ = try await run.start(for: closed) }
        #expect(run.world.gateway.sent.count == 1)
    }

    @Test func `stores no session whose first message a limit refuses`() async throws {
        var options = World.Options()
        options.limits.overSessions = Limits.OverSessions()
        let run = try await Run(options)
        let first = try await run.start().message.session
        _ = try await run.verifications.cancel(
            on: .correlation(first.correlationID), of: run.name, for: run.tenant.id)
        let refused = await #expect(throws: SendRefusal.self) { try await run.start() }
        guard case .sendLimited(_, let session) = refused else {
            Issue.record("a second message within \(Limits.OverSessions().secondsBetweenSends) seconds")
            return
        }
        #expect(try await run.world.store.session(.correlation(session.correlationID)) == nil)
        #expect(run.world.gateway.sent.count == 1)
    }

    @Test func `takes an earlier code while it lives`() async throws {
        var options = World.Options()
        options.unknownNumbers = .simulate
        let run = try await Run(options)
        for _ in 0..<2 { _ = try await run.start("+12015550123") }
        let codes = run.world.gateway.sent.compactMap(\.code)
        #expect(codes.count == 2)
        let first = try #require(codes.first)
        _ = try passed(try await run.check(first.text, number: PhoneNumber(e164: "+12015550123")!))
    }

    @Test func `a session that asks the operator sends a code whenever its backend wants one`() async throws {
        let run = try await Run()
        var order = VerificationOrder(
            Self.product, to: try run.verifications.recipient("2001004014", for: run.tenant))
        order.declaration = Session.Declaration(
            platform: .ios, fallback: .otp, deviceKey: false, cellular: .yes,
            mobileAuthReturnURL: World.publicURL + "/end")
        order.checks = [.mobileAuth, .code]
        guard case .silent(let begun, _) = try await run.verifications.start(order, for: run.tenant) else {
            Issue.record("the operator is not asked")
            return
        }
        #expect(begun.phase == .active(.mobileAuth))
        #expect(run.world.gateway.sent.isEmpty)
        // In the middle of the attempt, and after its end.
        let key = SessionKey.correlation(begun.correlationID)
        let other = try await run.verifications.start(order, for: run.tenant).message.session
        let over = try await run.verifications.finishMobileAuth(
            nil, from: nil, on: .correlation(other.correlationID), of: run.name, for: run.tenant.id)
        #expect(over?.phase == .active(.otpStart))
        for session in [begun, other] {
            #expect(try await run.send(session).message.session.phase == .active(.otpFinish))
        }
        #expect(run.world.gateway.sent.count == 2)
        #expect(
            try await run.verifications.finishMobileAuth(
                "fingerprint", from: nil, on: key, of: run.name, for: run.tenant.id)?.phase == .active(.otpFinish))
        let checked = try await run.verifications.check(OTP("1234")!, on: key, of: run.name, for: run.tenant.id)
        #expect(try passed(checked).proof?.method == .otp)
    }

    @Test func `what was created is begun once, and only while it lives`() async throws {
        let run = try await Run()
        var order = VerificationOrder(
            Self.product, to: try run.verifications.recipient("2001004014", for: run.tenant))
        order.window.lifetimeSeconds = 60
        let created = try await run.verifications.create(order, for: run.tenant)
        #expect(created.phase == .created && run.world.gateway.sent.isEmpty)
        let key = SessionKey.correlation(created.correlationID)
        func begin() async throws(SendRefusal) -> Session {
            try await run.verifications.begin(.init(), on: key, of: run.name, for: run.tenant.id).message.session
        }
        let begun = try await begin()
        #expect(begun.phase == .active(.otpFinish))
        await #expect(throws: SendRefusal.notAwaited(begun.asStored)) { try await begin() }
        let late = try await run.verifications.create(order, for: run.tenant)
        _ = run.world.clock.advance(seconds: 60)
        let refused = await #expect(throws: SendRefusal.self) {
            try await run.verifications.begin(
                .init(), on: .correlation(late.correlationID), of: run.name, for: run.tenant.id)
        }
        guard case .over(let session, secondsLeft: nil) = refused else {
            Issue.record("it is over")
            return
        }
        #expect(session.outcome == .expired && run.world.gateway.sent.count == 1)
    }

    @Test func `sends the code that the backend has made, by the channel that it names`() async throws {
        var options = World.Options()
        options.unknownNumbers = .simulate
        let run = try await Run(options)
        let number = PhoneNumber(e164: "+12015550123")!
        let started = try await run.start(number.e164, own: "20202020", by: .voice) { $0.channels = [.sms] }.message
        #expect(run.world.gateway.sent.map(\.code) == [OTP("20202020")])
        #expect(run.world.gateway.sent.map(\.channel) == [.voice])
        let events = try await run.world.store.events(of: started.session.correlationID)
        let sent = events.filter { $0.kind == .otpSent }
        #expect(sent.map(\.detail) == ["first voice"] && sent.map(\.channel) == [.voice])
        guard case .wrong = try await run.check("20202021", number: number) else {
            Issue.record("a wrong code")
            return
        }
        _ = try passed(try await run.check("20202020", number: number))
    }

    @Test func `a right code that the backend has made is its word, and no proof to others`() async throws {
        var options = World.Options()
        options.unknownNumbers = .simulate
        let run = try await Run(options)
        let number = PhoneNumber(e164: "+12015550123")!
        _ = try await run.start(number.e164)
        _ = try await run.start(number.e164, own: "202020")
        let proven = try passed(try await run.check("202020", number: number))
        #expect(proven.outcome == .succeeded && proven.proof?.method == .customer)
        let service = PlatformService(run.world.engine)
        let audience = try service.statementAudience("https://a.example", for: run.tenant)
        #expect(try service.statement(of: proven, for: audience) == nil)
    }

    @Test func `takes the backend's word only for codes of its own`() async throws {
        let run = try await Run()
        func vouch(_ session: Session) async throws -> CheckResult {
            try await run.verifications.vouch(
                on: .correlation(session.correlationID), of: run.name, for: run.tenant.id)
        }
        let drawn = try await run.start().message.session
        guard case .notAwaited = try await vouch(drawn) else {
            Issue.record("the backend has not made the code")
            return
        }
        _ = try await run.verifications.cancel(
            on: .correlation(drawn.correlationID), of: run.name, for: run.tenant.id)
        let own = try await run.start(own: "123456") { $0.letsBackendVouch = true }.message.session
        let proven = try passed(try await vouch(own))
        #expect(proven.proof?.method == .customer && proven.outcome == .succeeded)
    }

    @Test func `cancels a session`() async throws {
        let run = try await Run()
        let session = try await run.start().message.session
        let key = SessionKey.correlation(session.correlationID)
        let cancelled = try await run.verifications.cancel(on: key, of: run.name, for: run.tenant.id)
        guard case .cancelled(let after) = cancelled else {
            Issue.record("not cancelled: \(cancelled)")
            return
        }
        #expect(after.outcome == .cancelled)
        await #expect(throws: SendRefusal.over(after.asStored, secondsLeft: 600)) { try await run.send(session) }
    }

    @Test func `of many cancels one cancels`() async throws {
        let run = try await Run()
        let session = try await run.start().message.session
        let results = try await withThrowingTaskGroup(of: CancelResult.self) { racers in
            for _ in 0..<8 {
                racers.addTask {
                    try await run.verifications.cancel(
                        on: .correlation(session.correlationID), of: run.name, for: run.tenant.id)
                }
            }
            return try await racers.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count { if case .cancelled = $0 { true } else { false } } == 1)
        #expect(results.count { if case .over = $0 { true } else { false } } == 7)
    }

    @Test func `knows nothing of other tenants and other products`() async throws {
        let run = try await Run()
        let session = try await run.start().message.session
        let key = SessionKey.correlation(session.correlationID)
        let stranger = try await Run(run.world, client: "sandbox-2")
        #expect(try await stranger.verifications.session(key, of: run.name, for: stranger.tenant.id) == nil)
        await #expect(throws: SendRefusal.noSession) { try await stranger.send(session) }
        #expect(try await stranger.check("123456") == .noSession)
        let other = ProductName("other")!
        #expect(try await run.verifications.session(key, of: other, for: run.tenant.id) == nil)
        #expect(
            try await run.verifications.check(OTP("123456")!, on: key, of: other, for: run.tenant.id) == .noSession)
        var product = Self.product
        product = Product(other, number: .orMobileAuth)
        product.isFoundByNumber = true
        #expect(try await run.start("2001004014", product).message.isNew, "a session of another product goes on")
        _ = try passed(try await run.check("123456"))
    }

    @Test func `gives a send back that the carrier refuses, and starts nothing for a bad number`() async throws {
        let run = try await Run()
        run.world.gateway.refuse(true)
        let refused = await #expect(throws: SendRefusal.self) { try await run.start() }
        guard case .notDelivered(_, let session) = refused else {
            Issue.record("the carrier took it")
            return
        }
        #expect(session.sends.sendsLeft == 5)
        run.world.gateway.refuse(false)
        let again = try await run.start().message
        #expect(!again.isNew && again.session.sends.sendsLeft == 4)
        for number in ["", "12", "+1999"] {
            await #expect(throws: SendRefusal.self) { try await run.start(number) }
        }
    }

    @Test func `no auth token lets a client into the session`() async throws {
        let run = try await Run()
        let session = try await run.start().message.session
        #expect(session.binding == .backend)
        #expect(try await run.world.store.session(.correlation(session.correlationID))?.binding == .backend)
    }
}
