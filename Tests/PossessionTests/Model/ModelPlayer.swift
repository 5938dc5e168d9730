@testable import Possession
import Text

/// Plays one session of the model test: every call goes to the session, as a service would make it, and to the model.
struct ModelPlayer {
    private(set) var model: SessionModel
    private(set) var session: Session
    private var deviceKey: DeviceKey?
    private var sent: [(message: Session.PendingMessage, before: SessionModel.Spot, stamp: Int)] = []
    private var prints: [Int: Fingerprint] = [:]
    /// Whether a rule threw and had changed its session all the same.
    private var throwChanged = false
    private let rules: Rules

    init(_ setup: ModelSetup) {
        model = SessionModel(setup)
        session = Fixture.session(setup.request)
        rules = setup.rules
    }

    private var now: Timestamp { Fixture.moment(model.clock) }

    /// - Returns: what differs, if anything does.
    mutating func play(_ call: ModelCall) -> String? {
        // As a store would hand it back.
        session = session.stored(eventCount: session.storedEventCount + session.newEvents.count)
        let before = session
        session.expire(at: now)
        let settled = session
        model.settle()
        let (got, expected) = perform(call)
        if before.proof == nil { bindKey() }
        session.countRevision(since: settled)
        if throwChanged { return "changed, and threw" }
        if let broken = session.brokenInvariant(since: settled) { return "breaks \(broken.rawValue)" }
        if got != expected { return "gave \(got), not \(expected)" }
        return difference() ?? violation(of: call, since: before, settled)
    }

    private mutating func bindKey() {
        var change = self.change
        change.bindPendingKey(freshDeviceID: DeviceID(bits: 77), at: now)
        (session, deviceKey) = (change.session, change.deviceKey)
    }

    private var change: SessionChange {
        SessionChange(
            session: session, deviceKey: deviceKey, proof: .new, tenantIsRevoked: false, earlierReply: nil)
    }

    // MARK: calls

    private typealias Replies = (got: SessionModel.Reply, expected: SessionModel.Reply)

    private mutating func perform(_ call: ModelCall) -> Replies {
        switch call {
        case .redeem: return (redeem(), model.redeem())
        case .stranger:
            var turnedAway: AdmissionRefusal?
            let got = reply { (s, now) throws(StepRefusal) in
                turnedAway = try s.admit(.bearer, at: now)
                return nil
            }
            return (turnedAway.map { .turnedAway($0) } ?? got, model.stranger())
        case .device(let key): return (prove(key), model.device(key))
        case .begin, .go, .comeBack, .answer, .finish, .giveUp: return mobileAuth(call)
        case .send(let kind, let order): return send(kind, order)
        case .refused(let isNewest): takeBack(isNewest)
        case .code(let code): return verify(code)
        case .decide(let answer): return (decide(answer), model.decide(answer))
        case .exchange(let code, let verifier): return exchange(code, verifier)
        case .bind(let right): return bind(right)
        case .sandbox(let succeeds):
            session.complete(success: succeeds, numberIfUnknown: Fixture.laney, at: now, rules: rules)
            model.sandbox(succeeds)
        case .cancel:
            session.cancel(at: now)
            if model.spot.place != .done { model.end(.cancelled) }
        case .wait(let seconds): model.clock += seconds
        }
        return (.ok, .ok)
    }

    private mutating func reply(
        _ rule: (inout Session, Timestamp) throws(StepRefusal) -> StepRefusal?
    ) -> SessionModel.Reply {
        let before = session
        do throws(StepRefusal) {
            if let refusal = try rule(&session, now) { return .refused(refusal) }
        } catch {
            throwChanged = throwChanged || session != before
            return .refused(error)
        }
        return .ok
    }

    private mutating func hopReply(
        _ rule: (inout Session, Timestamp) throws(Session.HopRefusal) -> Session.HopRefusal?
    ) -> SessionModel.Reply {
        let before = session
        do throws(Session.HopRefusal) {
            if let refusal = try rule(&session, now) { return .hop(refusal) }
        } catch {
            throwChanged = throwChanged || session != before
            return .hop(error)
        }
        return .ok
    }

    private mutating func redeem() -> SessionModel.Reply {
        let (declaration, rules) = (model.setup.declaration, rules)
        return reply { (session, now) throws(StepRefusal) in
            try session.redeem(
                declaration, by: .key(Fixture.sessionKey), challenge: Fixture.challenge(1), at: now, rules: rules)
            return nil
        }
    }

