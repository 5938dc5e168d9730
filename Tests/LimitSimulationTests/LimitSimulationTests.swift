import Testing

/// The limits (docs/limits.md) before ordinary traffic of three countries and attackers, in virtual time. Small: the other
/// two countries have a fortieth of their people, and the server has learned for a week. `LongSimulationTests` has it all.
@Suite struct LimitSimulationTests {
    private static let days = 2 * Moment.day
    private static let seeds: [UInt64] = [1, 2, 3]
    private static let newborn = Laboratory(rules: HoldfastRules(), traffic: .small, learned: .nothing, seeds: seeds)
    private static let grown = Laboratory(rules: HoldfastRules(), traffic: .small, learned: .aWeek, seeds: seeds)
    private static let quiet = grown.outcome(of: nil, for: days)

    private static func outcome(_ attack: Attack) -> Outcome { grown.outcome(of: attack, for: days) }

    @Test func `refuses nobody where nobody attacks`() {
        for outcome in [Self.newborn.outcome(of: nil, for: Self.days), Self.quiet] {
            #expect(outcome.client.lockedOutPercent < 0.5)
            #expect(outcome.returning.lockedOutPercent < 1)
            #expect(outcome.client.people > 600)
        }
    }

    @Test(arguments: [1, 3, 50, 1000])
    func `spends at most sixty messages on pumping a range where nobody answers`(addresses: Int) {
        let outcome = Self.outcome(Attack(.strangers(addresses), .emptyPrefix))
        #expect(outcome.messagesInTwoDays <= 60 * outcome.runs)
        #expect(outcome.messagesInTwoDays > 0)
        #expect(outcome.client.lockedOutPercent < 0.5)
    }

    @Test(arguments: [Attack.Target.prefix, .block, .country, .client])
    func `lets three addresses with a hundred messages lock out at most one person in twenty`(target: Attack.Target) {
        let outcome = Self.outcome(Attack(.strangers(3), target, most: 100))
        #expect(outcome.prefix.lockedOutPercent <= 5)
        #expect(outcome.block.lockedOutPercent <= 5)
        #expect(outcome.country.lockedOutPercent <= 5)
        #expect(outcome.client.lockedOutPercent <= 5)
    }

    @Test(arguments: [Attack.Target.prefix, .block, .country, .client])
    func `lets fifty addresses with two thousand messages lock out at most one person in five`(target: Attack.Target) {
        let outcome = Self.outcome(Attack(.strangers(50), target, most: 2000))
        #expect(outcome.prefix.lockedOutPercent <= 20)
        #expect(outcome.block.lockedOutPercent <= 20)
        #expect(outcome.country.lockedOutPercent <= 20)
        #expect(outcome.client.lockedOutPercent <= 20)
    }

    @Test(arguments: [Attack.Target.prefix, .country])
    func `lets no API client lock out a person of another one`(target: Attack.Target) {
        var attack = Attack(.liar, target)
        attack.client = 1
        let attacked = Self.outcome(attack)
        #expect(attacked.messagesInTwoDays > 40 * attacked.runs)
        #expect(attacked.client.lockedOut == Self.quiet.client.lockedOut)
        #expect(attacked.client.refused == Self.quiet.client.refused)
    }

    @Test func `locks out nearly everybody of a prefix as it was before`() {
        let before = Laboratory(rules: TodayRules(), traffic: .small, learned: .aWeek, seeds: [1])
        let outcome = before.outcome(of: Attack(.strangers(3), .prefix, most: 100), for: Self.days)
        #expect(outcome.prefix.lockedOutPercent > 90)
    }
}
