import TestSupport
import Testing

@testable import Engine
@testable import Possession

/// DUR-14: what becomes of a message whose process ends at each step of it, on every store.
@Suite struct MessageRecoveryTests {
    private struct Ended: Error {}

    private let clock = FixedClock()

    private func sent(_ count: Int) -> MessageRecovery.Outcome { outcome { $0.sent = count } }

    private func outcome(_ change: (inout MessageRecovery.Outcome) -> Void) -> MessageRecovery.Outcome {
        var outcome = MessageRecovery.Outcome()
        change(&outcome)
        return outcome
    }

    @Test(arguments: TestedStore.allCases)
    func `nothing is left of a message whose change was not stored`(store: TestedStore) async throws {
        let stores = try store.make()
        let first = ServerProcess(stores, stores.outbox, clock)
        let session = try await first.session()
        let command = try SessionCommands(first.engine).sendCode(.first(nil), from: nil)
        let now = clock.now()
        _ = try await first.engine.change(.auth(session.authID), by: .caller(.all), at: now) { (change) throws(Ended) in
            _ = try? change.apply(command, by: .bearer, in: first.engine.context, at: now)
            throw Ended()
        }
        let next = ServerProcess(stores, stores.nextOutbox, clock)
        #expect(await next.recover().isNothing)
        #expect(try await next.stored(session)?.phase == .active(.otpStart))
    }

    @Test(arguments: TestedStore.allCases)
    func `a message that was stored and not sent goes out after a restart, and its code passes`(
        store: TestedStore
    ) async throws {
        let stores = try store.make()
        let first = ServerProcess(stores, stores.outbox, clock)
        let session = try await first.session()
        let message = try #require(try await first.promise(session))
        #expect(first.gateway.sent.isEmpty)
        let next = ServerProcess(stores, stores.nextOutbox, clock)
        #expect(await next.recover() == sent(1))
        #expect(next.gateway.sent.map(\.id) == [message.id] && next.gateway.sent.map(\.to) == [.number(Sample.number)])
        #expect(next.gateway.sent[0].text.contains(next.gateway.sent[0].code?.text ?? "none"))
        #expect(try await next.verify(next.gateway.sent[0].code, session).session.outcome == .succeeded)
        #expect(await next.recover().isNothing)
    }

    @Test(arguments: TestedStore.allCases)
    func `a process that may have lost its messages sends none, and gives them up`(store: TestedStore) async throws {
        let stores = try store.make()
        let first = ServerProcess(stores, LostOutbox(base: stores.outbox), clock)
        let session = try await first.session()
        #expect(try await first.sendCode(session).refusal == nil)
        #expect(await first.recover().isNothing)
        #expect(first.gateway.sent.isEmpty)
        let next = ServerProcess(stores, stores.nextOutbox, clock)
        #expect(await next.recover() == sent(1))
        #expect(try await next.verify(next.gateway.sent[0].code, session).session.outcome == .succeeded)
    }

    @Test(arguments: TestedStore.allCases, [true, false])
    func `a message fails only at a process that keeps it until its last try`(
        store: TestedStore, isKept: Bool
    ) async throws {
        let stores = try store.make()
        let outbox: any Outbox = isKept ? stores.outbox : LostOutbox(base: stores.outbox, isLate: true)
        let first = ServerProcess(stores, outbox, clock, gateway: SecondTry())
        let session = try await first.session()
        #expect(try await first.sendCode(session).refusal == (isKept ? .messageFailed : nil))
        #expect(await first.recover().isNothing)
        #expect(try await first.stored(session)?.sends.sendsLeft == (isKept ? 3 : 2))
        let next = ServerProcess(stores, stores.nextOutbox, clock)
        #expect(await next.recover() == sent(isKept ? 0 : 1))
        guard !isKept else { return }
        #expect(try await next.verify(next.gateway.sent[0].code, session).session.outcome == .succeeded)
    }

