@testable import Possession
import Testing

/// Runs random calls against a session and against a model of it that is small enough to be read in one go (OTP-13).
@Suite struct SessionModelTests {
    /// What a reader of client protocol 4.6 would keep on paper for a mobile session with OTP fallback.
    private struct Model {
        enum Place { case created, device, start, finish, done }
        var place = Place.created
        var outcome: Session.Outcome?
        var clock = 0
        var sends = 0, entries = 0, tries = 0
        var sentAt = 0
        let retries: Bool
        let mayChange: Bool
        let wantsDevice: Bool

        mutating func end(_ outcome: Session.Outcome) {
            place = .done
            self.outcome = outcome
        }

        mutating func settle() {
            guard place != .done else { return }
            if place == .finish, sends == 3, clock >= sentAt + 120, sentAt + 120 < 900 { return end(.failed) }
            if clock >= 900 { end(.expired) }
        }

        mutating func redeem() -> ClientRefusal? {
            if place == .created { place = wantsDevice ? .device : .start; return nil }
            return nil
        }

        mutating func send(first: Bool, newNumber: Bool) -> ClientRefusal? {
            if place == .done { return .sessionDone }
            if first != (place == .device || place == .start) || place == .created { return .invalidState }
            if newNumber, !first, !mayChange { return .phoneChangeNotAllowed }
            if newNumber, !first, entries == 3 { return .phoneEntriesExhausted }
            if sends == 3 { return .sendsExhausted }
            sends += 1
            if newNumber { entries += 1 }
            sentAt = clock
            place = .finish
            return nil
        }

        mutating func verify(right: Bool) -> ClientRefusal? {
            if place == .done { return .sessionDone }
            if place != .finish { return .invalidState }
            if clock >= sentAt + 120 {
                if sends == 3 { end(.failed) }
                return .otpExpired
            }
            tries += 1
            if right { end(.succeeded); return nil }
            if tries == (retries ? 3 : 1) { end(.failed) }
            return .otpMismatch
        }
    }

    private enum Call: CaseIterable { case redeem, start, resend, change, right, wrong, cancel, second, minute, settle }

    @Test func `agrees with its model over 100,000 random calls`() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        var steps = 0
        while steps < 100_000 {
            var model = Model(
                retries: .random(using: &generator), mayChange: .random(using: &generator),
                wantsDevice: .random(using: &generator))
            var session = Fixture.session(
                Fixture.request(.mobile) {
                    $0.allowOTPRetry = model.retries
                    $0.allowPhoneChange = model.mayChange
                })
            for _ in 0..<40 {
                let call = Call.allCases.randomElement(using: &generator)!
                steps += 1
                let (got, expected) = play(call, on: &session, and: &model)
                guard got == expected, agrees(session, model) else {
                    Issue.record(
                        "seed \(seed): \(call) gave \(String(describing: got)), model \(model), \(session.phase)")
                    return
                }
            }
        }
    }

    private func play(
        _ call: Call, on session: inout Session, and model: inout Model
    ) -> (got: ClientRefusal?, expected: ClientRefusal?) {
        let now = Fixture.start.adding(.seconds(model.clock))
        session.settle(at: now)
        model.settle()
        let limits = Fixture.limits
        let issue = Fixture.issue
        switch call {
        case .redeem:
            let declaration = Fixture.declaration(deviceKey: model.wantsDevice)
            let wasDoneUnredeemed = session.isDone && session.binding == .unbound
            let got = refusal { () throws(ClientRefusal) in
                try session.redeem(
                    declaration, by: .key(Fixture.sessionKey), challenge: Fixture.challenge(1), capabilities: .init(),
                    at: now, limits: limits)
            }
            return (got, wasDoneUnredeemed ? .sessionDone : model.redeem())
        case .start:
            let got = refusal { () throws(ClientRefusal) in
                try session.startOTP(to: nil, issue: issue, at: now, limits: limits)
            }
            return (got, model.send(first: true, newNumber: true))
        case .resend:
            let got = refusal { () throws(ClientRefusal) in
                try session.resendOTP(issue: issue, at: now, limits: limits)
            }
            return (got, model.send(first: false, newNumber: false))
        case .change:
            let number = session.currentNumber == Fixture.laney ? Fixture.lorant : Fixture.laney
            let got = refusal { () throws(ClientRefusal) in
                try session.changeOTPNumber(to: number, issue: issue, at: now, limits: limits)
            }
            return (got, model.send(first: false, newNumber: true))
        case .right: return (session.submit("1234", after: model.clock), model.verify(right: true))
        case .wrong: return (session.submit("1111", after: model.clock), model.verify(right: false))
        case .cancel:
            session.cancel(at: now)
            if model.place != .done { model.end(.cancelled) }
        case .second: model.clock += 1
        case .minute: model.clock += 60
        case .settle: break
        }
        return (nil, nil)
    }

    private func agrees(_ session: Session, _ model: Model) -> Bool {
        let hasProof = session.proof != nil
        return session.outcome == model.outcome && hasProof == (model.outcome == .succeeded)
            && session.otp.sendsLeft == 3 - model.sends && model.sends <= 3 && model.entries <= 3
            && session.otp.attemptsLeft == (model.retries ? 3 : 1) - model.tries
            && (session.isDone || model.place == .created || !session.allowed.isEmpty)
    }
}
