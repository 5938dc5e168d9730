extension Scenario {
    /// Runs scenarios; those of the same traffic and age share their worlds.
    static func outcomes(of scenarios: [Scenario], rules: some SendRules, seeds: [UInt64]) -> [Outcome] {
        var outcomes = scenarios.map { _ in Outcome() }
        for (_, places) in Dictionary(grouping: scenarios.indices, by: { scenarios[$0].age }) {
            let first = scenarios[places[0]]
            // One seed at a time: worlds are large.
            for seed in seeds {
                let laboratory = Laboratory(
                    rules: rules, traffic: first.traffic, learned: first.learned, seeds: CollectionOfOne(seed))
                for place in places {
                    let scenario = scenarios[place]
                    outcomes[place].add(laboratory.outcome(of: scenario.attack, for: scenario.duration))
                }
            }
        }
        return outcomes
    }

    /// Equal for scenarios that start from the same world.
    private var age: String { "\(learned) \(traffic)" }
}
