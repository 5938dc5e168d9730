import TestSupport
import Testing

@testable import Engine
@testable import Possession

/// Rules of the ports for sessions, checked on every store.
@Suite struct SessionStoreContractTests {
    @Test(arguments: TestedStore.allCases)
    func `gives back every member of a session, new or changed, by each of its keys`(store: TestedStore) async throws {
        let sessions = try store.make().sessions
        var generator = SessionGenerator(seed: 1)
        for _ in 0..<60 {
            let before = generator.session()
            try await sessions.insert(before)
            #expect(try await sessions.session(.correlation(before.correlationID)) == before)
            let after = generator.session(like: before)
            #expect(try await sessions.update(before) { $0.session = after } != nil)
            #expect(try await sessions.session(.auth(before.authID)) == after)
            if let digest = after.link.digest {
                #expect(try await sessions.session(.link(digest)) == after)
            }
            if let attempt = after.mobileAuth.attempt {
                #expect(try await sessions.session(.attempt(attempt)) == after)
            }
            for name in after.names where before.names.contains(name) {
                #expect(try await sessions.session(.named(name), in: after.fence) == after)
            }
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `runs no rule for a session that it does not have`(store: TestedStore) async throws {
        let sessions = try store.make().sessions
        try await sessions.insert(Sample.session())
        let keys: [SessionKey] = [
            .correlation(Sample.id()), .auth(Sample.id()), .link(Sample.digest(1)), .flow(FlowDigest([1])),
            .attempt(AttemptID([UInt8](repeating: 1, count: 16))!), .target(.number(Sample.number)),
        ]
        let fence = SessionFence(Sample.client, Sample.product)
        for key in keys {
            #expect(try await sessions.session(key, in: fence) == nil)
            let changed = try await sessions.update(key, in: fence, ChangeInputs(), freshHolderID: Sample.id()) { _ in
                1
            }
            #expect(changed == nil)
        }
        #expect(try await sessions.events(of: Sample.id()) == [])
    }

    @Test(arguments: TestedStore.allCases)
    func `finds the newest session of a tenant for a number, where the policy lets it`(store: TestedStore) async throws
    {
        let sessions = try store.make().sessions
        func insert(_ client: ClientID, _ number: PhoneNumber, at seconds: Int, isFound: Bool = true) async throws
            -> Session
        {
            let session = Sample.session(
                at: Sample.now.adding(.seconds(seconds)), number: number, of: client, isFoundByNumber: isFound)
            try await sessions.insert(session)
            return session.asStored
        }
        func found(_ client: ClientID, _ number: PhoneNumber = Sample.number) async throws -> Session? {
            try await sessions.session(.target(.number(number)), in: SessionFence(client, Sample.product))
        }
        let elsewhere = PhoneNumber(e164: "+12001004015")!
        let first = try await insert(Sample.client, Sample.number, at: 0)
        #expect(try await found(Sample.client) == first)
        let second = try await insert(Sample.client, Sample.number, at: 1)
        let foreign = try await insert(Sample.other, Sample.number, at: 2)
        let other = try await insert(Sample.client, elsewhere, at: 3)
        _ = try await insert(Sample.client, Sample.number, at: 4, isFound: false)
        #expect(try await found(Sample.client) == second)
        #expect(try await found(Sample.other) == foreign)
        #expect(try await found(Sample.client, elsewhere) == other)
        #expect(try await found(Sample.other, elsewhere) == nil)
        let changed = try await sessions.update(
            Self.target, in: second.fence, ChangeInputs(), freshHolderID: Sample.id()
        ) {
            $0.session.correlationID
        }
        #expect(changed == second.correlationID)
    }

    /// At the key of `Sample.number`.
    private static let target = SessionKey.target(.number(Sample.number))
    private static let fence = SessionFence(Sample.client, Sample.product)

    @Test(arguments: TestedStore.allCases)
    func `goes on with the session at a key, or starts one by the same rule`(store: TestedStore) async throws {
        let sessions = try store.make().sessions
        func call(_ new: Session, goesOn: Bool) async throws -> Bool {
            try await sessions.findOrInsert(
                Self.target, new: new, goesOn: { _ in goesOn }, ChangeInputs(), freshHolderID: Sample.id()
            ) { change in
                change.session.cancel(at: Sample.now)
                return change.isNew
            }
        }
        let first = Sample.session(isFoundByNumber: true)
        let second = Sample.session(at: Sample.now.adding(.seconds(1)), isFoundByNumber: true)
        #expect(try await call(first, goesOn: true), "there is none that could go on")
        let stored = try #require(try await sessions.session(.correlation(first.correlationID)))
        #expect(stored.outcome == .cancelled && stored.storedEventCount == 2)
        #expect(try await !call(second, goesOn: true))
        #expect(try await sessions.session(.correlation(second.correlationID)) == nil)
        #expect(try await call(second, goesOn: false))
        #expect(try await sessions.session(Self.target, in: Self.fence)?.correlationID == second.correlationID)
        await #expect(throws: StorageFault.duplicate) { try await call(first, goesOn: false) }
    }

    @Test(arguments: TestedStore.allCases)
    func `the session at a target is the one that has kept the answer to the call`(store: TestedStore) async throws {
        let sessions = try store.make().sessions
        func lookup(_ requestID: String, isAnswer: Bool) -> ChangeInputs {
            var lookup = ChangeInputs()
            lookup.retry = RetryKey(path: "/create", requestID: requestID, body: BodyDigest([1]))
            lookup.isAnswer = { _ in isAnswer }
            return lookup
        }
        let rule: @Sendable (inout SessionChange) -> KeptReply? = { change in
            let earlier = change.earlierReply
            change.reply = KeptReply(
                requestBody: BodyDigest([1]), reply: OperationReply(refusal: nil, session: change.session),
                at: Sample.now)
            return earlier
        }
        func call(_ session: Session, _ requestID: String, isAnswer: Bool = true) async throws -> KeptReply? {
            try await sessions.findOrInsert(
                Self.target, new: session, goesOn: { _ in false }, lookup(requestID, isAnswer: isAnswer),
                freshHolderID: Sample.id(), rule)
        }
        let all = (0..<4).map { Sample.session(at: Sample.now.adding(.seconds(Int64($0))), isFoundByNumber: true) }
        #expect(try await call(all[0], "a") == nil)
        #expect(try await call(all[1], "b") == nil, "another call, of a session that does not go on")
        let again = try #require(try await call(all[2], "a"))
        #expect(again.reply.session.correlationID == all[0].correlationID && again.at == Sample.now)
        let updated = try await sessions.update(
            Self.target, in: Self.fence, lookup("a", isAnswer: true), freshHolderID: Sample.id(), rule)
        #expect(updated??.reply.session.correlationID == all[0].correlationID)
        let newest = try await sessions.update(
            Self.target, in: Self.fence, lookup("a", isAnswer: false), freshHolderID: Sample.id()
        ) {
            $0.session.correlationID
        }
        #expect(newest == all[1].correlationID, "what was kept is no answer")
        #expect(try await call(all[3], "a", isAnswer: false) == nil)
        #expect(try await sessions.session(Self.target, in: Self.fence)?.correlationID == all[3].correlationID)
    }

    @Test(arguments: TestedStore.allCases)
    func `stores nothing of a dropped session but what limits counted`(store: TestedStore) async throws {
        let stores = try store.make()
        let (key, rules) = (LimitKey(.sendsToNumber, Sample.number, of: Sample.client), Limits.OverSessions())
        let new = Sample.session(isFoundByNumber: true)
        var lookup = ChangeInputs()
        lookup.limitKeys = { _, _ in [key] }
        try await stores.sessions.findOrInsert(
            Self.target, new: new, goesOn: { _ in true }, lookup, freshHolderID: Sample.id()
        ) { change in
            change.tallies.count([key], by: rules, at: Sample.now)
            change.isDropped = true
        }
        #expect(try await stores.sessions.session(.correlation(new.correlationID)) == nil)
        #expect(try await stores.sessions.events(of: new.correlationID).isEmpty)
        #expect(try await stores.limits.tallies([key])[key]?.entries.count == 1)
    }

    @Test(arguments: TestedStore.allCases)
    func `starts one session for two hundred calls at the same time, and counts each`(store: TestedStore) async throws {
        let pair = try store.pair()
        let (key, rules) = (LimitKey(.sendsToNumber, Sample.number, of: Sample.client), Limits.OverSessions())
        let started = try await pair.race(200) { stores, _ in
            var lookup = ChangeInputs()
            lookup.limitKeys = { _, _ in [key] }
            return try await stores.sessions.findOrInsert(
                Self.target, new: Sample.session(isFoundByNumber: true), goesOn: { !$0.isDone }, lookup,
                freshHolderID: Sample.id()
            ) { change in
                _ = change.tallies.take([key], by: rules, at: Sample.now)
                return change.isNew
            }
        }
        #expect(started == 1)
        var alone = LimitTallies([(key, LimitTally())])
        for _ in 0..<200 { _ = alone.take([key], by: rules, at: Sample.now) }
        #expect(try await pair.first.limits.tallies([key])[key] == alone[key])
    }

    @Test(arguments: TestedStore.allCases)
    func `refuses a second session under a key that is taken, and keeps the first`(store: TestedStore) async throws {
        let sessions = try store.make().sessions
        let flow = FlowDigest([1])
        let first = Sample.session(flow: flow)
        try await sessions.insert(first)
        for second in [first, Sample.session(flow: flow)] {
            await #expect(throws: StorageFault.duplicate) { try await sessions.insert(second) }
        }
        #expect(try await sessions.session(.flow(flow)) == first.asStored)
        #expect(try await sessions.events(of: first.correlationID).count == 1)
    }

    @Test(arguments: TestedStore.allCases)
    func `keeps the timeline in order over inserts and changes`(store: TestedStore) async throws {
        let sessions = try store.make().sessions
        let session = try Sample.waiting()
        try await sessions.insert(session)
        _ = try await sessions.update(session) { $0.session.cancel(at: Sample.now) }
        let kinds = try await sessions.events(of: session.correlationID).map(\.kind)
        #expect(kinds == [.created, .redeemed, .otpSent, .cancelled])
        #expect(try await sessions.session(.auth(session.authID))?.storedEventCount == 4)
    }

    @Test(arguments: TestedStore.allCases)
    func `lets one of racing right codes pass`(store: TestedStore) async throws {
        let sessions = try store.pair().map(\.sessions)
        let session = try Sample.waiting()
        try await sessions.first.insert(session)
        let passes = try await sessions.race(16) { sessions, _ in
            try await sessions.update(session) { change -> Bool in
                (try? change.session.verifyOTP({ _, _ in Sample.right }, at: Sample.now, rules: Sample.rules)) != nil
            } ?? false
        }
        #expect(passes == 1)
    }

    @Test(arguments: TestedStore.allCases)
    func `finds a session by every link that it sent`(store: TestedStore) async throws {
        let sessions = try store.make().sessions
        let session = try Sample.redeemed(.link)
        try await sessions.insert(session)
        for byte: UInt8 in 1...2 {
            _ = try await sessions.update(session) { change in
                _ = try? change.session.sendLink(
                    byte == 1 ? .first(nil) : .again, link: Sample.link(byte), browser: nil,
                    at: Sample.now.adding(.seconds(60 * Int64(byte))), rules: Sample.rules)
            }
        }
        for byte: UInt8 in 1...2 {
            let found = try await sessions.session(.link(Sample.digest(byte)))
            #expect(found?.authID == session.authID && found?.link.digest == Sample.digest(2))
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `takes a proof once a session, and uses up none of a stranger`(store: TestedStore) async throws {
        let pair = try store.pair().map(\.sessions)
        let sessions = pair.first
        let session = Sample.session()
        try await sessions.insert(session)
        var lookup = ChangeInputs()
        lookup.proof = Sample.proof(1)
        let fresh = try await pair.race(20) { [lookup] sessions, _ in
            try await sessions.update(session, lookup) { $0.proof } == .new
        }
        #expect(fresh == 1)
        _ = try await sessions.update(session) { change in
            try? change.session.redeem(
                .init(platform: .web, fallback: .otp, deviceKey: false, cellular: .no),
                by: .key(Sample.proof(1).thumbprint), challenge: [], at: Sample.now, rules: Sample.rules)
        }
        for _ in 0..<2 {
            lookup.proof = Sample.proof(2, by: 9)
            #expect(try await sessions.update(session, lookup) { $0.proof } == .new)
        }
        lookup.proof = Sample.proof(2)
        #expect(try await sessions.update(session, lookup) { $0.proof } == .new)
        #expect(try await sessions.update(session, lookup) { $0.proof } == .usedBefore)
    }

    @Test(arguments: TestedStore.allCases)
    func `gives a retry what was stored under its path and id last`(store: TestedStore) async throws {
        let sessions = try store.make().sessions
        let session = Sample.session()
        try await sessions.insert(session)
        func ask(_ path: String, _ id: String, storing new: KeptReply? = nil) async throws -> KeptReply? {
            var lookup = ChangeInputs()
            lookup.retry = RetryKey(path: path, requestID: id, body: BodyDigest([1]))
            return try await sessions.update(session, lookup) { change in
                change.reply = new
                return change.earlierReply
            } ?? nil
        }
        let offer = MobileAuthOffer(attempt: AttemptID([UInt8](repeating: 3, count: 16))!, ticket: "t")
        for (refusal, offer) in [(nil, offer), (StepRefusal.messageFailed, nil)] {
            let kept = KeptReply(
                requestBody: BodyDigest([1]), reply: OperationReply(refusal: refusal, session: session, offer: offer),
                at: Sample.now)
            _ = try await ask("/otp", "r-1", storing: kept)
            #expect(try await ask("/otp", "r-1") == kept)
        }
        #expect(try await ask("/otp", "r-2") == nil)
        #expect(try await ask("/device", "r-1") == nil)
    }

    @Test(arguments: TestedStore.allCases)
    func `gives a number one id at each tenant, from whichever session proves it`(store: TestedStore) async throws {
        let stores = try store.make()
        var ids: [HolderID] = []
        for (client, isInstant) in [(Sample.client, false), (Sample.client, true), (Sample.other, true)] {
            var session = Sample.session(of: client)
            if isInstant {
                session.complete(success: true, numberIfUnknown: nil, at: Sample.now, rules: Sample.rules)
            }
            try await stores.sessions.insert(session)
            if !isInstant {
                _ = try await stores.sessions.update(session) {
                    $0.session.complete(success: true, numberIfUnknown: nil, at: Sample.now, rules: Sample.rules)
                }
            }
            let id = try #require(try await stores.sessions.session(.auth(session.authID))?.holderID)
            #expect(try await stores.identities.number(of: id, of: client) == Sample.number)
            ids.append(id)
        }
        #expect(ids[0] == ids[1] && ids[0] != ids[2])
        #expect(try await stores.identities.number(of: ids[0], of: Sample.other) == nil)
    }

    @Test(arguments: TestedStore.allCases)
    func `stores no session that a limit refuses, and what was counted`(store: TestedStore) async throws {
        let pair = try store.pair()
        let stores = pair.first
        let key = LimitKey(.failedClaimsOfDeviceKey, of: Sample.client, [192, 0, 2, 1])
        let rules = Limits.OverSessions()
        let stored = try await pair.race(30) { stores, _ in
            try await stores.sessions.insert(Sample.session(), freshHolderID: Sample.id(), counting: [key]) { tallies in
                do throws(LimitHit) { try tallies.check([key], by: rules, at: Sample.now) } catch { return error }
                tallies.count([key], by: rules, at: Sample.now)
                return nil
            } == nil
        }
        #expect(stored == 5)
        #expect(try await stores.sessions.recentSessions(limit: 100).count == 5)
        #expect(try await stores.limits.tallies([key])[key]?.entries.isEmpty == false)
    }

    @Test(arguments: TestedStore.allCases)
    func `shows a rule the device key that was looked up, and whether the tenant was revoked`(
        store: TestedStore
    ) async throws {
        let stores = try store.make()
        try await stores.tenants.add(
            Tenant(id: Sample.client, rules: TenantRules(), secretDigests: [], createdAt: Sample.now))
        let session = Sample.session()
        try await stores.sessions.insert(session)
        let key = Sample.key(1)
        _ = try await stores.sessions.update(session) { $0.deviceKey = key }
        var lookup = ChangeInputs()
        lookup.thumbprint = key.thumbprint
        #expect(try await stores.sessions.update(session, lookup) { $0.deviceKey } == .some(key))
        #expect(try await stores.sessions.update(session) { $0.deviceKey } == .some(nil))
        let stranger = Sample.session(of: Sample.other)
        try await stores.sessions.insert(stranger)
        #expect(try await stores.sessions.update(stranger, lookup) { $0.deviceKey } == .some(nil))
        #expect(try await stores.sessions.update(session) { $0.tenantIsRevoked } == false)
        _ = try await stores.tenants.revokeTenant(Sample.client, at: Sample.now)
        #expect(try await stores.sessions.update(session) { $0.tenantIsRevoked } == true)
    }

    @Test(arguments: TestedStore.allCases)
    func `lists the newest sessions first`(store: TestedStore) async throws {
        let sessions = try store.make().sessions
        for second: Int64 in [3, 1, 2] { try await sessions.insert(Sample.session(at: Timestamp(seconds: second))) }
        #expect(try await sessions.recentSessions(limit: 2).map(\.createdAt.seconds) == [3, 2])
        #expect(try await sessions.recentSessions(limit: 0) == [])
    }
}