    private mutating func prove(_ key: ModelCall.Key) -> SessionModel.Reply {
        var change = self.change
        let shown = Thumbprint([UInt8](repeating: key == .fresh ? 6 : 5, count: 32))!
        let publicKey = PublicKey(x: [UInt8](repeating: 1, count: 32), y: [UInt8](repeating: 2, count: 32))!
        if key != .fresh, session.phase == .active(.device) {
            change.deviceKey = DeviceKey(
                id: DeviceID(bits: 5), clientID: Fixture.clientID, thumbprint: shown, publicKey: publicKey,
                platform: .web, createdAt: Fixture.start, number: key == .otherNumber ? Fixture.laney : Fixture.lorant,
                status: key == .retired ? .revoked : .active, boundAt: Fixture.start, lastUsedAt: Fixture.start)
        }
        var open = Fixture.challenge(0)
        if case .challenged(let challenge) = session.device.state { open = challenge.bytes }
        let proof = DeviceProof(
            publicKey: publicKey, thumbprint: shown, authID: session.authID,
            challenge: key == .forged ? Fixture.challenge(0) : open, sessionKey: Fixture.sessionKey,
            operation: .authenticate)
        let context = SessionChange.DeviceContext(
            rules: rules, nextChallenge: Fixture.challenge(UInt8(1 + model.challengesLeft)))
        var got = SessionModel.Reply.ok
        do throws(StepRefusal) {
            let outcome = try change.provedDevice(proof, by: .key(Fixture.sessionKey), context: context, at: now)
            if let refusal = outcome.refusal { got = .refused(refusal) }
        } catch {
            throwChanged = throwChanged || change.session != session
            got = .refused(error)
        }
        session = change.session
        // The store loads the pending key with the session, and no other.
        if case .pending(let pending) = session.device.state {
            deviceKey = change.deviceKey?.thumbprint == pending.thumbprint ? change.deviceKey : nil
        } else {
            deviceKey = nil
        }
        return got
    }

    private func attempt(_ isCurrent: Bool) -> AttemptID {
        Fixture.attempt(UInt8(max(0, model.attempt - (isCurrent ? 0 : 1))))
    }

    private mutating func mobileAuth(_ call: ModelCall) -> Replies {
        let rules = rules
        switch call {
        case .begin:
            let next = UInt8(model.attempt + 1)
            let got = reply { (session, now) throws(StepRefusal) in
                try session.beginMobileAuth(Fixture.attempt(next), ticket: Fixture.ticket(next), at: now, rules: rules)
                return nil
            }
            return (got, model.begin())
        case .go(let isCurrent, let rightTicket, let knownNetwork):
            let (attempt, ticket) = (attempt(isCurrent), Fixture.ticket(UInt8(model.attempt) + (rightTicket ? 0 : 100)))
            let got = hopReply { (session, now) throws(Session.HopRefusal) in
                try session.travel(
                    attempt, ticket: ticket, from: Fixture.address(1), operatorName: knownNetwork ? "sim" : nil,
                    at: now, rules: rules
                ).refusal
            }
            return (got, model.hop(isCurrent: isCurrent, rightTicket: rightTicket, knownNetwork: knownNetwork))
        case .comeBack(let isCurrent, let sameAddress):
            let attempt = attempt(isCurrent)
            let got = hopReply { (session, now) throws(Session.HopRefusal) in
                try session.arrive(attempt, from: Fixture.address(sameAddress ? 1 : 2), at: now).refusal
            }
            return (got, model.comeBack(isCurrent: isCurrent, sameAddress: sameAddress))
        case .answer(let isCurrent, let verdict):
            return answer(isCurrent, verdict)
        case .finish(let isCurrent, let print):
            return finish(isCurrent, print)
        case .giveUp(let isCurrent):
            let attempt = attempt(isCurrent)
            let got = reply { (session, now) throws(StepRefusal) in
                try session.giveUpMobileAuth(attempt, at: now)
                return nil
            }
            return (got, model.giveUp(isCurrent: isCurrent))
        default: return (.ok, .ok)
        }
    }

    private mutating func answer(_ isCurrent: Bool, _ verdict: SessionModel.Verdict) -> Replies {
        let attempt = attempt(isCurrent)
        let told: MobileAuthCheck.Verdict =
            switch verdict {
            case .found: .found(Fixture.laney)
            case .agrees: .agrees
            case .differs: .differs
            case .unavailable: .unavailable
            }
        let result = [UInt8](repeating: UInt8(model.attempt), count: 16)
        let got = hopReply { (session, now) throws(Session.HopRefusal) in
            try session.noteAnswer(told, of: attempt, result: result, detail: "test", at: now)
            return nil
        }
        if got == .ok {
            prints[model.attempt] = Fixture.fingerprint(
                UInt8(model.attempt), of: session, result: result, issuedAt: now)
        }
        return (got, model.answer(isCurrent: isCurrent, verdict))
    }

