package import Engine
package import Possession
internal import StrictJSON

/// An operator that reports the standing of its numbers, with a name and a circuit breaker.
package protocol ReputationOperator: Sendable {
    var name: String { get }
    /// False while its circuit is open or it asked for a pause.
    var isAvailable: Bool { get }

    /// - Parameter deadline: for the whole answer.
    func standing(
        _ query: ReputationQuery, by deadline: ContinuousClock.Instant
    ) async throws(ReputationFault) -> Reputation

    /// - Parameter deadline: for the whole answer.
    func simSwap(
        _ question: SIMSwapQuestion, of number: PhoneNumber, by deadline: ContinuousClock.Instant
    ) async throws(ReputationFault) -> SIMSwapAnswer
}

extension ReputationOperator {
    /// The default for an operator that reports nothing about SIMs.
    package func simSwap(
        _ question: SIMSwapQuestion, of number: PhoneNumber, by deadline: ContinuousClock.Instant
    ) async throws(ReputationFault) -> SIMSwapAnswer { throw .notCovered }
}

/// An operator that speaks CAMARA SIM Swap 2.1.0 and Number Recycling 0.2.0 (`CAMARAClient`).
package final class CAMARAReputation: ReputationOperator {
    private let settings: ReputationOperatorSettings
    private let client: CAMARAClient
    private let tokens: StandingTokens
    private let now: Now

    package var name: String { settings.name }
    package var isAvailable: Bool { client.isAvailable }

    /// - Parameters:
    ///   - settings: must have no defects.
    ///   - now: the time in assertions; it must agree with the operator's clock.
    ///   - instant: measures waits, the life of tokens, and pauses.
    package init(
        _ settings: ReputationOperatorSettings, send: @escaping OutboundSend, assertions: any ClientAssertionIssuer,
        now: @escaping Now, randomBytes: @escaping RandomBytes,
        instant: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.settings = settings
        self.now = now
        client = CAMARAClient(
            tokenURL: settings.tokenURL, clientID: settings.clientID,
            breaker: CircuitBreaker(threshold: settings.breakerFailures, pause: settings.breakerPause), send: send,
            assertions: assertions, now: now, randomBytes: randomBytes, instant: instant)
        tokens = StandingTokens(settings, instant: instant)
    }

    package func standing(
        _ query: ReputationQuery, by deadline: ContinuousClock.Instant
    ) async throws(ReputationFault) -> Reputation {
        try await guarded { () async throws(CAMARAFailure) in try await ask(query, by: deadline) }
    }

    package func simSwap(
        _ question: SIMSwapQuestion, of number: PhoneNumber, by deadline: ContinuousClock.Instant
    ) async throws(ReputationFault) -> SIMSwapAnswer {
        guard let base = settings.simSwapURL else { throw .notCovered }
        return try await guarded { () async throws(CAMARAFailure) in
            try await ask(question, of: number, base, by: deadline)
        }
    }

    private func guarded<Answer: Sendable>(
        _ ask: () async throws(CAMARAFailure) -> Answer
    ) async throws(ReputationFault) -> Answer {
        do throws(CAMARAFailure) { return try await client.guarded(ask) } catch {
            switch error.kind {
            case .timeout: throw .timeout
            case .resting: throw .resting
            case .notServed: throw .notCovered
            case .cancelled: throw .cancelled
            case .failed(let reason): throw .failed(reason: "operator \(name): \(reason)")
            }
        }
    }

    // MARK: Questions

    private func ask(
        _ query: ReputationQuery, by deadline: ContinuousClock.Instant
    ) async throws(CAMARAFailure) -> Reputation {
        if let base = settings.simSwapURL {
            let question = SIMSwapQuestion.within(hours: settings.simSwapHours)
            switch try await ask(question, of: query.number, base, by: deadline) {
            case .swapped(true): return Reputation(failureReasons: [.simSwap(withinHours: settings.simSwapHours)])
            case .swapped(false): break
            // A smaller `reputation.simSwapHours` would help, so the log must show the refusal.
            case .untold where settings.simSwapCall == .check: throw .refused("sim-swap: 400 OUT_OF_RANGE")
            case .untold, .last: throw .notServed
            }
        }
        guard let base = settings.recyclingURL, let date = query.knownSince?.date else {
            // Only recycling is configured, and the date to compare with is unknown.
            if settings.simSwapURL == nil { throw .notServed }
            return Reputation()
        }
        let response = try await call(
            .recycling, base + "/check", ["specifiedDate": .string(date)], about: query.number, by: deadline)
        return Reputation(failureReasons: try StandingAnswers.recycled(in: response) ? [.newOwner] : [])
    }

    private func ask(
        _ question: SIMSwapQuestion, of number: PhoneNumber, _ base: String, by deadline: ContinuousClock.Instant
    ) async throws(CAMARAFailure) -> SIMSwapAnswer {
        if case .within(let hours) = question, settings.simSwapCall == .check {
            let body: JSONObject = ["maxAge": .integer(Int64(hours))]
            return try StandingAnswers.swapped(
                in: try await call(.simSwap, base + "/check", body, about: number, by: deadline))
        }
        let response = try await call(
            .simSwap, base + "/retrieve-date", [:], about: number, use: .lastSwap, by: deadline)
        return try StandingAnswers.lastSwap(in: response).answering(question, at: now())
    }

    /// If a kept token is refused, one new token is tried: the kept one may have ended early.
    private func call(
        _ call: CAMARACall, _ url: String, _ body: JSONObject, about number: PhoneNumber,
        use: StandingTokens.Use = .standing, by deadline: ContinuousClock.Instant
    ) async throws(CAMARAFailure) -> CAMARAResponse {
        var body = body
        // A token for one number already names it: naming it again is an error (`UNNECESSARY_IDENTIFIER`).
        if settings.tokenWay == .clientCredentials { body.set("phoneNumber", number.e164) }
        let token = try await token(for: number, use, by: deadline)
        let response = try await client.call(call, url, body, token: token.text, by: deadline).unlessLimited()
        guard response.status == 401, token.isKept else { return response }
        tokens.forget(token)
        let fresh = try await self.token(for: number, use, by: deadline)
        return try await client.call(call, url, body, token: fresh.text, by: deadline).unlessLimited()
    }

    private func token(
        for number: PhoneNumber, _ use: StandingTokens.Use, by deadline: ContinuousClock.Instant
    ) async throws(CAMARAFailure) -> StandingTokens.Token {
        try await tokens.token(for: number, use) { (grant) async throws(CAMARAFailure) in
            try await client.requestToken(grant, by: deadline).unlessLimited()
        }
    }
}

extension CAMARAResponse {
    /// - Throws: if the operator refuses calls for now, with the pause that it asks for.
    fileprivate func unlessLimited() throws(CAMARAFailure) -> CAMARAResponse {
        guard status == 429 else { return self }
        var failure = broken("429")
        failure.pause = retryAfter
        throw failure
    }
}
