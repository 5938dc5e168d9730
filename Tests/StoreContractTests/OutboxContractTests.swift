import TestSupport
import Testing

@testable import Engine
@testable import Possession

/// Rules of the ports for messages, checked on every store.
@Suite struct OutboxContractTests {
    /// A stored session that has been promised a code; the message is in the hands of this process.
    private func promise(
        _ stores: Stores, at now: Timestamp = Sample.now, number: PhoneNumber? = Sample.number
    ) async throws -> OutboundMessage {
        var session = Sample.session(at: now, number: number)
        try session.redeem(
            .init(platform: .web, fallback: .otp, deviceKey: false, cellular: .no), by: .bearer, challenge: [],
            at: now, rules: Sample.rules)
        try await stores.sessions.insert(session)
        let id: MessageID = Sample.id(at: now)
        let sent = try await stores.sessions.update(session) { change -> OutboundMessage? in
            let pending = try? change.session.sendCode(
                .first(number == nil ? Sample.number : nil),
                issue: { _, _, _ in .init(shown: OTP("1234")!, expected: Sample.right) }, at: now, rules: Sample.rules)
            change.message = pending.map {
                OutboundMessage(
                    id: id, correlationID: change.session.correlationID, pending: $0,
                    retry: RetryKey(path: "/otp", requestID: "r-1", body: BodyDigest([1])))
            }
            return change.message
        }
        return try #require(sent ?? nil)
    }

    private func settle(
        _ message: OutboundMessage, as state: OutboundMessage.State, _ stores: Stores
    ) async throws -> OutboundMessage.State? {
        var lookup = ChangeInputs()
        lookup.message = message.id
        let key = SessionKey.correlation(message.correlationID)
        return try await stores.sessions.update(key, lookup, freshHolderID: Sample.id()) { change in
            let before = change.messageState
            if before == .queued { change.messageState = state }
            return before
        } ?? nil
    }

    @Test(arguments: TestedStore.allCases)
    func `stores a message with its change, in the hands of whoever made it`(store: TestedStore) async throws {
        let stores = try store.make()
        let message = try await promise(stores)
        #expect(try await stores.outbox.takeQueued(limit: 10).isEmpty)
        #expect(try await stores.nextOutbox.takeQueued(limit: 10).messages == [message])
        #expect(try await stores.nextOutbox.takeQueued(limit: 10).isEmpty)
    }

    @Test(arguments: TestedStore.allCases)
    func `takes no message twice, however many ask at once`(store: TestedStore) async throws {
        let pair = try store.pair()
        for _ in 0..<20 { _ = try await promise(pair.first) }
        let ids = try await pair.callAtOnce(12) { stores, _ in
            try await stores.nextOutbox.takeQueued(limit: 3).messages.map(\.id)
        }.flatMap { $0 }
        #expect(ids.count == 20 && Set(ids).count == 20)
    }

    @Test(arguments: TestedStore.allCases)
    func `takes the oldest first, and at most so many`(store: TestedStore) async throws {
        let stores = try store.make()
        var ids: [MessageID] = []
        for second in [2, 0, 1] {
            ids.append(try await promise(stores, at: Sample.now.adding(.seconds(second))).id)
        }
        #expect(try await stores.nextOutbox.takeQueued(limit: 2).messages.map(\.id) == [ids[1], ids[2]])
        #expect(try await stores.nextOutbox.takeQueued(limit: 2).messages.map(\.id) == [ids[0]])
    }

    @Test(arguments: TestedStore.allCases)
    func `settles a message once, by a note or by a change`(store: TestedStore) async throws {
        let stores = try store.make()
        let sent = try await promise(stores)
        try await stores.noteSent(sent, Acceptance())
        #expect(try await settle(sent, as: .failed, stores) == .sent)
        #expect(try await settle(sent, as: .failed, stores) == .sent)
        for state in [OutboundMessage.State.failed, .expired] {
            let message = try await promise(stores)
            #expect(try await settle(message, as: state, stores) == .queued)
            #expect(try await settle(message, as: .expired, stores) == state)
            try await stores.noteSent(message, Acceptance())
            #expect(try await settle(message, as: .expired, stores) == state)
        }
        #expect(try await stores.nextOutbox.takeQueued(limit: 10).isEmpty)
    }

