/// Links that give a code to the browser that opens them (`SessionRequest.Exchange`). Nothing is proven by the tap: the
/// session goes on until its backend redeems the code.
///
///     linkWait, otpFinish --tap--> the same, with a code --redeemed in 60 seconds--> succeeded
///                                     \--another tap: another code, and the former is void
extension Session {
    /// The link of messages that have a code beside it. It opens as long as a code is awaited.
    mutating func carryLink(_ digest: LinkDigest, at now: Timestamp) { link.carry(digest, at: now) }

    /// The holder of a link goes on in their browser.
    mutating func giveExchangeCode(_ digest: ExchangeDigest, at now: Timestamp) {
        exchange = ExchangeCode(digest: digest, expiresAt: now.adding(ExchangeCode.lifetime))
        record(.linkTapped, at: now)
    }

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
        record(.linkApproved, at: now)
        succeed(by: .instantLink, target, at: now, rules: rules)
    }
}
