internal import Administration
internal import Clocks
internal import Observation
internal import Outbound
internal import Engine
internal import Possession
internal import Tokens

extension Assembly {
    /// The reputation source for numbers: the operator's own service, or mobile operators; `nil`: the configuration has
    /// neither.
    static func reputation(
        _ ground: StartContext, key: KeyedHash?, operators: ReputationDirectory?, send: @escaping OutboundSend
    ) -> ReputationCheck? {
        let settings = ground.configuration.reputation
        guard let source = service(ground, key, send) ?? operators else { return nil }
        return ReputationCheck(
            RememberedReputation(source), whenUnknown: settings.whenUnknown, unknown: .unknownStanding,
            stopsSends: true)
    }

    private static func service(
        _ ground: StartContext, _ key: KeyedHash?, _ send: @escaping OutboundSend
    ) -> (any ReputationSource)? {
        guard let service = ground.configuration.reputation.service, let key else { return nil }
        let signed = SignedService(service, send: send, sign: { key.digest($0) }, now: { SystemClock.now() })
        return CountedReputation(ReputationService(signed), ground.registry)
    }

    /// The mobile operators that report on their numbers; `nil`: the configuration has none.
    static func reputationOperators(_ ground: StartContext, send: @escaping OutboundSend) -> ReputationDirectory? {
        let settings = ground.configuration.reputation
        guard !settings.operators.isEmpty else { return nil }
        let (tokens, randomBytes) = (ground.tokens, ground.store.random.randomBytes)
        return ReputationDirectory(
            settings.operatorSettings.map { one in
                // Both sides compare signatures with their own real clocks.
                let adapter = CAMARAReputation(
                    one, send: send, assertions: tokens, now: { SystemClock.now() }, randomBytes: randomBytes)
                return (CountedReputation(adapter, ground.registry), one.prefixes)
            }, timeout: .seconds(settings.timeoutSeconds))
    }
}
