package import Engine
package import Possession
internal import StrictJSON

/// An operator that speaks CAMARA Number Verification 2.1.0 behind OpenID Connect without interaction, with PKCE S256
/// (`CAMARAClient`).
package final class CAMARAOperator: BreakableOperator {
    private static let verifyScope = "number-verification:verify"
    private static let numberScope = "number-verification:device-phone-number:read"

    private let settings: OperatorSettings
    private let client: CAMARAClient
    private let instant: @Sendable () -> ContinuousClock.Instant

    package var name: String { settings.name }
    package var isAvailable: Bool { client.isAvailable }

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
        self.instant = instant
        client = CAMARAClient(
            tokenURL: settings.tokenURL, clientID: settings.clientID, callTimeout: settings.callTimeout,
            breaker: CircuitBreaker(threshold: settings.breakerFailures, pause: settings.breakerPause), send: send,
            assertions: assertions, now: now, randomBytes: randomBytes, instant: instant)
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
        CAMARAClient.purpose + " " + (isForClaim ? verifyScope : numberScope)
    }

    // MARK: Our calls

    package func identify(
        _ grant: OperatorGrant, claimed: PhoneNumber?
    ) async throws(OperatorFault) -> OperatorAnswer {
        let deadline = instant().advanced(by: settings.identifyTimeout)
        do throws(CAMARAFailure) {
            return try await client.guarded { () async throws(CAMARAFailure) in
                let grant = camaraGrant(grant, isForClaim: claimed != nil)
                let token = try await client.requestToken(grant, by: deadline).token().text
                return try await number(token: token, claimed: claimed, deadline: deadline)
            }
        } catch {
            switch error.kind {
            case .timeout: throw .timeout
            case .resting: throw .circuitOpen
            case .notServed: throw .notOnNetwork
            case .cancelled(let reason), .failed(let reason): throw .failed(reason: reason)
            }
        }
    }

    private func camaraGrant(_ grant: OperatorGrant, isForClaim: Bool) -> CAMARAGrant {
        switch grant {
        case .code(let code, let verifier): .code(code, verifier: verifier, redirectURI: settings.redirectURI)
        case .token(let token):
            .bearer(subject: "operatortoken:" + token.text, scope: Self.grantScope(isForClaim: isForClaim))
        }
    }

    /// Asks for the number of the connection, or whether it is `claimed`.
    private func number(
        token: String, claimed: PhoneNumber?, deadline: ContinuousClock.Instant
    ) async throws(CAMARAFailure) -> OperatorAnswer {
        guard let claimed else {
            let response = try await client.call(
                .number, settings.apiURL + "/device-phone-number", token: token, by: deadline)
            return .number(try NumberAnswers.number(in: response))
        }
        let response = try await client.call(
            .verify, settings.apiURL + "/verify", ["phoneNumber": .string(claimed.e164)], token: token, by: deadline)
        return .verified(try NumberAnswers.verified(in: response))
    }
}
