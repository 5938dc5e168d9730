/// Links that give a code to the browser that opens them (`SessionRequest.Exchange`). Nothing is proven by the tap: the
/// session goes on until its backend redeems the code.
///
///     linkWait, otpFinish --tap--> the same, with a code --redeemed in 60 seconds--> succeeded
///                                     \--another tap: another code, and the former is void
extension Session {
    /// Gives the session's link to its backend, in place of a message. The session may name nobody: then whoever opens the link
    /// says who it is, which proves nothing (`Proof.Method.assumed`). It is for worlds that are played.
    mutating func handOutLink(_ digest: LinkDigest, at now: Timestamp, rules: Rules) throws(StepRefusal) {
        let declaration = Declaration(platform: .web, fallback: .link, deviceKey: false, cellular: .no)
        try redeem(declaration, by: .backend, challenge: [], at: now, rules: rules)
        phase = .active(.linkWait)
        link.sent(
            IssuedLink(token: "", digest: digest, matchCode: nil), browser: nil, at: now, policy: request.policy.link,
            until: expiresAt)
    }

    /// Whether the holder of the link says whom the session is about.
    var isPlayed: Bool { request.options.exchange != nil && request.subject.target == nil }

    /// The link of messages that have a code beside it. It opens as long as a code is awaited.
    mutating func carryLink(_ digest: LinkDigest, at now: Timestamp) { link.carry(digest, at: now) }

    /// The holder of a link goes on in their browser.
    mutating func giveExchangeCode(_ digest: ExchangeDigest, at now: Timestamp) {
        exchange = ExchangeCode(digest: digest, expiresAt: now.adding(ExchangeCode.lifetime))
        record(.linkTapped, at: now)
    }

    /// A link was opened in time: its code stays good for its own time.
    func awaitsExchange(at now: Timestamp) -> Bool { exchange.map { now < $0.expiresAt } ?? false }

    /// The backend shows the code that a link gave: the session succeeds.
    /// - Parameter challenge: of the verifier that came with it.
    /// - Throws: `.sessionDone`; `.invalidState`: the code is void or late, or the verifier is not the right one. The code
    ///   stays as it is then.
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
