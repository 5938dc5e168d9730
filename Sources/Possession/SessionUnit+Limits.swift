/// Limits over sessions, per number; checked in the transaction that would break them (OTP-06, OTP-07).
extension SessionUnit {
    /// Sends by `rule` unless the number has had enough. The session's own rules come first: what it refuses anyway
    /// must not tell how often some number was sent to (OTP-12). A send the carrier refuses later stays in that
    /// history.
    mutating func send(
        at now: Timestamp, limits: Limits, _ rule: (inout Session) throws(ClientRefusal) -> Session.PendingMessage
    ) throws(ClientRefusal) -> Session.PendingMessage {
        var sent = session
        let message = try rule(&sent)
        try admitSend(at: now, limits: limits)
        session = sent
        return message
    }

    /// - Throws: `.rateLimited` with the seconds until the oldest send that counts has aged out.
    private func admitSend(at now: Timestamp, limits: Limits) throws(ClientRefusal) {
        guard let rules = limits.perNumber else { return }
        try admit(history.sends, most: rules.sendsPerQuarterHour, within: .seconds(900), at: now)
        try admit(history.sends, most: rules.sendsPerDay, within: .seconds(86_400), at: now)
    }

    /// Over the limit of wrong codes the answer is the one of used-up tries.
    mutating func admitEntry(at now: Timestamp, limits: Limits) throws(ClientRefusal) {
        guard let rules = limits.perNumber else { return }
        let hour = history.wrongCodes.filter { now < $0.adding(.seconds(3600)) }.count
        guard hour >= rules.wrongCodesPerHour || history.wrongCodes.count >= rules.wrongCodesPerDay else { return }
        guard case .active(.otpFinish) = session.phase else { return }
        session.fail(at: now, detail: "number_limit")
        throw .otpMismatch
    }

    mutating func countWrongCode(_ refusal: ClientRefusal, at now: Timestamp) {
        guard refusal == .otpMismatch, let number = session.currentNumber else { return }
        newHistory.append(.init(.wrongCode, number, at: now))
    }

    private func admit(
        _ moments: [Timestamp], most: Int, within window: Duration, at now: Timestamp
    ) throws(ClientRefusal) {
        let counted = moments.filter { now < $0.adding(window) }.sorted()
        guard counted.count >= most else { return }
        let frees = counted[counted.count - most].adding(window)
        throw .rateLimited(retryAfterSeconds: Int((frees.milliseconds - now.milliseconds + 999) / 1000))
    }
}
