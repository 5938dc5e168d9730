/// One row of the table: ordinary traffic, then an attack, and what came of both.
struct Scenario: Sendable {
    /// How long the server has had ordinary traffic before.
    enum Learned: String, Sendable {
        /// The attack begins with the traffic; at noon of its first day; after some days.
        case nothing, halfADay, aWeek, fourWeeks

        var time: Moment {
            switch self {
            case .nothing: 0
            case .halfADay: 12 * .hour
            case .aWeek: 7 * .day
            case .fourWeeks: 28 * .day
            }
        }
    }

    var name: String
    var attack: Attack?
    var traffic = Traffic.thinned
    var learned = Learned.fourWeeks
    /// How long the attackers try.
    var duration = 14 * Moment.day
    /// People are counted who come in the first days of it.
    static let counted = 4 * Moment.day

    /// At most so many percent of a prefix, a block, a country and a client may be locked out.
    var mostLockedOut: Double?
    /// The attackers get at most so many messages in two days.
    var mostMessages: Int?

    init(
        _ name: String, _ attack: Attack? = nil, learned: Learned = .fourWeeks, days: Moment = 14,
        _ change: (inout Traffic) -> Void = { _ in }
    ) {
        (self.name, self.learned, duration) = (name, learned, days * .day)
        self.attack = attack
        change(&traffic)
    }
}

/// The outcome of a scenario, over all its seeds.
struct Outcome: Sendable {
    var prefix = GroupOutcome()
    /// All who came in the prefix in all the days.
    var prefixOverall = GroupOutcome()
    var block = GroupOutcome()
    var country = GroupOutcome()
    var others = GroupOutcome()
    var client = GroupOutcome()
    var returning = GroupOutcome()
    var crowd = GroupOutcome()
    var runs = 0
    /// Messages of the attackers, of all runs.
    var messagesInTwoDays = 0
    var messagesInFourteenDays = 0
    var prefixTimes = [Int](repeating: 0, count: Standing.allCases.count)
    var countryTimes = [Int](repeating: 0, count: Standing.allCases.count)

    func perRun(_ count: Int) -> Double { Double(count) / Double(max(1, runs)) }

    mutating func add(_ other: Outcome) {
        prefix.add(other.prefix)
        prefixOverall.add(other.prefixOverall)
        block.add(other.block)
        country.add(other.country)
        others.add(other.others)
        client.add(other.client)
        returning.add(other.returning)
        crowd.add(other.crowd)
        runs += other.runs
        messagesInTwoDays += other.messagesInTwoDays
        messagesInFourteenDays += other.messagesInFourteenDays
        for index in prefixTimes.indices {
            prefixTimes[index] += other.prefixTimes[index]
            countryTimes[index] += other.countryTimes[index]
        }
    }
}

/// Worlds of one traffic and age, one for each seed: made once, and copied for each attack.
struct Laboratory<Rules: SendRules>: Sendable {
    private let worlds: [World<Rules>]

    init(rules: Rules, traffic: Traffic, learned: Scenario.Learned, seeds: some Sequence<UInt64>) {
        worlds = seeds.map { seed in
            var world = World(rules: rules, traffic: traffic, seed: seed)
            world.run(until: learned.time)
            return world
        }
    }

    /// Runs an attack in each world and adds the outcomes. `nil`: nobody attacks.
    func outcome(of attack: Attack?, for duration: Moment) -> Outcome {
        worlds.reduce(into: Outcome()) { sum, world in sum.add(Self.outcome(of: attack, for: duration, in: world)) }
    }

    private static func outcome(of attack: Attack?, for duration: Moment, in warm: World<Rules>) -> Outcome {
        var world = warm
        let before = world.people.count
        if let attack, attack.ownNumbersForEachNetwork > 0 { world.proveOwnNumbers(of: attack) }
        let start = world.now
        if let attack { world.begin(attack, for: duration) }
        world.watchTarget(until: start + duration)
        // The last people may come back a few times.
        world.run(until: start + duration + 2 * .hour)
        return outcome(in: world, people: before..<world.people.count, start, start + duration)
    }

    private static func outcome(
        in world: World<Rules>, people: Range<Int>, _ start: Moment, _ end: Moment
    ) -> Outcome {
        var outcome = Outcome()
        outcome.runs = 1
        let target = world.traffic.target
        let counted = start + Scenario.counted
        for person in world.people[people] where (start..<end).contains(person.arrivedAt) {
            if person.isNew, !person.isOfCrowd, person.number.prefix == world.traffic.targetPrefix {
                outcome.prefixOverall.count(person)
            }
            guard person.arrivedAt < counted else { continue }
            guard !person.isOfCrowd else {
                outcome.crowd.count(person)
                continue
            }
            guard person.isNew else {
                outcome.returning.count(person)
                continue
            }
            outcome.client.count(person)
            guard person.number.country == target else {
                outcome.others.count(person)
                continue
            }
            outcome.country.count(person)
            guard person.number.prefix == world.traffic.targetPrefix else { continue }
            outcome.prefix.count(person)
            if person.number.digits / 1000 % 10 == 0 { outcome.block.count(person) }
        }
        for attacker in world.attackers {
            outcome.messagesInTwoDays += attacker.sentAt.count { $0 < start + 2 * .day }
            outcome.messagesInFourteenDays += attacker.sentAt.count { $0 < start + 14 * .day }
        }
        outcome.prefixTimes = world.prefixTimes
        outcome.countryTimes = world.countryTimes
        return outcome
    }
}
