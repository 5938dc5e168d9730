#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif
import Testing

/// All rows, for the deep check: `HOLDFAST_LONG_SIMULATION=1`, in a release build.
@Suite struct LongSimulationTests {
    private static func setting(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    @Test(.enabled(if: setting("HOLDFAST_LONG_SIMULATION") != nil))
    func `prints what each attack locks out and costs`() {
        let seeds = Array(1...(Self.setting("HOLDFAST_SIMULATION_SEEDS").flatMap { UInt64($0) } ?? 3))
        let wanted = Self.setting("HOLDFAST_SIMULATION_ROWS")
        let scenarios = Scenario.all.filter { scenario in wanted.map { scenario.name.contains($0) } ?? true }
        let before = Scenario.outcomes(of: scenarios, rules: TodayRules(), seeds: seeds)
        let now = Scenario.outcomes(of: scenarios, rules: HoldfastRules(), seeds: seeds)
        print(Report.head)
        for index in scenarios.indices {
            let (scenario, outcome) = (scenarios[index], now[index])
            print(Report.row(scenario, before: before[index], now: outcome))
            if let most = scenario.mostLockedOut {
                for group in [outcome.prefix, outcome.block, outcome.country, outcome.client] {
                    #expect(group.lockedOutPercent <= most, "\(scenario.name)")
                }
            }
            if let most = scenario.mostMessages {
                #expect(outcome.messagesInTwoDays <= most * outcome.runs, "\(scenario.name)")
            }
        }
    }
}
