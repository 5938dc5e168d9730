/// The steps that return the known data of a person after the number is proven, in their order (contract section 8).
extension Session {
    package enum Validation: Sendable, Equatable {
        /// The client has not finished, so nothing is decided.
        case pending
        case passed
        case failed
    }

    /// Whether the number is proven. May be repeated, with the same answer.
    package mutating func validate(at now: Timestamp, rules: Rules) throws(PlatformRefusal) -> Validation {
        guard let prefill else { throw .unknownSession }
        guard isReadable(at: now) else { throw .endedSession }
        switch outcome {
        case nil: return .pending
        case .expired: throw .endedSession
        case .succeeded:
            if prefill.step == .started {
                guard now < expiresAt else { throw .endedSession }
                self.prefill?.step = .validated
                record(.numberValidated, at: now)
            }
            return .passed
        case .failed, .cancelled, .possessionRequired:
            if prefill.step == .started {
                self.prefill?.step = .failed
                record(.numberRefused, at: now)
            }
            return .failed
        }
    }

    /// Compares the person's claims with the record: every part that was given must agree. Only then is the record
    /// shown.
    /// - Parameter claimed: replaces the claims that `start` brought, part by part.
    package mutating func challenge(
        _ claimed: PersonClaim, against person: Person?, at now: Timestamp
    ) throws(PlatformRefusal) -> IdentityFinding {
        try require(.validated, at: now)
        guard needsChallenge else { throw .stepTooEarly(first: .complete) }
        let claim = request.subject.claim.replaced(by: claimed)
        guard !claim.isEmpty else { throw .claimMissing }
        let finding = claim.finding(on: person)
        guard finding.passes else {
            refuse(at: now)
            return finding
        }
        prefill?.step = .challenged
        record(.challengePassed, at: now)
        return finding
    }

    private mutating func refuse(at now: Timestamp) {
        record(.challengeRefused, at: now)
        prefill?.challengesLeft -= 1
        if let left = prefill?.challengesLeft, left <= 0 { prefill?.step = .failed }
    }

    package struct Completion: Sendable, Equatable {
        package let finding: IdentityFinding
        /// Whether any submitted value differs from the record (contract section 8, "App").
        package let changeDetected: Bool
    }

    /// The last step: name, birth date and SSN must agree with the record; addresses may have changed.
    package mutating func complete(
        _ submitted: SubmittedPerson, against person: Person?, at now: Timestamp
    ) throws(PlatformRefusal) -> Completion {
        try require(needsChallenge ? .challenged : .validated, at: now)
        let differences = person?.differences(from: submitted)
        let finding = differences.map(IdentityFinding.init) ?? .nobody
        prefill?.step = finding.passes ? .completed : .failed
        record(finding.passes ? .identityConfirmed : .identityRefused, at: now)
        return Completion(finding: finding, changeDetected: differences?.isEmpty == false)
    }

    /// Requires that this step is next and that the session has not expired.
    private func require(_ step: PrefillCheck.Step, at now: Timestamp) throws(PlatformRefusal) {
        guard let prefill else { throw .unknownSession }
        guard now < expiresAt, outcome != .expired else { throw .endedSession }
        guard prefill.step == step else { throw refusal(at: prefill.step) }
    }

    /// Names the step that is next. If all are done, or one has failed for good, there is none.
    private func refusal(at step: PrefillCheck.Step) -> PlatformRefusal {
        switch step {
        case .started: .stepTooEarly(first: .validate)
        case .validated: .stepTooEarly(first: needsChallenge ? .challenge : .complete)
        case .challenged: .stepTooEarly(first: .complete)
        case .completed, .failed: .stepNotAllowed
        }
    }

    /// Whether a birth date or SSN must agree with the record before its data is shown.
    package var needsChallenge: Bool { request.policy.prefill == .afterChallenge }

    /// Whether `challenge` still needs a birth date or an SSN.
    package var isChallengeMissing: Bool {
        needsChallenge && request.subject.claim.isEmpty
    }
}

/// Claims of a person who asks to see their record: a birth date, an SSN, or parts of them.
package struct PersonClaim: Sendable, Equatable {
    package var dob: PartialDate?
    package var ssn: PartialSSN?

    package init(dob: PartialDate? = nil, ssn: PartialSSN? = nil) {
        self.dob = dob
        self.ssn = ssn
    }

    package var isEmpty: Bool { dob == nil && ssn == nil }

    func replaced(by newer: PersonClaim) -> PersonClaim {
        PersonClaim(dob: newer.dob ?? dob, ssn: newer.ssn ?? ssn)
    }

    func finding(on person: Person?) -> IdentityFinding {
        guard let person else { return .nobody }
        return IdentityFinding(person.differences(from: SubmittedPerson(dob: dob, ssn: ssn)))
    }
}