    @Test(arguments: TestedStore.allCases)
    func `a change that names a message finds what was noted before`(store: TestedStore) async throws {
        let stores = try store.make()
        for _ in 0..<20 {
            let message = try await promise(stores)
            stores.outbox.noteSent(message, Acceptance(), keeps: false, webhooks: [])
            #expect(try await settle(message, as: .failed, stores) == .sent)
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `keeps the first end of a message, whatever its state`(store: TestedStore) async throws {
        let stores = try store.make()
        let message = try await promise(stores)
        var lookup = ChangeInputs()
        lookup.message = message.id
        let key = SessionKey.correlation(message.correlationID)
        func tell(_ end: MessageReceipt.End) async throws -> MessageReceipt.End? {
            try await stores.sessions.update(key, lookup, freshHolderID: Sample.id()) { change in
                let before = change.messageEnd
                if before == nil { change.messageEnd = end }
                return before
            } ?? nil
        }
        #expect(try await tell(.delivered) == nil)
        try await stores.noteSent(message, Acceptance(gateway: "main", id: "m1", channel: .voice))
        #expect(try await tell(.expired) == .delivered)
        #expect(try await tell(.undelivered) == .delivered)
        #expect(try await settle(message, as: .failed, stores) == .sent)
        #expect(
            try await stores.outbox.standings(of: message.correlationID)
                == [
                    MessageStanding(
                        id: message.id, state: .sent, gateway: "main", channel: .voice, end: .delivered)
                ])
    }

    private static let refusals = [
        GatewayRefusal(
            gateway: "one", channel: .whatsapp, outcome: "route", code: "21408", reason: "it said\tno,\nat length"),
        GatewayRefusal(outcome: "circuit_open", reason: "is left alone after failures"),
    ]
    /// Without control characters.
    private static let storedReasons = ["it said no, at length", "is left alone after failures"]

    @Test(arguments: TestedStore.allCases)
    func `keeps who did not take a message, and why`(store: TestedStore) async throws {
        let stores = try store.make()
        let sent = try await promise(stores)
        var acceptance = Acceptance(gateway: "two")
        acceptance.refusals = Self.refusals
        try await stores.noteSent(sent, acceptance)
        let failed = try await promise(stores)
        var lookup = ChangeInputs()
        lookup.message = failed.id
        _ = try await stores.sessions.update(
            .correlation(failed.correlationID), lookup, freshHolderID: Sample.id()
        ) { change in
            change.messageState = .failed
            change.messageRefusals = Self.refusals
        }
        for message in [sent, failed] {
            let found = try #require(try await stores.outbox.standings(of: message.correlationID).first).refusals
            #expect(found.map(\.gateway) == ["one", nil] && found.map(\.channel) == [.whatsapp, nil])
            #expect(found.map(\.outcome) == ["route", "circuit_open"] && found.map(\.code) == ["21408", nil])
            #expect(
                found.map { $0.reason.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
                    == Self.storedReasons)
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `lists messages without a receipt once they are due, until one comes`(store: TestedStore) async throws {
        let stores = try store.make()
        var messages: [OutboundMessage] = []
        for due in [30, 10, 20, nil] {
            let message = try await promise(stores)
            messages.append(message)
            let moment = due.map { Sample.now.adding(.seconds($0)) }
            try await stores.noteSent(message, Acceptance(gateway: "main", receiptDue: moment))
        }
        func overdue(_ seconds: Int, limit: Int = 10) async throws -> [MessageID] {
            try await stores.outbox.overdue(at: Sample.now.adding(.seconds(seconds)), limit: limit).map(\.message)
        }
        #expect(try await overdue(9) == [])
        #expect(try await overdue(10) == [messages[1].id])
        #expect(try await overdue(30) == [messages[1].id, messages[2].id, messages[0].id])
        #expect(try await overdue(30, limit: 1) == [messages[1].id])
        for (message, hasEnd) in [(messages[1], false), (messages[2], true)] {
            var lookup = ChangeInputs()
            lookup.message = message.id
            let awaited = try await stores.sessions.update(
                .correlation(message.correlationID), lookup, freshHolderID: Sample.id()
            ) { change in
                let awaited = change.messageAwaitsReceipt
                if hasEnd { change.messageEnd = .delivered }
                change.messageAwaitsReceipt = false
                return awaited
            }
            #expect(awaited == true)
        }
        #expect(try await overdue(30) == [messages[0].id])
        #expect(try await stores.outbox.standings(of: messages[0].correlationID).map(\.awaitsReceipt) == [true])
    }

    @Test(arguments: TestedStore.allCases)
    func `tells a rule which gateway took a message, and on which channel`(store: TestedStore) async throws {
        let stores = try store.make()
        for (gateway, channel) in [("main", OutgoingMessage.Channel.whatsapp), ("main", nil), (nil, .sms), (nil, nil)] {
            let message = try await promise(stores)
            try await stores.noteSent(message, Acceptance(gateway: gateway, channel: channel))
            var lookup = ChangeInputs()
            lookup.message = message.id
            let seen = try await stores.sessions.update(
                .correlation(message.correlationID), lookup, freshHolderID: Sample.id()
            ) { [$0.messageGateway, $0.messageChannel?.rawValue] }
            #expect(seen == [gateway, channel?.rawValue])
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `keeps what a sent message held until it ends, its session is over or another one follows`(
        store: TestedStore
    ) async throws {
        let stores = try store.make()
        for ending in ["end", "over", "next", "other"] {
            let message = try await promise(stores)
            let (id, session) = (message.id, message.correlationID)
            #expect(try await stores.kept(id, of: session) == nil)
            try await stores.noteSent(message, Acceptance(gateway: "main", hasNextRoute: true), keeps: true)
            #expect(try await stores.kept(id, of: session) == message)
            #expect(try await stores.nextOutbox.takeQueued(limit: 10).isEmpty)
            var lookup = ChangeInputs()
            lookup.message = id
            let nextID: MessageID = Sample.id()
            _ = try await stores.sessions.update(.correlation(session), lookup, freshHolderID: Sample.id()) { change in
                switch ending {
                case "end": change.messageEnd = .undelivered
                case "over": change.session.cancel(at: Sample.now)
                case "next":
                    change.message = OutboundMessage(
                        id: nextID, correlationID: session, pending: message.pending,
                        avoids: [ExcludedRoute("main", .whatsapp), ExcludedRoute("old"), ExcludedRoute(every: .voice)])
                default: break
                }
            }
            #expect(try await stores.kept(id, of: session) == (ending == "other" ? message : nil), "\(ending)")
            let queued = try await stores.nextOutbox.takeQueued(limit: 10).messages
            #expect(
                queued.map(\.avoids)
                    == (ending == "next"
                        ? [[ExcludedRoute("main", .whatsapp), ExcludedRoute("old"), ExcludedRoute(every: .voice)]] : [])
            )
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `a released message can be taken again`(store: TestedStore) async throws {
        let stores = try store.make()
        let message = try await promise(stores)
        for _ in 0..<2 {
            try await stores.release(message)
            #expect(try await stores.outbox.takeQueued(limit: 10).messages == [message])
            #expect(try await stores.outbox.takeQueued(limit: 10).isEmpty)
        }
        try await stores.noteSent(message, Acceptance())
        try await stores.release(message)
        #expect(try await stores.outbox.takeQueued(limit: 10).isEmpty)
    }

    @Test(arguments: TestedStore.allCases)
    func `shows a rule no message of another session`(store: TestedStore) async throws {
        let stores = try store.make()
        let message = try await promise(stores)
        let stranger = Sample.session()
        try await stores.sessions.insert(stranger)
        var lookup = ChangeInputs()
        lookup.message = message.id
        #expect(try await stores.sessions.update(stranger, lookup) { $0.messageState } == .some(nil))
    }

    @Test(arguments: TestedStore.allCases)
    func `a message goes with its session`(store: TestedStore) async throws {
        let stores = try store.make()
        _ = try await promise(stores, at: Sample.now.adding(.milliseconds(-1)))
        #expect(try await stores.sessions.sweep(sessionsBefore: Sample.now, now: Sample.now) > 0)
        #expect(try await stores.nextOutbox.takeQueued(limit: 10).isEmpty)
    }

    /// The session has another number by now; the message still has the old one.
    @Test(arguments: TestedStore.allCases)
    func `erases a session by a number that only its queued message holds`(store: TestedStore) async throws {
        let stores = try store.make()
        let other = PhoneNumber(e164: "+12001004015")!
        let message = try await promise(stores, number: nil)
        let key = SessionKey.correlation(message.correlationID)
        _ = try await stores.sessions.update(key, ChangeInputs(), freshHolderID: Sample.id()) { change in
            _ = try? change.session.sendCode(
                .toNumber(other), issue: { _, _, _ in .init(shown: OTP("1234")!, expected: Sample.right) },
                at: Sample.now, rules: Sample.rules)
        }
        #expect(try await stores.sessions.session(key)?.targets == [.number(other)])
        #expect(try await stores.erasures.erase(.number(Sample.number), at: nil).data.sessions == 1)
        #expect(try await stores.nextOutbox.takeQueued(limit: 10).isEmpty)
    }
}

extension Stores {
    /// Content of a sent message, as a change finds it.
    fileprivate func kept(_ id: MessageID, of session: CorrelationID) async throws -> OutboundMessage? {
        var lookup = ChangeInputs()
        lookup.message = id
        lookup.wantsKeptMessage = true
        return try await sessions.update(.correlation(session), lookup, freshHolderID: Sample.id()) { $0.keptMessage }
            ?? nil
    }
}
