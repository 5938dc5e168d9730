internal import Text

/// Limits over sessions, checked and counted in the transaction of the message or the guess that they guard.
extension SessionChange {
    // MARK: messages

    /// To whom a message goes and for whom: all that its limits count.
    struct SendSubject: Sendable {
        let target: Target
        let kind: Session.MessageKind
        let tenant: ClientID
        /// Of the end user, as far as it is known.
        let address: IPAddress?
        /// As in `NumberDirectory.country`.
        let country: String?
        /// A test number: no message counts, and none is too many.
        let isNeverSentTo: Bool
        /// Nobody asks for it: it counts, but under no address that is not known, and it need not wait after the one before.
        var isAutomatic = false
        /// A backend asks with its own credentials: it counts under no address that is not known. All people of a tenant are
        /// not one person.
        var isAskedByBackend = false
        /// As how many messages it is billed.
        var parts = 1
        /// Whether this server learns that the person answers it.
        var isAnswerKnown = true

        /// Counted once each.
        var keys: [LimitKey] {
            var keys = [LimitKey(.sendsToNumber, target)]
            if address != nil || !(isAutomatic || isAskedByBackend) {
                keys += LimitKey.address(address, of: tenant, .sendsFromAddress, .sendsFromNetwork)
            }
            if let country {
                let subject = Array("\(tenant.text) \(country)".utf8)
                keys += [LimitKey(.sendsToCountryInAnHour, subject), LimitKey(.sendsToCountryInADay, subject)]
            }
            return keys
        }

        /// The number, where limits of its country and of numbers like it hold.
        private var countedNumber: PhoneNumber? { country == nil ? nil : target.number }

        /// The block of a number, and its place there.
        var block: (key: LimitKey, place: Int)? {
            countedNumber.map { (LimitKey(.numbersOfBlock, $0.block), $0.placeInBlock) }
        }

        /// It counts for the budgets. A message to a number without a country costs nothing.
        var isPaid: Bool { country != nil || target.email != nil }

        /// The failures of the check that the message is for.
        var failures: LimitKey {
            switch kind {
            case .code: LimitKey(.wrongCodes, target)
            case .link: LimitKey(.refusedLinks, target)
            }
        }

        /// All that has to be read.
        var allKeys: [LimitKey] {
            keys + [failures] + (block.map { [$0.key] } ?? [])
                + (isPaid ? LimitKey.guarded(target, tenant, country) : [])
        }
    }

    /// Sends by `rule` unless a limit says no. The session's own rules come first: what it refuses anyway must not tell
    /// how often some number was sent to (OTP-12). A send the carrier refuses later stays counted.
    /// - Parameters:
    ///   - subject: `nil` where no limits hold.
    ///   - parts: as how many messages one is billed; asked where budgets count that.
    /// - Returns: a limit's refusal as an outcome, because what it counted is stored. `nil`: the number's standing has
    ///   ended the session, and nothing is sent (OTP-16).
    mutating func send(
        at now: Timestamp, rules: Rules, _ subject: (Session, Target) -> SendSubject?,
        parts: (Session.PendingMessage, Session, TenantRules?) -> Int,
        _ rule: (inout Session) throws(StepRefusal) -> Session.PendingMessage
    ) throws(StepRefusal) -> Result<Session.PendingMessage?, StepRefusal> {
        var sent = session
        let message = try rule(&sent)
        if session.isStopped(sendingTo: message.to, at: now, rules: rules) { return .success(nil) }
        if let over = rules.limits.overSessions, var subject = subject(session, message.to) {
            if over.spend.countsParts { subject.parts = parts(message, sent, tenantRules) }
            if let refusal = refusal(of: subject, by: over, at: now) { return .failure(refusal) }
        }
        session = sent
        return .success(message)
    }

    /// Why the message may not be sent; one that may is counted.
    private mutating func refusal(
        of subject: SendSubject, by limits: Limits.OverSessions, at now: Timestamp
    ) -> StepRefusal? {
        // A message that nobody could answer is not sent. The answer is the one of used-up messages.
        guard !tallies.isStopped(subject.failures, by: limits) else {
            tallies.note(.failuresInARow, subject.target.number)
            return .sendsExhausted
        }
        if subject.isNeverSentTo { return nil }
        do throws(LimitHit) {
            if subject.isAutomatic {
                try tallies.check(subject.keys, by: limits, at: now)
            } else {
                try tallies.checkSend(subject.keys, to: subject.target, by: limits, at: now)
            }
            if subject.kind == .link { try tallies.check([subject.failures], by: limits, at: now) }
            if let block = subject.block {
                try tallies.checkBlock(block.key, block.place, by: limits, at: now)
            }
            if subject.isPaid {
                try tallies.checkSpend(
                    subject.target, subject.tenant, subject.country, parts: subject.parts,
                    isAnswerKnown: subject.isAnswerKnown, by: limits.spend, at: now)
            }
        } catch {
            tallies.note(error.limit, subject.target.number)
            return .rateLimited(error)
        }
        tallies.count(subject.keys, by: limits, at: now)
        if let block = subject.block { tallies.countBlock(block.key, block.place, by: limits, at: now) }
        if subject.isPaid {
            tallies.countSpend(
                subject.target, subject.tenant, subject.country, parts: subject.parts,
                isAnswerKnown: subject.isAnswerKnown,
                by: limits.spend, at: now)
        }
        return nil
    }

