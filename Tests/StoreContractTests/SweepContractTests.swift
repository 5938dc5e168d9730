import TestSupport
import Testing

@testable import Engine
@testable import Possession

/// Rules of the ports for removing, checked on every store.
@Suite struct SweepContractTests {
    @Test(arguments: TestedStore.allCases)
    func `removes old sessions with all that hangs on them, and tells when nothing is left`(
        store: TestedStore
    ) async throws {
        let sessions = try store.make().sessions
        let old = try Sample.redeemed(.link, at: Sample.now.adding(.milliseconds(-1)))
        let kept = try Sample.redeemed(.link)
        for (session, byte) in [(old, UInt8(1)), (kept, 2)] {
            try await sessions.insert(session)
            _ = try await sessions.update(session) { change in
                _ = try? change.session.sendLink(
                    .first(nil), link: Sample.link(byte), browser: nil, at: Sample.now, rules: Sample.rules)
            }
        }
        #expect(try await sessions.sweep(sessionsBefore: Sample.now, now: Sample.now) > 0)
        #expect(try await sessions.sweep(sessionsBefore: Sample.now, now: Sample.now) == 0)
        #expect(try await sessions.session(.auth(old.authID)) == nil)
        #expect(try await sessions.session(.link(Sample.digest(1))) == nil)
        #expect(try await sessions.events(of: old.correlationID) == [])
        #expect(try await sessions.session(.link(Sample.digest(2)))?.authID == kept.authID)
        #expect(try await sessions.events(of: kept.correlationID).count == 3)
    }

    /// OTP-08.
    @Test(arguments: TestedStore.allCases)
    func `forgets the digest of a code once it has expired, and nothing else of its check`(
        store: TestedStore
    ) async throws {
        let sessions = try store.make().sessions
        let session = try Sample.waiting()
        try await sessions.insert(session)
        let expiresAt = try #require(session.otp.expiresAt)
        let past = Timestamp(seconds: 0)
        #expect(try await sessions.sweep(sessionsBefore: past, now: expiresAt.adding(.milliseconds(-1))) == 0)
        #expect(try await sessions.sweep(sessionsBefore: past, now: expiresAt) == 1)
        #expect(try await sessions.sweep(sessionsBefore: past, now: expiresAt) == 0)
        var late = try #require(try await sessions.session(.auth(session.authID))).otp
        #expect(late.expiresAt == expiresAt && late.attemptsLeft == session.otp.attemptsLeft)
        // Not even the right code passes any more, wherever the clock stands.
        #expect(late.submit(Sample.right, isLast: false, at: Sample.now) == .mismatch)
    }

