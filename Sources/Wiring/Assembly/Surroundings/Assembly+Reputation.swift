internal import Administration
internal import Clocks
internal import Observation
internal import Outbound
internal import Possession
internal import Tokens

extension Assembly {
    /// How the standing of numbers is learned: from the operator's own service, or from mobile operators; `nil` where the
    /// configuration has neither.
    static func reputation(
        _ ground: Groundwork, key: KeyedHash?, send: @escaping OutboundSend
    ) -> ReputationCheck? {
        let settings = ground.configuration.reputation
        guard let source = source(ground, settings, key, send) else { return nil }
        return ReputationCheck(
            RememberedReputation(source), whenUnknown: settings.whenUnknown, unknown: .unknownStanding,
            stopsSends: true)
    }

    private static func source(
        _ ground: Groundwork, _ settings: Configuration.Reputation, _ key: KeyedHash?, _ send: @escaping OutboundSend
    ) -> (any ReputationSource)? {
        // Both sides compare signatures with clocks of their own.
        let systemNow: Now = { SystemClock.now() }
        if let service = settings.service, let key {
            let signed = SignedService(service, send: send, sign: { key.digest($0) }, now: systemNow)
            return CountedReputation(ReputationService(signed), ground.registry)
        }
        let (tokens, randomBytes) = (ground.tokens, ground.store.random.randomBytes)
        guard !settings.operators.isEmpty else { return nil }
        return ReputationDirectory(
            settings.operatorSettings.map { one in
                let adapter = CAMARAReputation(
                    one, send: send, assertions: tokens, now: systemNow, randomBytes: randomBytes)
                return (CountedReputation(adapter, ground.registry), one.prefixes)
            }, timeout: .seconds(settings.timeoutSeconds))
    }
}
