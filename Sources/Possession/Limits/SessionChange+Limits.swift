internal import Text

/// Limits over sessions, checked and counted in the transaction of the message or guess that they limit.
extension SessionChange {
    // MARK: messages

    /// Recipient, tenant and caller of a message: everything its limits count.
    package struct SendSubject: Sendable {
        let target: Target
        let kind: Session.MessageKind
        let tenant: ClientID
        let account: MessageAccount
        /// The operator vouches for the network.
        let isTrusted: Bool
        /// The operator has closed a prefix of the number.
        let isClosed: Bool
        /// The network had too many refusals this hour, so it must not learn whether a number is known.
        let isThrottled: Bool
        /// A test number: its messages are not counted and not limited.
        let isNeverSentTo: Bool
        /// The caller who started the session showed no API client's credentials.
        var isAnonymous = false
        /// The server sends the message without a request. It counts for the number and the budgets, and need not wait
        /// after the previous message.
        var isAutomatic = false
        /// Number of messages that it is billed as.
        var parts = 1
        /// The caller reports that the person has proven the number by a code of an earlier message.
        var isConfirmed = false
        /// As `Session.hasLongCode`.
        var hasLongCode = false

        /// The limits of the caller and of the place apply.
        var isRefusable: Bool { !isAutomatic && !isConfirmed }

        /// The key that counts messages to the target.
        var ofTarget: LimitKey { LimitKey(.sendsToNumber, target, of: tenant) }

        /// The message counts for budgets. A message to a number without a country costs nothing.
        var isPaid: Bool { account.country != nil || target.email != nil }

        func purchase(by spend: SpendGuard, clients: Int, _ share: BudgetShare = []) -> Purchase? {
            guard isPaid else { return nil }
            return Purchase(
                tenant: tenant, country: account.country, price: spend.price(of: account.country, parts: parts),
                share: share, clients: clients, source: account.source)
        }

        /// All keys that must be read.
        package func keys(by limits: Limits.OverSessions) -> [LimitKey] {
            // A message is not sent if one of these checks has stopped after too many failures in a row.
            let failures: [LimitKey] =
                switch kind {
                case .code: [.wrongCodes, .wrongCodesOfOwner].map { LimitKey($0, target, of: tenant) }
                case .link: [LimitKey(.refusedLinks, target, of: tenant)]
                }
            let share: BudgetShare = isAnonymous ? [.anonymous, .unknown] : []
            let money = purchase(by: limits.spend, clients: 1, share)?.keys(by: limits.spend) ?? []
            return [ofTarget] + account.keys + failures + money
        }
    }

    /// Sends by `rule` unless a limit refuses. The session's own rules come first: if they refuse, the response must
    /// not reveal how often the number got messages (OTP-12). A message that the carrier refuses later stays counted
    /// for its number.
    /// - Parameters:
    ///   - subject: `nil` if no limits apply.
    ///   - parts: the number of messages that one is billed as; called only if budgets count parts.
    /// - Returns: a limit's refusal as an outcome, because its counts are stored. `nil`: nothing is sent, because the
    ///   number's standing has ended the session (OTP-16), or because the caller must not learn why
    ///   (`Policy.tellsNothingOfMessages`).
    package mutating func send(
        at now: Timestamp, rules: Rules, _ subject: (Session, Target) -> SendSubject?,
        parts: (Session.PendingMessage, Session, TenantRules?) -> Int,
        _ rule: (inout Session) throws(StepRefusal) -> Session.PendingMessage
    ) throws(StepRefusal) -> Result<Session.PendingMessage?, StepRefusal> {
        var sent = session
        let message = try rule(&sent)
        let isQuiet = session.request.policy.tellsNothingOfMessages
        var stopped = session
        if stopped.isStopped(sendingTo: message.to, at: now, rules: rules) {
            if isQuiet { keepQuiet(sent, at: now) } else { session = stopped }
            return .success(nil)
        }
        if let over = rules.limits.overSessions(of: session.clientID), var subject = subject(session, message.to) {
            if over.spend.countsParts { subject.parts = parts(message, sent, tenantRules) }
            subject.hasLongCode = sent.hasLongCode
            if let refusal = refusal(of: subject, by: over, at: now) {
                guard isQuiet else {
                    recordRefusedSend(refusal, at: now)
                    return .failure(refusal)
                }
                keepQuiet(sent, at: now)
                return .success(nil)
            }
            sent.askers = session.askers.filter { $0 != subject.account.source } + [subject.account.source]
            sent.askedCountry = subject.account.country
        }
        session = sent
        return .success(message)
    }

    /// Recorded in the session, so that support can explain it.
    private mutating func recordRefusedSend(_ refusal: StepRefusal, at now: Timestamp) {
        switch refusal {
        case .rateLimited(let hit): session.recordRefusedSend(hit.limit, seconds: hit.retryAfterSeconds, at: now)
        case .sendsExhausted: session.recordRefusedSend(.failuresInARow, seconds: nil, at: now)
        default: break
        }
    }