    /// The first try has failed. The second one fails too.
    private struct SecondTry: MessageGateway {
        func send(_ message: OutgoingMessage) async throws(GatewayFault) -> Acceptance {
            guard message.isKept() else { throw .givenUp }
            throw GatewayFault("no gateway takes it")
        }
    }

    /// It stays in hand, so that the next looks do not meet it again.
    @Test(arguments: TestedStore.allCases)
    func `a message of a damaged session stands in nobody's way`(store: TestedStore) async throws {
        let stores = try store.make()
        let first = ServerProcess(stores, stores.outbox, clock)
        let (damaged, sound) = (try await first.session(), try await first.session())
        try await first.promise(damaged)
        try await first.promise(sound)
        let next = ServerProcess(stores, stores.nextOutbox, clock, damaged: [damaged.correlationID])
        let recovered = await next.recover()
        #expect(recovered.unreadable == 1 && recovered.sent == 1 && recovered.fault == nil)
        #expect(await next.recover().isNothing)
    }

    @Test(arguments: TestedStore.allCases)
    func `a message that was sent and not noted goes out under the same id`(store: TestedStore) async throws {
        let stores = try store.make()
        let first = ServerProcess(stores, ForgetfulOutbox(base: stores.outbox), clock)
        let session = try await first.session()
        #expect(try await first.sendCode(session).refusal == nil)
        let next = ServerProcess(stores, stores.nextOutbox, clock)
        #expect(await next.recover() == sent(1))
        #expect(first.gateway.sent.map(\.id) == next.gateway.sent.map(\.id))
        #expect(first.gateway.sent.map(\.text) == next.gateway.sent.map(\.text))
    }

    @Test(arguments: TestedStore.allCases)
    func `a failure that came before a crash sends by the next route after it`(store: TestedStore) async throws {
        let stores = try store.make()
        let first = ServerProcess(stores, ForgetfulOutbox(base: stores.outbox), clock)
        first.gateway.take(routes: ["one", "two"])
        let session = try await first.session()
        #expect(try await first.sendCode(session).refusal == nil)
        let message = try #require(first.gateway.sent.first?.id)
        let subject = ReceiptService.Subject(correlationID: session.correlationID, message: message)
        #expect(try await ReceiptService(first.engine).take(MessageReceipt(.undelivered), for: subject, from: "one"))
        let next = ServerProcess(stores, stores.nextOutbox, clock)
        next.gateway.take(routes: ["one", "two"])
        #expect(await next.recover() == sent(1))
        #expect(next.gateway.sent.isEmpty, "the gateway has had it")
        #expect(try await ReceiptService(next.engine).noteOverdue() == 1)
        #expect(next.gateway.sent.map { $0.avoids.map(\.gateway) } == [["one"]])
        #expect(next.gateway.sent.map(\.text) == first.gateway.sent.map(\.text))
        #expect(try await next.verify(next.gateway.sent[0].code, session).session.outcome == .succeeded)
    }

    @Test(arguments: TestedStore.allCases)
    func `a message names the gateway of the one before it, also at another process`(store: TestedStore) async throws {
        let stores = try store.make()
        let first = ServerProcess(stores, stores.outbox, clock)
        first.gateway.take(routes: ["one", "two"])
        let session = try await first.session()
        #expect(try await first.sendCode(session).refusal == nil)
        let message = try #require(first.gateway.sent.first)
        #expect(message.previous == nil)
        let next = ServerProcess(stores, stores.nextOutbox, clock)
        #expect(try await next.sendCode(session, .again).refusal == nil)
        #expect(next.gateway.sent.map(\.previous) == [OutgoingMessage.Taken(message.id, by: "one")])
    }

    @Test(arguments: TestedStore.allCases)
    func `a message that was noted as sent, or refused, does not go out again`(store: TestedStore) async throws {
        let stores = try store.make()
        let first = ServerProcess(stores, stores.outbox, clock)
        #expect(try await first.sendCode(try await first.session()).refusal == nil)
        first.gateway.refuse(true)
        #expect(try await first.sendCode(try await first.session()).refusal == .messageFailed)
        #expect(await ServerProcess(stores, stores.nextOutbox, clock).recover().isNothing)
    }

