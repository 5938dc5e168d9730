internal import Locks
internal import Engine
internal import Possession

/// The access tokens of one operator for questions about numbers.
final class RiskTokens: Sendable {
    /// The question that a token allows. An operator may allow one and refuse the other.
    enum Use: Sendable { case standing, lastSwap }

    struct Token: Sendable {
        let text: String
        /// It was kept from an earlier question, and may have ended since.
        let isKept: Bool
    }

    private struct Kept: Sendable {
        let text: String
        let until: ContinuousClock.Instant
    }

    /// A token is not used in the last part of its life: it must outlive the call.
    private static let margin = Duration.seconds(30)
    private static let purpose = "dpv:FraudPreventionAndDetection"

    private let settings: ReputationOperatorSettings
    private let assertions: any ClientAssertionIssuer
    private let now: Now
    private let randomBytes: RandomBytes
    private let instant: @Sendable () -> ContinuousClock.Instant
    private let kept = Locked<[String: Kept]>([:])

    init(
        _ settings: ReputationOperatorSettings, assertions: any ClientAssertionIssuer, now: @escaping Now,
        randomBytes: @escaping RandomBytes, instant: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.settings = settings
        self.assertions = assertions
        self.now = now
        self.randomBytes = randomBytes
        self.instant = instant
    }

    /// A token for the number: a kept one, or a new one.
    /// - Parameter post: sends the form to the token endpoint.
    func token(
        for number: PhoneNumber, _ use: Use,
        _ post: (_ form: String) async throws(RiskFailure) -> OperatorResponse
    ) async throws(RiskFailure) -> Token {
        let (start, scope) = (instant(), scope(of: use))
        if let kept = kept.withLock({ $0[scope] }), start < kept.until { return Token(text: kept.text, isKept: true) }
        let response = try await post(try form(for: number, scope))
        let token: (text: String, lifetime: Duration?)
        do throws(OperatorFailure) { token = try OperatorAnswers.lastingToken(in: response) } catch {
            throw RiskFailure(error)
        }
        if settings.tokenWay == .clientCredentials, let lifetime = token.lifetime, lifetime > Self.margin {
            let until = start.advanced(by: lifetime - Self.margin)
            kept.withLock { $0[scope] = Kept(text: token.text, until: until) }
        }
        return Token(text: token.text, isKept: false)
    }

    /// Drops a token that the operator refuses.
    func forget(_ token: Token) {
        kept.withLock { kept in kept = kept.filter { !$0.value.text.utf8.elementsEqual(token.text.utf8) } }
    }

    /// The purpose, and the calls that the operator offers.
    private func scope(of use: Use) -> String {
        var parts = [Self.purpose]
        if use == .lastSwap, settings.simSwapCall != .retrieveDate {
            return Self.purpose + " sim-swap:" + ReputationOperatorSettings.SIMSwapCall.retrieveDate.rawValue
        }
        if settings.simSwapURL != nil { parts.append("sim-swap:" + settings.simSwapCall.rawValue) }
        if settings.recyclingURL != nil { parts.append("number-recycling:check") }
        return parts.joined(separator: " ")
    }

    /// RFC 6749 section 4.4.2 with RFC 7523 section 2.2, or RFC 7523 section 2.1.
    private func form(for number: PhoneNumber, _ scope: String) throws(RiskFailure) -> String {
        do {
            let jti = try randomBytes(16)
            switch settings.tokenWay {
            case .clientCredentials:
                let assertion = try assertions.issueClientAssertion(
                    clientID: settings.clientID, audience: settings.tokenURL, jti: jti, at: now())
                return FormEncoding.encode([
                    (name: "grant_type", value: "client_credentials"),
                    (name: "scope", value: scope),
                    (name: "client_id", value: settings.clientID),
                    (name: "client_assertion_type", value: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                    (name: "client_assertion", value: assertion),
                ])
            case .jwtBearer:
                let assertion = try assertions.issueGrantAssertion(
                    clientID: settings.clientID, subject: "tel:" + number.e164, scope: scope,
                    audience: settings.tokenURL, jti: jti, at: now())
                return FormEncoding.encode([
                    (name: "grant_type", value: "urn:ietf:params:oauth:grant-type:jwt-bearer"),
                    (name: "assertion", value: assertion),
                ])
            }
        } catch {
            throw .ours("token: an assertion could not be made")
        }
    }
}