    /// The session waits for a code that was never sent, as if the message had left. A code that was sent before stays
    /// valid until it expires.
    private mutating func keepQuiet(_ sent: Session, at now: Timestamp) {
        var sent = sent
        sent.otp.keepCodes(of: session.otp, at: now)
        session = sent
    }

    /// The refusal of a message; `nil`: it may be sent, and was counted.
    private mutating func refusal(
        of subject: SendSubject, by limits: Limits.OverSessions, at now: Timestamp
    ) -> StepRefusal? {
        // The person could not use the code, so it is not sent. The response is the one for used-up messages.
        guard subject.hasLongCode || !isStopped(subject, by: limits, at: now) else {
            tallies.note(.failuresInARow, subject.target.number)
            return .sendsExhausted
        }
        if subject.isNeverSentTo { return nil }
        let (account, spend) = (subject.account, limits.spend)
        var standing = MessageAccount.Standing(
            isKnown: isKnownTarget || subject.isConfirmed || account.isProven(tallies, at: now),
            isTrusted: subject.isTrusted)
        var share: BudgetShare = []
        // People whom the client knows may use its whole share of the budget.
        if subject.isAnonymous, !standing.isKnown {
            let isKnown = account.source.address != nil && account.isKnownNetwork(tallies, standing, at: now)
            share = isKnown ? [.anonymous] : [.anonymous, .unknown]
        }
        let purchase = subject.purchase(by: spend, clients: tenantCount, share)
        do throws(LimitHit) {
            if subject.isAutomatic {
                try tallies.check([subject.ofTarget], by: limits, at: now)
            } else {
                try tallies.checkSend(subject.ofTarget, by: limits, at: now)
            }
            if subject.kind == .link {
                try tallies.check([LimitKey(.refusedLinks, subject.target, of: subject.tenant)], by: limits, at: now)
            }
            if subject.isRefusable {
                try account.checkSource(tallies, standing, by: limits, at: now)
            }
        } catch {
            tallies.note(error.limit, subject.target.number)
            return .rateLimited(error)
        }
        do throws(LimitHit) {
            // A person who has proven the number from this network is known.
            if subject.isThrottled, !account.isProvenHere(tallies, by: limits, at: now) { standing.isKnown = false }
            if subject.isClosed, !standing.isKnown {
                throw LimitHit(.prefixClosed, retryAfterSeconds: account.delay(at: now))
            }
            if subject.isRefusable { try account.checkPlace(tallies, standing, by: limits, at: now) }
            if let purchase { try tallies.check(purchase, by: spend, at: now) }
        } catch {
            let isOfPlace = error.limit == .prefixClosed || error.limit == .sendsPerCountry
            tallies.note(
                error.limit, subject.target.number, asker: isOfPlace ? (account.source, subject.tenant) : nil)
            if spend.mode == .block { return .rateLimited(error) }
        }
        tallies.count([subject.ofTarget], by: limits, at: now)
        // An automatic message replaces the previous one, so it takes no further token.
        if subject.isConfirmed {
            account.pay(into: &tallies, isNew: !isKnownTarget, by: limits, at: now)
        } else if !subject.isAutomatic {
            account.take(from: &tallies, standing, by: limits, at: now)
            if account.isAnswerKnown, account.source.address == nil, !subject.isAnonymous {
                tallies.sentWithoutAddress = subject.tenant
            }
        }
        if let purchase { tallies.count(purchase, by: spend, at: now) }
        return nil
    }

    /// Whether the check of this message has stopped after too many failures in a row.
    private func isStopped(_ subject: SendSubject, by limits: Limits.OverSessions, at now: Timestamp) -> Bool {
        let counter: LimitKey.Counter =
            switch subject.kind {
            case .code: subject.account.proofHere(tallies, at: now) == nil ? .wrongCodes : .wrongCodesOfOwner
            case .link: .refusedLinks
            }
        return tallies.isStopped(LimitKey(counter, subject.target, of: subject.tenant), by: limits)
    }

    // MARK: codes and links

    private func guesses(of target: Target, isTestNumber: Bool, from source: MessageSource?) -> GuessAccount {
        GuessAccount(
            target, from: source, of: session.clientID, isTestNumber: isTestNumber, isLong: session.hasLongCode)
    }

