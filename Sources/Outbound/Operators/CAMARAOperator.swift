internal import Locks
package import Engine
package import Possession
internal import StrictJSON
internal import Text

/// An operator that speaks CAMARA Number Verification 2.1.0 behind OpenID Connect without interaction, with the profile
/// of CAMARA Identity and Consent Management r4.2: `private_key_jwt`, PKCE S256, one purpose scope.
package final class CAMARAOperator: BreakableOperator {
    /// Longest answer that is read, in bytes.
    private static let maxResponseBytes = 64 * 1024
    private static let purpose = "dpv:FraudPreventionAndDetection"
    private static let verifyScope = "number-verification:verify"
    private static let numberScope = "number-verification:device-phone-number:read"

    private let settings: OperatorSettings
    private let send: OutboundSend
    private let assertions: any ClientAssertionIssuer
    private let now: Now
    private let randomBytes: RandomBytes
    private let instant: @Sendable () -> ContinuousClock.Instant
    private let breaker: Locked<CircuitBreaker>

    package var name: String { settings.name }

    /// - Parameters:
    ///   - settings: must have no defects.
    ///   - now: the time in assertions; it must agree with the operator's clock.
    ///   - instant: measures waits and the circuit's pause.
    package init(
        _ settings: OperatorSettings, send: @escaping OutboundSend, assertions: any ClientAssertionIssuer,
        now: @escaping Now, randomBytes: @escaping RandomBytes,
        instant: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.settings = settings
        self.send = send
        self.assertions = assertions
        self.now = now
        self.randomBytes = randomBytes
        self.instant = instant
        breaker = Locked(CircuitBreaker(threshold: settings.breakerFailures, pause: settings.breakerPause))
    }

    package var isAvailable: Bool {
        let now = instant()
        return breaker.withLock { $0.admits(at: now) }
    }

    // MARK: The device's hop

    /// No `nonce`: PKCE binds the code to us, and no ID token is read.
    package func authorizeURL(_ request: OperatorRequest) -> String? {
        var fields = [
            (name: "response_type", value: "code"),
            (name: "client_id", value: settings.clientID),
            (name: "redirect_uri", value: settings.redirectURI),
            (name: "scope", value: Self.scope(isForClaim: request.claimed != nil)),
            (name: "state", value: request.state),
            (name: "prompt", value: "none"),
            (name: "code_challenge", value: request.codeChallenge),
            (name: "code_challenge_method", value: "S256"),
        ]
        if let number = request.loginHint { fields.append((name: "login_hint", value: "tel:" + number.e164)) }
        let separator = settings.authorizeURL.contains("?") ? "&" : "?"
        return settings.authorizeURL + separator + FormEncoding.encode(fields)
    }

    private static func scope(isForClaim: Bool) -> String {
        "openid " + grantScope(isForClaim: isForClaim)
    }

    /// For a JWT bearer grant: without `openid`.
    private static func grantScope(isForClaim: Bool) -> String {
        purpose + " " + (isForClaim ? verifyScope : numberScope)
    }

    // MARK: Our calls

    package func identify(
        _ grant: OperatorGrant, claimed: PhoneNumber?
    ) async throws(OperatorFault) -> OperatorAnswer {
        let start = instant()
        guard let permit = breaker.withLock({ $0.admit(at: start) }) else { throw .circuitOpen }
        let deadline = start.advanced(by: settings.identifyTimeout)
        do throws(OperatorFailure) {
            let token = try await accessToken(for: grant, isForClaim: claimed != nil, deadline: deadline)
            let answer = try await number(token: token, claimed: claimed, deadline: deadline)
            record(.answered, permit)
            return answer
        } catch {
            record(error.outcome, permit)
            throw error.fault
        }
    }

    private func record(_ outcome: CircuitBreaker.Outcome, _ permit: CircuitBreaker.Permit) {
        let now = instant()
        breaker.withLock { $0.record(outcome, of: permit, at: now) }
    }

    private func accessToken(
        for grant: OperatorGrant, isForClaim: Bool, deadline: ContinuousClock.Instant
    ) async throws(OperatorFailure) -> String {
        let fields: [(name: String, value: String)]
        do { fields = try form(of: grant, isForClaim: isForClaim) } catch {
            throw .ours("token: an assertion could not be made")
        }
        let form = FormEncoding.encode(fields)
        let headers = [
            (name: "Content-Type", value: "application/x-www-form-urlencoded"),
            (name: "Accept", value: "application/json"),
        ]
        let response = try await call(
            .token, "POST", settings.tokenURL, headers: headers, body: Array(form.utf8), deadline: deadline)
        return try OperatorAnswers.accessToken(in: response)
    }

    /// The form for a code follows RFC 6749 section 4.1.3, RFC 7636 section 4.5 and RFC 7523 section 2.2. For an
    /// operator token it is a JWT bearer grant with the token as subject (RFC 7523 section 2.1; CAMARA Identity and
    /// Consent Management r4.2).
    private func form(of grant: OperatorGrant, isForClaim: Bool) throws -> [(name: String, value: String)] {
        let jti = try randomBytes(16)
        switch grant {
        case .code(let code, let verifier):
            let assertion = try assertions.issueClientAssertion(
                clientID: settings.clientID, audience: settings.tokenURL, jti: jti, at: now())
            return [
                (name: "grant_type", value: "authorization_code"),
                (name: "code", value: code),
                (name: "redirect_uri", value: settings.redirectURI),
                (name: "code_verifier", value: verifier),
                (name: "client_id", value: settings.clientID),
                (name: "client_assertion_type", value: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                (name: "client_assertion", value: assertion),
            ]
        case .token(let token):
            let assertion = try assertions.issueGrantAssertion(
                clientID: settings.clientID, subject: "operatortoken:" + token.text,
                scope: Self.grantScope(isForClaim: isForClaim), audience: settings.tokenURL, jti: jti, at: now())
            return [
                (name: "grant_type", value: "urn:ietf:params:oauth:grant-type:jwt-bearer"),
                (name: "assertion", value: assertion),
            ]
        }
    }

    /// Asks for the number of the connection, or whether it is `claimed`.
    private func number(
        token: String, claimed: PhoneNumber?, deadline: ContinuousClock.Instant
    ) async throws(OperatorFailure) -> OperatorAnswer {
        let correlator: [UInt8]
        do { correlator = try randomBytes(16) } catch { throw .ours("no random bytes for x-correlator") }
        var headers = [
            (name: "Authorization", value: "Bearer " + token),
            (name: "Accept", value: "application/json"),
            (name: "x-correlator", value: Hex.text(correlator)),
        ]
        guard let claimed else {
            let response = try await call(
                .number, "GET", settings.apiURL + "/device-phone-number", headers: headers, deadline: deadline)
            return .number(try OperatorAnswers.number(in: response))
        }
        headers.append((name: "Content-Type", value: "application/json"))
        let body: JSONObject = ["phoneNumber": .string(claimed.e164)]
        let response = try await call(
            .verify, "POST", settings.apiURL + "/verify", headers: headers, body: body.serialized(),
            deadline: deadline)
        return .verified(try OperatorAnswers.verified(in: response))
    }

    private func call(
        _ call: OperatorCall, _ method: String, _ url: String, headers: [(name: String, value: String)],
        body: [UInt8] = [], deadline: ContinuousClock.Instant
    ) async throws(OperatorFailure) -> OperatorResponse {
        let timeout = min(settings.callTimeout, deadline - instant())
        guard timeout > .zero else { throw .timeout }
        let request = OutboundRequest(
            method: method, url: url, headers: headers, body: body, timeout: timeout,
            maxResponseBytes: Self.maxResponseBytes)
        do {
            let response = try await send(request)
            return OperatorResponse(call: call, status: response.status, body: response.body)
        } catch {
            throw OperatorFailure(error, in: call)
        }
    }
}