    private mutating func finish(_ isCurrent: Bool, _ print: ModelCall.Print) -> Replies {
        let named = max(0, model.attempt - (isCurrent ? 0 : 1))
        let madeUp = Fixture.fingerprint(UInt8(named), of: session, result: Fixture.challenge(9), issuedAt: now)
        let real = prints[named] ?? madeUp
        let shown: Fingerprint? =
            switch print {
            case .genuine: real
            case .otherSession: real.with(authID: AuthID(bits: 1))
            case .otherKey: real.with(sessionKey: .some(nil))
            case .otherResult: real.with(result: Fixture.challenge(8))
            case .otherAttempt: prints[named - 1] ?? real.with(attempt: Fixture.attempt(99))
            case .unsigned: nil
            }
        let (attempt, rules) = (attempt(isCurrent), rules)
        let got = reply { (session, now) throws(StepRefusal) in
            try session.finishMobileAuth(attempt, fingerprint: shown, at: now, rules: rules).refusal
        }
        return (got, model.finish(isGenuine: isCurrent && print == .genuine))
    }

    private mutating func send(_ kind: SessionModel.Kind, _ order: ModelCall.Order) -> Replies {
        let number = session.currentNumber == Fixture.laney ? Fixture.lorant : Fixture.laney
        let wanted: Session.SendOrder =
            switch order {
            case .first: .first(nil)
            case .firstNaming: .first(number)
            case .again: .again
            case .toNumber: .toNumber(number)
            }
        let (id, rules, before) = (model.messages + 1, rules, model.spot)
        let matchCode = model.setup.matchCode ? "42" : nil
        var message: Session.PendingMessage?
        let got = reply { (session, now) throws(StepRefusal) in
            switch kind {
            case .code:
                message = try session.sendCode(
                    wanted, issue: { session, target, _ in Self.code(id, session, target) }, at: now, rules: rules)
                if session.request.options.exchange != nil {
                    session.carryLink(Fixture.linkDigest(UInt8(SessionModel.carriedLink)), at: now)
                }
            case .link:
                message = try session.sendLink(
                    wanted, link: Fixture.link(UInt8(id), matchCode: matchCode), browser: nil, at: now, rules: rules)
            }
            return nil
        }
        let expected = model.send(kind, order, to: number)
        if let message { sent.append((message, before, model.spot.stamp)) }
        return (got, expected)
    }

    /// Every message has a code of its own.
    private static func code(_ id: Int, _ session: AuthID, _ target: Target) -> Session.IssuedCode {
        let code = OTP("\(1000 + id)")!
        return Session.IssuedCode(shown: code, expected: Fixture.digest(code, session, target))
    }

    private mutating func takeBack(_ isNewest: Bool) {
        guard let send = isNewest ? sent.last : sent.dropLast().last else { return }
        session.giveBack(send.message, at: now)
        model.takeBack(to: send.before, sentAs: send.stamp)
    }

    private mutating func verify(_ code: ModelCall.Code) -> Replies {
        let awaited = model.spot.message?.id ?? 0
        let typed =
            switch code {
            case .right: 1000 + awaited
            case .older: 1000 + awaited - 1
            case .wrong: 9999
            }
        let rules = rules
        let got = reply { (session, now) throws(StepRefusal) in
            try session.verifyOTP({ Fixture.digest(OTP("\(typed)")!, $0, $1) }, at: now, rules: rules).refusal
        }
        return (got, model.verify(isRight: code == .right))
    }

    private mutating func decide(_ answer: ModelCall.Answer) -> SessionModel.Reply {
        let current = model.newestLink
        let id =
            answer.isNewest || model.carriesLink
            ? current : model.messages > current ? model.messages : current - 1
        let digits: String? =
            switch answer.digits {
            case .right: "42"
            case .wrong: "24"
            case .missing: nil
            }
        let address: String? =
            switch answer.address {
            case .same: Fixture.desk
            case .other: "203.0.113.9"
            case .unknown: nil
            }
        let phone = Session.ApprovingPhone(
            address: address.flatMap { IPAddress($0) }, isOtherPhone: answer.isOtherPhone)
        let decision: LinkDecision = answer.approves ? .approve(matchCode: digits) : .deny
        let isTaken = session.decideLink(
            Fixture.linkDigest(UInt8(max(0, id))), decision, by: phone, giving: Self.given(model.taps + 1), at: now,
            rules: rules)
        return isTaken ? .ok : .askAgain
    }

    private static func given(_ tap: Int) -> ExchangeDigest {
        ExchangeDigest([UInt8](repeating: UInt8(tap), count: 32))
    }

    static func challenge(_ verifier: UInt8) -> CodeChallenge {
        CodeChallenge([UInt8](repeating: verifier, count: 32))
    }