    @Test(arguments: TestedStore.allCases)
    func `removes what nobody redeemed, and looks at each session once`(store: TestedStore) async throws {
        let sessions = try store.make().sessions
        let redeemed = try Sample.waiting()
        let new = Sample.session()
        let young = Sample.session(at: Sample.now.adding(.seconds(1)))
        for session in [redeemed, new, young] { try await sessions.insert(session) }
        let (end, now) = (Sample.now.adding(.seconds(1)), new.readableUntil)
        #expect(try await sessions.sweepUnredeemed(before: end, now: now) == 2)
        #expect(try await sessions.sweepUnredeemed(before: end, now: now) == 0)
        #expect(try await sessions.session(.auth(new.authID)) == nil)
        for kept in [redeemed, young] { #expect(try await sessions.session(.auth(kept.authID)) != nil) }
        #expect(try await sessions.sweepUnredeemed(before: end.adding(.milliseconds(1)), now: now) == 1)
    }

    /// Some are made to live for a day.
    @Test(arguments: TestedStore.allCases)
    func `leaves alone what somebody may still redeem or read`(store: TestedStore) async throws {
        let sessions = try store.make().sessions
        let new = Sample.session()
        try await sessions.insert(new)
        let now = new.readableUntil.adding(.milliseconds(-1))
        #expect(try await sessions.sweepUnredeemed(before: now, now: now) == 1)
        #expect(try await sessions.session(.auth(new.authID)) != nil)
    }

    @Test(arguments: TestedStore.allCases)
    func `forgets a count when it no longer counts, and a full stop never`(store: TestedStore) async throws {
        let stores = try store.make()
        let sent = LimitKey(.sendsToNumber, Sample.number, of: Sample.client)
        let stopped = LimitKey(.wrongCodes, Sample.number, of: Sample.client)
        let rules = Limits.OverSessions()
        try await stores.limits.count([sent, stopped]) { tallies in
            tallies.count([sent], by: rules, at: Sample.now)
            for _ in 0..<rules.failuresInARow { tallies.countFailure([stopped], by: rules, at: Sample.now) }
        }
        let past = Timestamp(seconds: 0)
        let day = Sample.now.adding(.seconds(86_400))
        #expect(try await stores.sessions.sweep(sessionsBefore: past, now: day.adding(.milliseconds(-1))) == 0)
        #expect(try await stores.sessions.sweep(sessionsBefore: past, now: day) == 1)
        #expect(try await stores.sessions.sweep(sessionsBefore: past, now: day.adding(.seconds(9000 * 86_400))) == 0)
        #expect(try await stores.limits.tallies([sent, stopped]).map(\.key) == [stopped])
        #expect(try await stores.limits.forgetTallies([sent, stopped]) == 1)
        #expect(try await stores.limits.tallies([sent, stopped]).isEmpty)
    }

    /// The state has the new number only; what the first call was answered still holds the old one.
    @Test(arguments: TestedStore.allCases)
    func `erases a session whose number was changed, by a number that only a kept reply holds`(
        store: TestedStore
    ) async throws {
        let stores = try store.make()
        let other = PhoneNumber(e164: "+12001004015")!
        let session = Sample.session(number: nil)
        try await stores.sessions.insert(session)
        var inputs = ChangeInputs()
        inputs.retry = RetryKey(path: "/link", requestID: "r-1", body: BodyDigest([1]))
        _ = try await stores.sessions.update(session, inputs) { change in
            try? change.session.redeem(
                .init(platform: .web, fallback: .link, deviceKey: false, cellular: .no), by: .bearer, challenge: [],
                at: Sample.now, rules: Sample.rules)
            _ = try? change.session.sendLink(
                .first(Sample.number), link: Sample.link(1), browser: nil, at: Sample.now, rules: Sample.rules)
            change.reply = KeptReply(
                requestBody: BodyDigest([1]), reply: OperationReply(refusal: nil, session: change.session), at: nil)
        }
        _ = try await stores.sessions.update(session) { change in
            _ = try? change.session.sendLink(
                .toNumber(other), link: Sample.link(2), browser: nil, at: Sample.now, rules: Sample.rules)
        }
        let key = SessionKey.auth(session.authID)
        #expect(try await stores.sessions.session(key)?.targets == [.number(other)])
        #expect(try await stores.erasures.erase(.number(Sample.number), at: nil).data.sessions == 1)
        #expect(try await stores.sessions.session(key) == nil)
    }

    @Test(arguments: TestedStore.allCases)
    func `erases all that belongs to a number, everywhere or at one tenant`(store: TestedStore) async throws {
        for tenant in [nil, Sample.client] {
            let stores = try store.make()
            let claimed = Sample.session()
            let entered = try { () throws -> Session in
                var session = Sample.session(number: nil)
                try session.redeem(
                    .init(platform: .web, fallback: .link, deviceKey: false, cellular: .no), by: .bearer,
                    challenge: [], at: Sample.now, rules: Sample.rules)
                _ = try session.sendLink(
                    .first(Sample.number), link: Sample.link(1), browser: nil, at: Sample.now, rules: Sample.rules)
                return session
            }()
            let foreign = Sample.session(of: Sample.other)
            let stranger = Sample.session(number: PhoneNumber(e164: "+12001004015")!)
            for session in [claimed, entered, foreign, stranger] { try await stores.sessions.insert(session) }
            let key = Sample.key(1)
            _ = try await stores.sessions.update(claimed) { change in
                change.session.complete(success: true, numberIfUnknown: nil, at: Sample.now, rules: Sample.rules)
                change.deviceKey = key
            }
            let identity = try #require(try await stores.sessions.session(.auth(claimed.authID))?.holderID)
            let erased = try await stores.erasures.erase(.number(Sample.number), at: tenant)
            let gone = tenant == nil ? [claimed, entered, foreign] : [claimed, entered]
            #expect(Set(erased.sessions.map(\.authID)) == Set(gone.map(\.authID)))
            #expect(erased.data.sessions == gone.count && erased.data.deviceKeys == 1 && erased.data.identities == 1)
            for session in gone { #expect(try await stores.sessions.session(.auth(session.authID)) == nil) }
            #expect(try await stores.sessions.session(.link(Sample.digest(1))) == nil)
            #expect(try await stores.sessions.session(.auth(stranger.authID)) != nil)
            #expect(try await (stores.sessions.session(.auth(foreign.authID)) == nil) == (tenant == nil))
            #expect(try await stores.deviceKeys.deviceKey(key.id, of: Sample.client) == nil)
            #expect(try await stores.identities.number(of: identity, of: Sample.client) == nil)
            #expect(try await stores.erasures.erase(.number(Sample.number), at: tenant).data.isNothing)
        }
    }
}