    // MARK: codes and links

    /// Takes one code. Over the limit of wrong codes it is not even looked at, and the answer is the one of used-up
    /// tries (OTP-06).
    mutating func verifyOTP(
        _ digest: (AuthID, Target) -> OTPDigest, at now: Timestamp, rules: Rules
    ) throws(StepRefusal) -> StepOutcome {
        guard let over = rules.limits.overSessions, case .active(.otpFinish) = session.phase,
            let target = session.currentTarget
        else { return try session.verifyOTP(digest, at: now, rules: rules) }
        let key = LimitKey(.wrongCodes, target)
        guard admits(key, target.number, by: over, at: now) else {
            session.fail(at: now, detail: "number_limit")
            return .refused(.otpMismatch)
        }
        let outcome = try session.verifyOTP(digest, at: now, rules: rules)
        if outcome == .refused(.otpMismatch) { tallies.countFailure([key], by: over, at: now) }
        return outcome
    }

    /// Whether a check may be tried once more; a refusal is noted.
    mutating func admits(
        _ key: LimitKey, _ number: PhoneNumber?, by limits: Limits.OverSessions, at now: Timestamp
    ) -> Bool {
        if tallies.isStopped(key, by: limits) {
            tallies.note(.failuresInARow, number)
            return false
        }
        do throws(LimitHit) { try tallies.check([key], by: limits, at: now) } catch {
            tallies.note(error.limit, number)
            return false
        }
        return true
    }

    /// Takes the answer of a link's holder. Over the limit of refused links an approval is refused as well; a refusal is
    /// always taken.
    mutating func decideLink(
        _ digest: LinkDigest, _ decision: LinkDecision, by phone: Session.ApprovingPhone, at now: Timestamp,
        rules: Rules
    ) -> Bool {
        let before = session
        guard let over = rules.limits.overSessions, let target = session.currentTarget,
            case .open = session.linkStatus(digest, at: now)
        else { return session.decideLink(digest, decision, by: phone, at: now, rules: rules) }
        let key = LimitKey(.refusedLinks, target)
        if case .approve = decision, !admits(key, target.number, by: over, at: now) {
            session.refuseApprovalByLimit(at: now)
            return true
        }
        let isTaken = session.decideLink(digest, decision, by: phone, at: now, rules: rules)
        if session.isDone, !before.isDone, session.proof == nil, session.riskReasons.isEmpty {
            tallies.countFailure([key], by: over, at: now)
        }
        return isTaken
    }

    // MARK: what the person knows

    /// Under what a claim counts: the proven number and, where one was shown, the device key.
    static func claimKeys(of session: Session) -> [LimitKey] {
        guard let number = session.proof?.number else { return [] }
        var keys = [LimitKey(.failedClaimsOfNumber, number)]
        if let id = session.deviceID { keys.append(LimitKey(.failedClaimsOfDeviceKey, Array(id.text.utf8))) }
        return keys
    }

    /// Takes one claim about the person by `rule`, which tells whether it holds. Over the limit it is not even looked at.
    /// The session's own rules come first.
    mutating func claim<Result>(
        at now: Timestamp, limits: Limits, passes: (Result) -> Bool,
        _ rule: (inout Session) throws(PlatformRefusal) -> Result
    ) throws(PlatformRefusal) -> Result {
        var claimed = session
        let result = try rule(&claimed)
        guard let over = limits.overSessions else {
            session = claimed
            return result
        }
        let keys = Self.claimKeys(of: session)
        if let refusal = tallies.refusalOfClaim(keys, session.proof?.number, by: over, at: now) { throw refusal }
        if passes(result) { tallies.endRuns(keys) } else { tallies.countFailure(keys, by: over, at: now) }
        session = claimed
        return result
    }

    // MARK: a success

    /// A proof of the number or address ends the runs of failures of all possession checks: whoever guessed did not
    /// have what was shown now. What the person knows is another matter: who guesses it holds the number. Once a
    /// transaction, in the one that proved it. A backend's word for a number counts for nobody else, so it ends
    /// nothing.
    mutating func endRunsOfProof(limits: Limits, at now: Timestamp) {
        guard let over = limits.overSessions, let proof = session.proof, proof.method != .assumed,
            proof.method != .customer
        else { return }
        if proof.method == .otp || proof.method == .instantLink, let number = proof.number {
            tallies.countAnswer(number, by: over.spend, at: now)
        }
        tallies.endRuns([
            LimitKey(.wrongCodes, proof.target), LimitKey(.refusedLinks, proof.target),
            LimitKey(.failedDeviceProofs, proof.target),
        ])
    }
}
