internal import Locks
internal import Possession

/// The access tokens of one operator for questions about numbers.
final class StandingTokens: Sendable {
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

    private let settings: ReputationOperatorSettings
    private let instant: @Sendable () -> ContinuousClock.Instant
    private let kept = Locked<[String: Kept]>([:])

    init(_ settings: ReputationOperatorSettings, instant: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.settings = settings
        self.instant = instant
    }

    /// A token for the number: a kept one, or a new one.
    /// - Parameter request: asks the operator for a token.
    func token(
        for number: PhoneNumber, _ use: Use,
        _ request: (CAMARAGrant) async throws(CAMARAFailure) -> CAMARAResponse
    ) async throws(CAMARAFailure) -> Token {
        let (start, scope) = (instant(), scope(of: use))
        if let kept = kept.withLock({ $0[scope] }), start < kept.until { return Token(text: kept.text, isKept: true) }
        switch settings.tokenWay {
        case .clientCredentials:
            let token = try await request(.clientCredentials(scope: scope)).token()
            if let lifetime = token.lifetime, lifetime > Self.margin {
                let until = start.advanced(by: lifetime - Self.margin)
                kept.withLock { $0[scope] = Kept(text: token.text, until: until) }
            }
            return Token(text: token.text, isKept: false)
        case .jwtBearer:
            let token = try await request(.bearer(subject: "tel:" + number.e164, scope: scope)).token()
            return Token(text: token.text, isKept: false)
        }
    }

    /// Drops a token that the operator refuses.
    func forget(_ token: Token) {
        kept.withLock { kept in kept = kept.filter { !$0.value.text.utf8.elementsEqual(token.text.utf8) } }
    }

    /// The purpose, and the calls that the operator offers.
    private func scope(of use: Use) -> String {
        var parts = [CAMARAClient.purpose]
        if use == .lastSwap, settings.simSwapCall != .retrieveDate {
            return CAMARAClient.purpose + " sim-swap:" + ReputationOperatorSettings.SIMSwapCall.retrieveDate.rawValue
        }
        if settings.simSwapURL != nil { parts.append("sim-swap:" + settings.simSwapCall.rawValue) }
        if settings.recyclingURL != nil { parts.append("number-recycling:check") }
        return parts.joined(separator: " ")
    }
}
