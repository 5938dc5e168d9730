internal import Clocks
internal import Engine
internal import Possession

extension Environment {
    /// - Parameter hasOperators: whether the configuration names a mobile operator.
    static func live(
        _ world: any NumberDirectory, _ clock: ForwardClock, hasOperators: Bool,
        _ gateway: (any MessageGateway)?
    ) -> Environment {
        Environment(
            now: { clock.now() },
            // Operators compare assertions with their own real clocks.
            operatorNow: { SystemClock.now() },
            numbers: world, emails: nil, gateway: gateway, codes: .random,
            capabilities: Session.Capabilities(mobileAuth: hasOperators, testMode: false), reputation: { $0 },
            simSwaps: nil, people: { $0 }, finder: { $0 },
            operators: { network, registry in network.directory(registry) }, played: nil
        )
    }
}
