/// Links that give a code to the browser that opens them (`SessionRequest.Exchange`). Opening the link proves nothing:
/// the session stays open until its backend redeems the code.
///
///     linkWait, otpFinish --tap--> the same, with a code --redeemed in 60 seconds--> succeeded
///                                     \--another tap: a new code, the former is void
extension Session {
    /// Gives the session's link to its backend instead of sending a message. If the session names no person, the opener
    /// of the link chooses one, which proves nothing (`Proof.Method.assumed`). Only for sandboxes.
    package mutating func handOutLink(_ digest: LinkDigest, at now: Timestamp, rules: Rules) throws(StepRefusal) {
        let declaration = Declaration(platform: .web, fallback: .link, deviceKey: false, cellular: .no)
        try redeem(declaration, by: .backend, challenge: [], at: now, rules: rules)
        phase = .active(.linkWait)
        link.sent(
            IssuedLink(token: "", digest: digest, matchCode: nil), browser: nil, at: now, policy: request.policy.link,
            until: expiresAt)
    }

    /// Whether the holder of the link chooses the person of the session (sandbox).
    package var isPlayed: Bool { request.options.exchange != nil && request.subject.target == nil }

    /// Adds a link to messages that carry a code. It opens as long as the session waits for the code.
    mutating func carryLink(_ digest: LinkDigest, at now: Timestamp) { link.carry(digest, at: now) }

    /// The link was opened: its browser gets a code.
    mutating func giveExchangeCode(_ digest: ExchangeDigest, at now: Timestamp) {
        exchange = ExchangeCode(digest: digest, expiresAt: now.adding(ExchangeCode.lifetime))
        record(.linkTapped, at: now)
    }

    /// Whether a link was opened in time and its code has not expired.
    func awaitsExchange(at now: Timestamp) -> Bool { exchange.map { now < $0.expiresAt } ?? false }

    /// The backend redeems the code that a link gave: the session succeeds.
    /// - Parameter challenge: computed from the verifier in the same call.
    /// - Throws: `.sessionDone`; `.invalidState`: the code is void or expired, or the verifier is wrong. The code
    ///   then stays valid.
    package mutating func redeemExchange(
        _ digest: ExchangeDigest, verifiedBy challenge: CodeChallenge?, at now: Timestamp, rules: Rules
    ) throws(StepRefusal) {
        guard !isDone else { throw .sessionDone }
        guard let terms = request.options.exchange, let code = exchange, now < code.expiresAt,
            code.digest.matches(digest), terms.admits(challenge), let target = currentTarget
        else { throw .invalidState }
        link.pass()
        if isPlayed { return succeed(by: .assumed, target, at: now, rules: rules) }
        record(.linkApproved, at: now)
        succeed(by: .instantLink, target, at: now, rules: rules)
    }
}