    /// Checks one code. Over the limit of wrong codes it is not compared, and the response is the one for used-up tries
    /// (OTP-06).
    /// - Parameters:
    ///   - isTestNumber: guesses then count by network only, because the code of a test number stays the same.
    ///   - source: the network that sent the code; `nil`: the one that requested the last message.
    mutating func verifyOTP(
        _ digest: (AuthID, Target) -> OTPDigest, isTestNumber: Bool = false, from source: MessageSource? = nil,
        at now: Timestamp, rules: Rules
    ) throws(StepRefusal) -> StepOutcome {
        guard let over = rules.limits.overSessions(of: session.clientID), session.awaitsTypedCode,
            let target = session.currentTarget
        else { return try session.verifyOTP(digest, at: now, rules: rules) }
        let account = guesses(of: target, isTestNumber: isTestNumber, from: source ?? session.askers.last)
        let keys = account.counted(tallies, at: now)
        guard keys.allSatisfy({ admits($0, target.number, by: over, at: now) }) else {
            // No code is right, as for an unknown person: the response must not reveal whose codes count together.
            if session.request.policy.tellsNothingOfMessages {
                return try session.verifyOTP({ _, _ in .ofNone }, at: now, rules: rules)
            }
            session.fail(at: now, detail: "number_limit")
            return .refused(.otpMismatch)
        }
        let couldPass = session.otp.canPass(at: now)
        let outcome = try session.verifyOTP(digest, at: now, rules: rules)
        guard outcome == .refused(.otpMismatch) else { return outcome }
        guard session.hasLongCode, !isTestNumber else {
            tallies.countFailure(keys, by: over, at: now)
            return outcome
        }
        // They form no run, because they never stop a check. If no message was sent, there is nothing to guess.
        if couldPass { tallies.count(keys, by: over, at: now) }
        return outcome
    }

    /// Whether a check may be tried once more. A refusal is recorded.
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

    /// Applies the link holder's decision. Over the limit of refused links an approval is also refused. A refusal is
    /// always accepted.
    package mutating func decideLink(
        _ digest: LinkDigest, _ decision: LinkDecision, by phone: Session.ApprovingPhone,
        giving code: ExchangeDigest? = nil, at now: Timestamp, rules: Rules
    ) -> Bool {
        let before = session
        guard let over = rules.limits.overSessions(of: session.clientID), let target = session.currentTarget,
            case .open = session.linkStatus(digest, at: now)
        else { return session.decideLink(digest, decision, by: phone, giving: code, at: now, rules: rules) }
        let key = LimitKey(.refusedLinks, target, of: session.clientID)
        if case .approve = decision, !admits(key, target.number, by: over, at: now) {
            session.refuseApprovalByLimit(at: now)
            return true
        }
        let isTaken = session.decideLink(digest, decision, by: phone, giving: code, at: now, rules: rules)
        if session.isDone, !before.isDone, session.proof == nil, session.riskReasons.isEmpty {
            tallies.countFailure([key], by: over, at: now)
        }
        return isTaken
    }

    // MARK: claims about the person

    /// The keys that count a claim: the proven number and, if a device key was shown, that key.
    package static func claimKeys(of session: Session) -> [LimitKey] {
        guard let number = session.proof?.number else { return [] }
        var keys = [LimitKey(.failedClaimsOfNumber, number, of: session.clientID)]
        if let id = session.deviceID {
            keys.append(LimitKey(.failedClaimsOfDeviceKey, of: session.clientID, Array(id.text.utf8)))
        }
        return keys
    }