    @Test(arguments: TestedStore.allCases, [(119, true), (120, false)])
    func `a message that is too late is given back, and its retry is told`(
        store: TestedStore, at border: (seconds: Int64, isSent: Bool)
    ) async throws {
        let stores = try store.make()
        let first = ServerProcess(stores, stores.outbox, clock)
        let session = try await first.session()
        try await first.promise(session)
        _ = clock.advance(seconds: border.seconds)
        let next = ServerProcess(stores, stores.nextOutbox, clock)
        #expect(await next.recover() == (border.isSent ? sent(1) : outcome { $0.expired = 1 }))
        #expect(next.gateway.sent.count == (border.isSent ? 1 : 0))
        let left = try #require(try await next.stored(session))
        #expect(left.sends.sendsLeft == (border.isSent ? 2 : 3))
        #expect(left.phase == .active(border.isSent ? .otpFinish : .otpStart))
        let kinds = try await stores.sessions.events(of: session.correlationID).map(\.kind)
        #expect(kinds.contains(.otpSendFailed) == !border.isSent)
        let retried = try await next.sendCode(session, retry: ServerProcess.retry)
        #expect(retried.refusal == (border.isSent ? nil : .messageFailed))
    }

    @Test(arguments: TestedStore.allCases)
    func `a message whose session is over is not sent`(store: TestedStore) async throws {
        let stores = try store.make()
        let first = ServerProcess(stores, stores.outbox, clock)
        let session = try await first.session()
        try await first.promise(session)
        let next = ServerProcess(stores, stores.nextOutbox, clock)
        let ended = try await next.call(SessionCommands(next.engine).cancel(), session).session
        #expect(await next.recover() == outcome { $0.expired = 1 })
        #expect(next.gateway.sent.isEmpty)
        #expect(try await next.stored(session) == ended.asStored)
    }

    @Test(arguments: TestedStore.allCases)
    func `a message of a tenant that was revoked is not sent`(store: TestedStore) async throws {
        let stores = try store.make()
        try await stores.tenants.add(
            Tenant(id: Sample.client, rules: TenantRules(), secretDigests: [], createdAt: clock.now()))
        let first = ServerProcess(stores, stores.outbox, clock)
        try await first.promise(try await first.session())
        _ = try await stores.tenants.revokeTenant(Sample.client, at: clock.now())
        let next = ServerProcess(stores, stores.nextOutbox, clock)
        #expect(await next.recover() == outcome { $0.expired = 1 })
        #expect(next.gateway.sent.isEmpty)
    }

    @Test(arguments: TestedStore.allCases)
    func `a message that another one followed is neither sent nor given back`(store: TestedStore) async throws {
        let stores = try store.make()
        let first = ServerProcess(stores, stores.outbox, clock)
        let session = try await first.session()
        try await first.promise(session)
        let next = ServerProcess(stores, stores.nextOutbox, clock)
        #expect(try await next.sendCode(session, .again).refusal == nil)
        #expect(await next.recover() == outcome { $0.expired = 1 })
        #expect(next.gateway.sent.count == 1)
        #expect(try await next.stored(session)?.sends.sendsLeft == 1)
        #expect(try await next.verify(next.gateway.sent[0].code, session).session.outcome == .succeeded)
    }

    @Test(arguments: TestedStore.allCases)
    func `a resend that never left makes the older code pass again`(store: TestedStore) async throws {
        let stores = try store.make()
        let first = ServerProcess(stores, stores.outbox, clock)
        let session = try await first.session()
        #expect(try await first.sendCode(session).refusal == nil)
        try await first.promise(session, .again)
        let next = ServerProcess(stores, stores.nextOutbox, clock)
        next.gateway.refuse(true)
        #expect(await next.recover() == outcome { $0.failed = 1 })
        #expect(try await next.stored(session)?.sends.sendsLeft == 2)
        #expect(try await next.verify(first.gateway.sent[0].code, session).session.outcome == .succeeded)
    }

