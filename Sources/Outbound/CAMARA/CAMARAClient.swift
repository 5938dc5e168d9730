internal import Engine
internal import Locks
internal import Possession
internal import StrictJSON
internal import Text

/// Calls the CAMARA APIs of one operator, with the profile of CAMARA Identity and Consent Management r4.2
/// (`private_key_jwt`, one purpose). Does not call it for a while when it keeps failing or asks for a pause.
final class CAMARAClient: Sendable {
    /// The purpose of every scope.
    static let purpose = "dpv:FraudPreventionAndDetection"
    /// Longest answer that is read, in bytes.
    private static let maxResponseBytes = 64 * 1024
    /// Longest pause that an operator may ask for.
    private static let maxPause = Duration.seconds(3600)

    private typealias Fields = [(name: String, value: String)]

    private struct State: Sendable {
        var breaker: CircuitBreaker
        /// Until when the operator has asked for a pause.
        var restsUntil: ContinuousClock.Instant?

        func admits(at now: ContinuousClock.Instant) -> Bool {
            breaker.admits(at: now) && restsUntil.map { now >= $0 } ?? true
        }
    }

    private let tokenURL: String
    private let clientID: String
    private let callTimeout: Duration?
    private let send: OutboundSend
    private let assertions: any ClientAssertionIssuer
    private let now: Now
    private let randomBytes: RandomBytes
    private let instant: @Sendable () -> ContinuousClock.Instant
    private let state: Locked<State>

    /// - Parameters:
    ///   - tokenURL: also the audience of assertions.
    ///   - callTimeout: longest wait for one answer; `nil`: only the deadline of a call counts.
    ///   - now: the time in assertions; it must agree with the operator's clock.
    ///   - instant: measures waits and pauses.
    init(
        tokenURL: String, clientID: String, callTimeout: Duration? = nil, breaker: CircuitBreaker,
        send: @escaping OutboundSend, assertions: any ClientAssertionIssuer, now: @escaping Now,
        randomBytes: @escaping RandomBytes, instant: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.tokenURL = tokenURL
        self.clientID = clientID
        self.callTimeout = callTimeout
        self.send = send
        self.assertions = assertions
        self.now = now
        self.randomBytes = randomBytes
        self.instant = instant
        state = Locked(State(breaker: breaker))
    }

    // MARK: Pauses

    var isAvailable: Bool {
        let now = instant()
        return state.withLock { $0.admits(at: now) }
    }

    /// Runs the calls of one question unless the operator is not to be called, and records whether the result counts
    /// against it.
    /// - Throws: `.resting` if the operator is not to be called; otherwise what `ask` throws.
    func guarded<Answer: Sendable>(
        _ ask: () async throws(CAMARAFailure) -> Answer
    ) async throws(CAMARAFailure) -> Answer {
        let start = instant()
        let permit = state.withLock { $0.admits(at: start) ? $0.breaker.admit(at: start) : nil }
        guard let permit else { throw .resting }
        do throws(CAMARAFailure) {
            let answer = try await ask()
            record(.answered, permit)
            return answer
        } catch {
            record(error.outcome, permit, pause: error.pause)
            throw error
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

    // MARK: Calls

    /// Asks for an access token.
    func requestToken(
        _ grant: CAMARAGrant, by deadline: ContinuousClock.Instant
    ) async throws(CAMARAFailure) -> CAMARAResponse {
        let form: String
        do { form = FormEncoding.encode(try fields(of: grant)) } catch {
            throw .ours("token: an assertion could not be made")
        }
        let headers: Fields = [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")]
        return try await send(.token, "POST", tokenURL, headers: headers, Array(form.utf8), by: deadline)
    }

    /// Calls an API: `POST` with a body, `GET` without one.
    func call(
        _ call: CAMARACall, _ url: String, _ body: JSONObject? = nil, token: String,
        by deadline: ContinuousClock.Instant
    ) async throws(CAMARAFailure) -> CAMARAResponse {
        let random: [UInt8]
        do { random = try randomBytes(16) } catch { throw .ours("no random bytes for x-correlator") }
        let (bearer, correlator) = ("Bearer " + token, Hex.text(random))
        guard let body else {
            let headers: Fields = [
                ("Authorization", bearer), ("Accept", "application/json"), ("x-correlator", correlator),
            ]
            return try await send(call, "GET", url, headers: headers, [], by: deadline)
        }
        let headers: Fields = [
            ("Authorization", bearer), ("Content-Type", "application/json"), ("x-correlator", correlator),
            ("Accept", "application/json"),
        ]
        return try await send(call, "POST", url, headers: headers, body.serialized(), by: deadline)
    }

    private func send(
        _ call: CAMARACall, _ method: String, _ url: String, headers: Fields, _ body: [UInt8],
        by deadline: ContinuousClock.Instant
    ) async throws(CAMARAFailure) -> CAMARAResponse {
        let rest = deadline - instant()
        let timeout = callTimeout.map { min($0, rest) } ?? rest
        guard timeout > .zero else { throw .timeout }
        let request = OutboundRequest(
            method: method, url: url, headers: headers, body: body, timeout: timeout,
            maxResponseBytes: Self.maxResponseBytes)
        let response: OutboundResponse
        do { response = try await send(request) } catch { throw CAMARAFailure(error, in: call) }
        return CAMARAResponse(
            call: call, status: response.status, body: response.body, retryAfter: response.retryAfter)
    }

    // MARK: Grants

    private func fields(of grant: CAMARAGrant) throws -> Fields {
        let jti = try randomBytes(16)
        switch grant {
        case .code(let code, let verifier, let redirectURI):
            return [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI),
                ("code_verifier", verifier),
            ] + (try clientAssertion(jti))
        case .clientCredentials(let scope):
            return [("grant_type", "client_credentials"), ("scope", scope)] + (try clientAssertion(jti))
        case .bearer(let subject, let scope):
            let assertion = try assertions.issueGrantAssertion(
                clientID: clientID, subject: subject, scope: scope, audience: tokenURL, jti: jti, at: now())
            return [("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", assertion)]
        }
    }

    private func clientAssertion(_ jti: [UInt8]) throws -> Fields {
        let assertion = try assertions.issueClientAssertion(
            clientID: clientID, audience: tokenURL, jti: jti, at: now())
        return [
            ("client_id", clientID),
            ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
            ("client_assertion", assertion),
        ]
    }
}

/// A reason for an access token.
enum CAMARAGrant: Sendable {
    /// The code that a device has brought (RFC 6749 section 4.1.3, RFC 7636 section 4.5, RFC 7523 section 2.2).
    case code(String, verifier: String, redirectURI: String)
    /// Our own credentials (RFC 6749 section 4.4.2, RFC 7523 section 2.2).
    case clientCredentials(scope: String)
    /// An assertion about `subject`, such as `tel:+4915112345678` (RFC 7523 section 2.1).
    case bearer(subject: String, scope: String)
}
