/// A call that may have come before, and when the reply that was kept then is its answer.
package struct Retry: Sendable, Equatable {
    package enum Answering: Sendable, Equatable {
        /// The caller has named the call: always. Another body under the same name is an error.
        case named
        /// The name is made of the body, and the caller says that it is a first call: never.
        case first
        /// The name is made of the body, and the caller says that it is a repeated call: for a while. Later the same body is
        /// another call.
        case repeated
    }

    /// So long may a caller wait for an answer, and call again.
    private static let repeatTime = Duration.seconds(120)

    package let key: RetryKey
    package let answering: Answering

    package init(_ key: RetryKey, _ answering: Answering = .named) {
        self.key = key
        self.answering = answering
    }

    /// Whether the call is no new one.
    func isAnswered(by earlier: KeptReply, at now: Timestamp) -> Bool {
        do throws(AdmissionRefusal) { return try answer(earlier, at: now) != nil } catch { return true }
    }

    /// The reply that is the answer; `nil`: the call is a new one.
    /// - Throws: `.retryKeyReused`.
    func answer(_ earlier: KeptReply?, at now: Timestamp) throws(AdmissionRefusal) -> OperationReply? {
        guard let earlier else { return nil }
        switch answering {
        case .named:
            guard earlier.requestBody == key.body else { throw .retryKeyReused }
            return earlier.reply
        case .first: return nil
        case .repeated: return earlier.at.map { now < $0.adding(Self.repeatTime) } == true ? earlier.reply : nil
        }
    }
}

extension SessionOperation {
    /// Outcome of a call in its change.
    enum Answer: Sendable {
        case replayed(OperationReply)
        /// The rule was not asked. Only the timeline may have changed.
        case turnedAway(AdmissionRefusal)
        /// A call that changed nothing is not kept: it can be made again as it is, and what sessions keep stays bounded.
        case ruled(Outcome, isKept: Bool)
    }

    /// Admits who calls, and applies the rule; a retry gets the reply that was kept.
    func answered(
        on change: inout SessionChange, by credential: Session.Binding, _ retry: Retry?, at now: Timestamp, rules: Rules
    ) throws(StepRefusal) -> Answer {
        if !begins || change.session.binding != .unbound,
            let refusal = try change.session.admit(credential, at: now)
        {
            return .turnedAway(refusal)
        }
        do throws(AdmissionRefusal) {
            if let reply = try retry?.answer(change.earlierReply, at: now) { return .replayed(reply) }
        } catch { return .turnedAway(error) }
        let before = change.session
        var outcome = try rule(&change, credential, now, rules)
        if let retry, case .send(var message) = outcome {
            message.retry = retry.key
            change.message = message
            outcome = .send(message)
        }
        return .ruled(outcome, isKept: retry != nil && change.session != before)
    }

    /// Stores the reply for a retry, once the session is as it will be stored.
    func keep(_ answer: Answer, _ retry: Retry?, in change: inout SessionChange, at now: Timestamp) {
        guard let retry, case .ruled(let outcome, isKept: true) = answer else { return }
        var reply = OperationReply(refusal: nil, session: change.session, offer: offer)
        if case .refused(let refusal) = outcome {
            guard StepRefusal.outcomes.contains(refusal) else { return }
            reply = OperationReply(refusal: refusal, session: change.session)
        }
        change.reply = KeptReply(requestBody: retry.key.body, reply: reply, at: now)
    }
}

extension SessionOperations {
    /// Does what has to follow once the change is durable, and makes the reply.
    /// - Parameter offer: of the operation that was carried out.
    /// - Returns: `nil`: the session is gone, or its tenant may no longer call.
    func reply(
        to outcome: SessionOperation.Outcome, of session: Session, offer: MobileAuthOffer?, _ retry: RetryKey?
    ) async throws(EngineFault) -> OperationReply? {
        switch outcome {
        case .done: return OperationReply(refusal: nil, session: session, offer: offer)
        case .refused(let refusal): return OperationReply(refusal: refusal, session: session)
        case .send(let message):
            return try await MessageDelivery(engine: engine).deliver(message, of: session)
        case .ask(let question):
            return try await MobileAuthService(engine, in: session.fence).settle(question, of: session, retry: retry)
        }
    }
}