    private mutating func exchange(_ code: ModelCall.Given, _ verifier: ModelCall.Verifier) -> Replies {
        let newest = model.given?.id ?? model.taps
        let shown =
            switch code {
            case .newest: newest
            case .older: max(0, newest - 1)
            case .forged: 255
            }
        let challenge: CodeChallenge? =
            switch verifier {
            case .right: Self.challenge(1)
            case .wrong: Self.challenge(2)
            case .missing: nil
            }
        let rules = rules
        let got = reply { (session, now) throws(StepRefusal) in
            try session.redeemExchange(Self.given(shown), verifiedBy: challenge, at: now, rules: rules)
            return nil
        }
        return (got, model.exchange(code, verifier))
    }

    private mutating func bind(_ right: Bool) -> Replies {
        // A key waits no longer than the session lives; the service sees to that.
        guard model.clock < 900 else { return (.ok, .ok) }
        let number = right ? Fixture.lorant : model.clock.isMultiple(of: 2) ? Fixture.laney : nil
        var got = SessionModel.Reply.ok
        do throws(PlatformRefusal) {
            let passed = try session.bind(number, at: now, rules: rules)
            if passed != (session.outcome == .succeeded) { got = .askAgain }
        } catch {
            got = .stepNotAllowed
        }
        return (got, model.bind(number))
    }

    // MARK: what must hold

    private var phase: Session.Phase {
        switch model.spot.place {
        case .created: .created
        case .device: .active(.device)
        case .mobileAuth: .active(.mobileAuth)
        case .first: .active(model.kind == .code ? .otpStart : .linkStart)
        case .waiting: .active(model.kind == .code ? .otpFinish : .linkWait)
        case .done: .done(model.outcome ?? .failed, at: Fixture.moment(model.endedAt ?? 0))
        }
    }

    private func difference() -> String? {
        if session.phase != phase { return "is in \(session.phase), not \(phase)" }
        if session.allowed != model.allowed { return "allows \(session.allowed), not \(model.allowed)" }
        let counts = [
            session.sends.sendsLeft, session.sends.entriesLeft, session.otp.attemptsLeft,
            session.mobileAuth.attemptsLeft, session.device.challengesLeft, session.bindTriesLeft,
        ]
        let expected = [
            model.spot.sendsLeft, model.spot.entriesLeft, model.triesLeft, model.attemptsLeft, model.challengesLeft,
            model.bindTriesLeft,
        ]
        if counts != expected { return "counts \(counts), not \(expected)" }
        if session.proof?.method != model.method || session.proof?.number != model.proven { return "has another proof" }
        if (session.deviceID != nil) != model.hasKey { return "has a key: \(session.deviceID != nil)" }
        if !session.riskReasons.isEmpty != model.isAtRisk { return "is at risk: \(!session.riskReasons.isEmpty)" }
        if session.currentNumber != model.spot.number { return "is about another number" }
        if (session.exchange != nil) != (model.given != nil) {
            return "has a code of a link: \(session.exchange != nil)"
        }
        for id in Array(0...model.messages) + [SessionModel.carriedLink]
        where session.linkStatus(Fixture.linkDigest(UInt8(id)), at: now) != model.linkStatus(id) {
            return "shows link \(id) otherwise"
        }
        let hasOpenAttempt = session.phase == .active(.mobileAuth) && session.mobileAuth.hasOpenAttempt
        if hasOpenAttempt != (model.spot.hop != nil) { return "has an open attempt, or not" }
        return nil
    }

    /// The broken rule, of those that hold with any state of the model; `nil`: none.
    private func violation(of call: ModelCall, since before: Session, _ settled: Session) -> String? {
        // A change that time has made is counted by itself.
        let isStranger = if case .stranger = call { true } else { false }
        // No client sees a tap: its backend is told once the code is redeemed.
        let isUnseen = isStranger || session.newEvents.last?.kind == .linkTapped
        let changes = (settled == before ? 0 : 1) + (isUnseen || session.isSame(as: settled) ? 0 : 1)
        if session.revision - before.revision != changes { return "counts its revisions wrong" }
        if session.newEvents.count > 6 { return "writes too many events" }
        if session.outcome == .succeeded, before.outcome != .succeeded, !call.isProof {
            return "succeeded without proof"
        }
        if (session.proof != nil) != (session.outcome == .succeeded) { return "has a proof only with its success" }
        switch before.phase {
        case .done(.possessionRequired, _): if !session.isDone { return "is alive again" }
        case .done: if session.phase != before.phase || session.proof != before.proof { return "changed after its end" }
        case .created, .active: break
        }
        guard case .active(let step) = session.phase else { return nil }
        if session.allowed.count < 2, step != .linkWait { return "is a dead end" }
        var ended = session
        ended.expire(at: max(session.expiresAt, session.exchange?.expiresAt ?? session.expiresAt))
        return ended.isDone ? nil : "outlives its time"
    }
}

extension Session {
    /// Whether nothing but the count of changes differs.
    fileprivate func isSame(as other: Session) -> Bool {
        var copy = other
        copy.revision = revision
        return self == copy
    }
}
