@testable import Possession

extension Fixture {
    static func attempt(_ byte: UInt8) -> AttemptID { AttemptID([UInt8](repeating: byte, count: 16))! }
    static func ticket(_ byte: UInt8) -> TicketDigest { TicketDigest([UInt8](repeating: byte, count: 32)) }
    static func address(_ byte: UInt8) -> AddressDigest { AddressDigest([UInt8](repeating: byte, count: 32)) }
    static func result(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 16) }

    /// A phone's session with Mobile Auth in its plan.
    static func cellular(
        _ flow: SessionRequest.Flow = .mobile, number: PhoneNumber? = lorant,
        fallback: Session.Declaration.Fallback? = .otp, deviceKey: Bool = false, rules: Rules = withMobileAuth,
        _ change: (inout Fixture.Wishes) -> Void = { _ in }
    ) -> Session {
        let request = request(flow, number: number) {
            $0.mobileAuth = true
            change(&$0)
        }
        return redeemed(
            request, fallback: fallback, deviceKey: deviceKey, platform: .android, cellular: .yes, rules: rules)
    }

    /// One whose attempt 1 is open.
    static func offered(
        _ flow: SessionRequest.Flow = .mobile, number: PhoneNumber? = lorant,
        fallback: Session.Declaration.Fallback? = .otp, _ change: (inout Fixture.Wishes) -> Void = { _ in }
    ) -> Session {
        var session = cellular(flow, number: number, fallback: fallback, change)
        try! session.beginMobileAuth(attempt(1), ticket: ticket(1), at: start, rules: withMobileAuth)
        return session
    }

    /// One whose attempt 1 the operator has answered.
    static func answered(
        _ verdict: MobileAuthCheck.Verdict = .agrees, _ flow: SessionRequest.Flow = .mobile,
        number: PhoneNumber? = lorant, fallback: Session.Declaration.Fallback? = .otp,
        _ change: (inout Fixture.Wishes) -> Void = { _ in }
    ) -> Session {
        var session = offered(flow, number: number, fallback: fallback, change)
        precondition(session.go() == nil && session.comeBack() == nil && session.note(verdict) == nil)
        return session
    }

    /// Fingerprint that the return hop hands out for an answered attempt.
    static func fingerprint(
        _ byte: UInt8 = 1, of session: Session, result: [UInt8] = result(1), issuedAt: Timestamp = start
    ) -> Fingerprint {
        let sessionKey: Thumbprint? = if case .key(let thumbprint) = session.binding { thumbprint } else { nil }
        return Fingerprint(
            attempt: attempt(byte), authID: session.authID, sessionKey: sessionKey, result: result, issuedAt: issuedAt,
            expiresAt: issuedAt.adding(limits.fingerprintLifetime))
    }
}

extension Fingerprint {
    /// The same with a member changed, as if we had signed it.
    func with(
        attempt: AttemptID? = nil, authID: AuthID? = nil, sessionKey: Thumbprint?? = nil, result: [UInt8]? = nil
    ) -> Fingerprint {
        Fingerprint(
            attempt: attempt ?? self.attempt, authID: authID ?? self.authID, sessionKey: sessionKey ?? self.sessionKey,
            result: result ?? self.result, issuedAt: issuedAt, expiresAt: expiresAt)
    }
}

extension Session {
    mutating func begin(_ byte: UInt8 = 1, after seconds: Int = 0) -> StepRefusal? {
        refusal { () throws(StepRefusal) in
            try beginMobileAuth(
                Fixture.attempt(byte), ticket: Fixture.ticket(byte), at: Fixture.moment(seconds),
                rules: Fixture.withMobileAuth)
        }
    }

    mutating func go(
        _ byte: UInt8 = 1, ticket: UInt8? = nil, operatorName: String? = "sim", after seconds: Int = 0
    ) -> HopRefusal? {
        hopRefusal { () throws(HopRefusal) in
            try travel(
                Fixture.attempt(byte), ticket: Fixture.ticket(ticket ?? byte), from: Fixture.address(1),
                operatorName: operatorName, at: Fixture.moment(seconds), rules: Fixture.withMobileAuth)
        }
    }

    mutating func comeBack(_ byte: UInt8 = 1, from address: UInt8 = 1, after seconds: Int = 0) -> HopRefusal? {
        hopRefusal { () throws(HopRefusal) in
            try arrive(Fixture.attempt(byte), from: Fixture.address(address), at: Fixture.moment(seconds))
        }
    }

    mutating func note(
        _ verdict: MobileAuthCheck.Verdict = .agrees, _ byte: UInt8 = 1, after seconds: Int = 0
    ) -> HopRefusal? {
        hopRefusal { () throws(HopRefusal) in
            .success(
                try noteAnswer(
                    verdict, of: Fixture.attempt(byte), result: Fixture.result(byte), detail: "test",
                    at: Fixture.moment(seconds)))
        }
    }

    /// With the fingerprint of that attempt, or with another one.
    mutating func finish(
        _ byte: UInt8 = 1, _ change: (Fingerprint) -> Fingerprint? = { $0 }, after seconds: Int = 0,
        rules: Rules = Fixture.withMobileAuth
    ) -> StepRefusal? {
        let fingerprint = change(Fixture.fingerprint(byte, of: self, result: Fixture.result(byte)))
        return refusal { () throws(StepRefusal) in
            try finishMobileAuth(
                Fixture.attempt(byte), fingerprint: fingerprint, at: Fixture.moment(seconds), rules: rules)
        }
    }

    mutating func giveUp(_ byte: UInt8 = 1) -> StepRefusal? {
        refusal { () throws(StepRefusal) in try giveUpMobileAuth(Fixture.attempt(byte), at: Fixture.start) }
    }
}

/// The refusal a hop ends in, thrown or not; `nil` when it passes.
private func hopRefusal<Value>(
    _ body: () throws(Session.HopRefusal) -> Result<Value, Session.HopRefusal>
) -> Session.HopRefusal? {
    do throws(Session.HopRefusal) { return try body().refusal } catch { return error }
}

extension Result {
    var refusal: Failure? { if case .failure(let refusal) = self { refusal } else { nil } }
}