    /// Applies `rule` to one claim about the person; its result says whether the claim is right. Over the limit the
    /// claim is not compared. The session's own rules come first.
    package mutating func claim<Result>(
        at now: Timestamp, limits: Limits, passes: (Result) -> Bool,
        _ rule: (inout Session) throws(PlatformRefusal) -> Result
    ) throws(PlatformRefusal) -> Result {
        var claimed = session
        let result = try rule(&claimed)
        guard let over = limits.overSessions(of: session.clientID) else {
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

    /// A proof of the number or address ends the runs of failures of all possession checks: an attacker who only
    /// guessed could not have given it. Runs of failed claims go on, because the holder of the number may be the one
    /// who guesses them. Called once, in the transaction that proved the target. A backend's own statement about a
    /// number ends no runs; it only pays for that backend's messages.
    mutating func endRunsOfProof(limits: Limits, at now: Timestamp) {
        guard let proof = session.proof, proof.method != .assumed, let over = limits.overSessions(of: session.clientID)
        else { return }
        guard proof.method != .customer else { return countAnswer(of: proof.target, by: over, at: now) }
        if proof.method == .otp || proof.method == .instantLink { countAnswer(of: proof.target, by: over, at: now) }
        if proof.method == .mobileAuth, let account = mobileAuthAccount, account.target == proof.target {
            account.noteMobileAuth(in: &tallies, isNew: !isKnownTarget, at: now)
        }
        tallies.endRuns(
            [.wrongCodes, .wrongCodesOfOwner, .refusedLinks, .failedDeviceProofs].map {
                LimitKey($0, proof.target, of: session.clientID)
            })
    }

    /// Returns the tokens of an answered message to the networks that requested it.
    private mutating func countAnswer(of target: Target, by limits: Limits.OverSessions, at now: Timestamp) {
        let isNew = !isKnownTarget
        for account in session.accounts(target) where tallies[account.inPrefix] != nil {
            account.pay(into: &tallies, isNew: isNew, by: limits, at: now)
        }
    }

    /// Takes back a message of the session that the person could not answer.
    /// - Parameter isTaken: as in `MessageAccount.giveBack`.
    package mutating func giveBack(
        _ message: Target, isTaken: Bool, limits: Limits, at now: Timestamp
    ) {
        guard let over = limits.overSessions(of: session.clientID),
            let account = session.accounts(message).last,
            tallies[account.inPrefix] != nil
        else { return }
        account.giveBack(to: &tallies, isTaken: isTaken, by: over, at: now)
    }
}

extension Session {
    /// Address of the person, as named by the backend.
    var namedAddress: IPAddress? { request.subject.address }

    /// The accounts of the session's messages to a target, one for each address that requested one.
    func accounts(_ target: Target) -> [MessageAccount] {
        askers.map {
            MessageAccount(
                target, from: $0, of: clientID, country: askedCountry,
                isAnswerKnown: !hasOwnCode && !request.policy.isAnsweredElsewhere)
        }
    }

    /// All keys that must be read to check a code. The keys it counts under depend on their tallies.
    /// - Parameter source: the network that sent the code; `nil`: the one that requested the last message.
    func guessKeys(of target: Target, from source: MessageSource? = nil) -> [LimitKey] {
        GuessAccount(
            target, from: source ?? askers.last, of: clientID, isTestNumber: true, isLong: hasLongCode
        ).keys
    }

    /// The code is long, and any caller who knows the person's identification may request it: the person has no other
    /// check. Wrong long codes have a counter of their own, and no number of them in a row stops the check.
    ///
    /// Guesses are bounded because each session takes few codes, and none unless a message was sent. 10 messages to a
    /// number and 5 codes a session are 50 guesses of 10^8 a day. If messages have no limit, 1,200 guesses a day are
    /// possible, so a code of eight digits is found in 228 years.
    var hasLongCode: Bool { request.policy.isAskedByAnyone && otp.codeLength >= 8 }

    /// All keys that must be read for an answer, or to take a message back.
    package func answerKeys(of target: Target) -> [LimitKey] { accounts(target).flatMap(\.keys) }
}

/// The keys that count wrong codes for a target: all strangers, the stranger's network, or the networks that have
/// proven the target, whose counter strangers cannot fill. Long codes have one counter, with a limit so high that
/// strangers cannot reach it (`Session.hasLongCode`).
struct GuessAccount: Sendable {
    private let ofNetwork: LimitKey?
    private let ofStrangers: LimitKey
    private let ofOwner: LimitKey
    /// `nil`: the codes are short.
    private let ofLong: LimitKey?
    private let proofs: LimitKey
    private let source: MessageSource?
    private let isTestNumber: Bool

    /// - Parameter source: the network that sent the code or requested the message; `nil`: unknown.
    init(
        _ target: Target, from source: MessageSource?, of tenant: ClientID, isTestNumber: Bool, isLong: Bool = false
    ) {
        let name = Array(target.canonical.utf8)
        let network = source?.network
        ofNetwork =
            network != nil || isTestNumber
            ? LimitKey(.wrongCodesOfNetwork, of: tenant, (network?.bytes ?? []) + name) : nil
        ofStrangers = LimitKey(.wrongCodes, target, of: tenant)
        ofOwner = LimitKey(.wrongCodesOfOwner, target, of: tenant)
        ofLong = isLong ? LimitKey(.wrongLongCodes, target, of: tenant) : nil
        proofs = LimitKey(.proofs, target, of: tenant)
        self.source = source
        self.isTestNumber = isTestNumber
    }

    /// All keys that must be read.
    var keys: [LimitKey] {
        if !isTestNumber, let ofLong { return [ofLong] }
        return [ofStrangers, ofOwner, proofs] + [ofNetwork, ofLong].compactMap { $0 }
    }

    /// The keys that one wrong code counts under.
    func counted(_ tallies: LimitTallies, at now: Timestamp) -> [LimitKey] {
        if isTestNumber, let ofNetwork { return [ofNetwork] }
        if let ofLong { return [ofLong] }
        if isOwner(tallies, at: now) { return [ofOwner] }
        return [ofStrangers] + (ofNetwork.map { [$0] } ?? [])
    }

    private func isOwner(_ tallies: LimitTallies, at now: Timestamp) -> Bool {
        guard let source, source.network != nil, let tally = tallies[proofs] else { return false }
        return tally.tags(at: now, reach: proofs.counter.reach).contains(source.networkTag)
    }
}