    @Test(arguments: TestedStore.allCases)
    func `sends each message once, however many look at once`(store: TestedStore) async throws {
        let pair = try store.pair()
        let first = ServerProcess(pair.first, pair.first.outbox, clock)
        for _ in 0..<20 { try await first.promise(try await first.session()) }
        let next = pair.map { ServerProcess($0, $0.nextOutbox, clock) }
        _ = try await next.race(6) { next, _ in await next.recover().fault == nil }
        let sent = (next.first.gateway.sent + next.second.gateway.sent).map(\.id)
        #expect(sent.count == 20 && Set(sent).count == 20)
    }

    @Test(arguments: TestedStore.allCases)
    func `a process that is told to end leaves messages to the next one`(store: TestedStore) async throws {
        let stores = try store.make()
        let first = ServerProcess(stores, stores.outbox, clock)
        for _ in 0..<3 { try await first.promise(try await first.session()) }
        let ending = ServerProcess(stores, stores.nextOutbox, clock)
        let told = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await ending.recovery.deliverSome()
        }
        #expect(await told.value.isNothing)
        let last = ServerProcess(stores, stores.outbox, clock)
        #expect(await last.recover() == sent(3))
    }

    @Test(arguments: TestedStore.allCases)
    func `gives nothing back because a carrier was told to end`(store: TestedStore) async throws {
        let stores = try store.make()
        let first = ServerProcess(stores, stores.outbox, clock)
        let session = try await first.session()
        try await first.promise(session)
        let ending = ServerProcess(stores, stores.nextOutbox, clock, gateway: EndingCarrier())
        #expect(await ending.recovery.deliverSome().isNothing)
        #expect(try await ending.stored(session)?.sends.sendsLeft == 2)
        #expect(await ServerProcess(stores, stores.outbox, clock).recover() == sent(1))
    }

    private struct EndingCarrier: MessageGateway {
        func send(_ message: OutgoingMessage) async throws(GatewayFault) -> Acceptance {
            withUnsafeCurrentTask { $0?.cancel() }
            throw GatewayFault("the process ends")
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `gives a refused send back once`(store: TestedStore) async throws {
        let pair = try store.pair()
        let processes = pair.map { ServerProcess($0, $0.outbox, clock) }
        let first = processes.first
        let session = try await first.session()
        let message = try #require(try await first.promise(session))
        _ = try await processes.race(6) { process, _ in
            try await MessageDelivery(engine: process.engine).finish(message, as: .failed)?.refusal == .messageFailed
        }
        let left = try #require(try await first.stored(session))
        #expect(left.sends.sendsLeft == 3 && left.phase == .active(.otpStart))
        let kinds = try await pair.first.sessions.events(of: session.correlationID).map(\.kind)
        #expect(kinds.count { $0 == .otpSendFailed } == 1)
        // Nor is the next one taken for it.
        #expect(try await first.sendCode(session).refusal == nil)
        _ = try await MessageDelivery(engine: first.engine).finish(message, as: .failed)
        #expect(try await first.stored(session)?.sends.sendsLeft == 2)
    }

    /// The carrier refuses, and the disk is full just then.
    @Test func `a message whose outcome cannot be stored is taken up again by the same process`() async throws {
        let store = InMemoryStore()
        let stores = Stores(store)
        let broken = ServerProcess(stores, stores.outbox, clock, gateway: FullDisk(store: store))
        let session = try await broken.session()
        await #expect(throws: ClientAdmission.Fault.self) { try await broken.sendCode(session) }
        store.fail(with: nil)
        let mended = ServerProcess(stores, stores.outbox, clock)
        #expect(await mended.recover() == sent(1))
        #expect(try await mended.verify(mended.gateway.sent[0].code, session).session.outcome == .succeeded)
    }

    private struct FullDisk: MessageGateway {
        let store: InMemoryStore

        func send(_ message: OutgoingMessage) async throws(GatewayFault) -> Acceptance {
            store.fail(with: .overloaded)
            throw GatewayFault("refused")
        }
    }
}
