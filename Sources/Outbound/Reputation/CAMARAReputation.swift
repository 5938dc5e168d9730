internal import Locks
package import Engine
package import Possession
internal import StrictJSON
internal import Text

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

/// An operator that speaks CAMARA SIM Swap 2.1.0 and Number Recycling 0.2.0, with the profile of CAMARA Identity and
/// Consent Management r4.2.
package final class CAMARAReputation: ReputationOperator {
    /// Longest answer that is read, in bytes.
    private static let maxResponseBytes = 64 * 1024
    /// Longest pause that an operator may ask for.
    private static let maxPause = Duration.seconds(3600)

    private let settings: ReputationOperatorSettings
    private let send: OutboundSend
    private let tokens: RiskTokens
    private let now: Now
    private let randomBytes: RandomBytes
    private let instant: @Sendable () -> ContinuousClock.Instant
    private let state: Locked<State>

    private struct State: Sendable {
        var breaker: CircuitBreaker
        /// Until when the operator has asked for a pause.
        var restsUntil: ContinuousClock.Instant?
    }

    package var name: String { settings.name }

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
        self.send = send
        self.now = now
        self.randomBytes = randomBytes
        self.instant = instant
        tokens = RiskTokens(settings, assertions: assertions, now: now, randomBytes: randomBytes, instant: instant)
        state = Locked(
            State(breaker: CircuitBreaker(threshold: settings.breakerFailures, pause: settings.breakerPause)))
    }

    package var isAvailable: Bool {
        let now = instant()
        return state.withLock { state in
            state.breaker.admits(at: now) && state.restsUntil.map { now >= $0 } ?? true
        }
    }

    package func standing(
        _ query: ReputationQuery, by deadline: ContinuousClock.Instant
    ) async throws(ReputationFault) -> Reputation {
        try await guarded { () async throws(RiskFailure) in try await ask(query, by: deadline) }
    }

    package func simSwap(
        _ question: SIMSwapQuestion, of number: PhoneNumber, by deadline: ContinuousClock.Instant
    ) async throws(ReputationFault) -> SIMSwapAnswer {
        guard let base = settings.simSwapURL else { throw .notCovered }
        return try await guarded { () async throws(RiskFailure) in
            try await ask(question, of: number, base, by: deadline)
        }
    }

    /// Calls the operator unless its circuit is open, and records whether the result counts against it.
    private func guarded<Answer: Sendable>(
        _ ask: () async throws(RiskFailure) -> Answer
    ) async throws(ReputationFault) -> Answer {
        let start = instant()
        let permit = state.withLock { state -> CircuitBreaker.Permit? in
            if let end = state.restsUntil, start < end { return nil }
            return state.breaker.admit(at: start)
        }
        guard let permit else { throw .resting }
        do throws(RiskFailure) {
            let answer = try await ask()
            record(.answered, permit)
            return answer
        } catch {
            record(error.outcome, permit, pause: error.pause)
            if case .failed(let reason) = error.fault { throw .failed(reason: "operator \(name): \(reason)") }
            throw error.fault
        }
    }

    private func record(
        _ outcome: CircuitBreaker.Outcome, _ permit: CircuitBreaker.Permit, pause: Duration? = nil
    ) {
        let now = instant()
        state.withLock { state in
            state.breaker.record(outcome, of: permit, at: now)
            if let pause { state.restsUntil = now.advanced(by: min(pause, Self.maxPause)) }
        }
    }

    // MARK: Questions

    private func ask(
        _ query: ReputationQuery, by deadline: ContinuousClock.Instant
    ) async throws(RiskFailure) -> Reputation {
        if let base = settings.simSwapURL {
            let question = SIMSwapQuestion.within(hours: settings.simSwapHours)
            switch try await ask(question, of: query.number, base, by: deadline) {
            case .swapped(true): return Reputation(failureReasons: [.simSwap(withinHours: settings.simSwapHours)])
            case .swapped(false): break
            // A smaller `reputation.simSwapHours` would help, so the log must show the refusal.
            case .untold where settings.simSwapCall == .check: throw .refused("sim-swap: 400 OUT_OF_RANGE")
            case .untold, .last: throw .notCovered
            }
        }
        guard let base = settings.recyclingURL, let date = query.knownSince?.date else {
            // Only recycling is configured, and the date to compare with is unknown.
            if settings.simSwapURL == nil { throw .notCovered }
            return Reputation()
        }
        let response = try await call(
            .recycling, base + "/check", ["specifiedDate": .string(date)], about: query.number, by: deadline)
        return Reputation(failureReasons: try RiskAnswers.recycled(in: response) ? [.newOwner] : [])
    }

    private func ask(
        _ question: SIMSwapQuestion, of number: PhoneNumber, _ base: String, by deadline: ContinuousClock.Instant
    ) async throws(RiskFailure) -> SIMSwapAnswer {
        if case .within(let hours) = question, settings.simSwapCall == .check {
            let body: JSONObject = ["maxAge": .integer(Int64(hours))]
            return try RiskAnswers.swapped(
                in: try await call(.simSwap, base + "/check", body, about: number, by: deadline))
        }
        let response = try await call(
            .simSwap, base + "/retrieve-date", [:], about: number, use: .lastSwap, by: deadline)
        return try RiskAnswers.lastSwap(in: response).answering(question, at: now())
    }

    /// If a kept token is refused, one new token is tried: the kept one may have ended early.
    private func call(
        _ call: OperatorCall, _ url: String, _ body: JSONObject, about number: PhoneNumber,
        use: RiskTokens.Use = .standing, by deadline: ContinuousClock.Instant
    ) async throws(RiskFailure) -> OperatorResponse {
        var body = body
        // A token for one number already names it: naming it again is an error (`UNNECESSARY_IDENTIFIER`).
        if settings.tokenWay == .clientCredentials { body.set("phoneNumber", number.e164) }
        let token = try await token(for: number, use, by: deadline)
        let response = try await post(call, url, body.serialized(), token, by: deadline)
        guard response.status == 401, token.isKept else { return response }
        tokens.forget(token)
        return try await post(
            call, url, body.serialized(), try await self.token(for: number, use, by: deadline), by: deadline)
    }

    private func token(
        for number: PhoneNumber, _ use: RiskTokens.Use, by deadline: ContinuousClock.Instant
    ) async throws(RiskFailure) -> RiskTokens.Token {
        try await tokens.token(for: number, use) { (form) throws(RiskFailure) in
            try await self.send(
                .token, settings.tokenURL,
                headers: [(name: "Content-Type", value: "application/x-www-form-urlencoded")], Array(form.utf8),
                by: deadline)
        }
    }

    private func post(
        _ call: OperatorCall, _ url: String, _ body: [UInt8], _ token: RiskTokens.Token,
        by deadline: ContinuousClock.Instant
    ) async throws(RiskFailure) -> OperatorResponse {
        let correlator: [UInt8]
        do { correlator = try randomBytes(16) } catch { throw .ours("no random bytes for x-correlator") }
        let headers = [
            (name: "Authorization", value: "Bearer " + token.text),
            (name: "Content-Type", value: "application/json"),
            (name: "x-correlator", value: Hex.text(correlator)),
        ]
        return try await send(call, url, headers: headers, body, by: deadline)
    }

    private func send(
        _ call: OperatorCall, _ url: String, headers: [(name: String, value: String)], _ body: [UInt8],
        by deadline: ContinuousClock.Instant
    ) async throws(RiskFailure) -> OperatorResponse {
        let timeout = deadline - instant()
        guard timeout > .zero else { throw .timeout }
        let request = OutboundRequest(
            method: "POST", url: url, headers: headers + [(name: "Accept", value: "application/json")], body: body,
            timeout: timeout, maxResponseBytes: Self.maxResponseBytes)
        let response: OutboundResponse
        do { response = try await send(request) } catch { throw RiskFailure(error, in: call) }
        if response.status == 429 {
            var failure = RiskFailure.broken("\(call.rawValue): 429")
            failure.pause = response.retryAfter
            throw failure
        }
        return OperatorResponse(call: call, status: response.status, body: response.body)
    }
}
