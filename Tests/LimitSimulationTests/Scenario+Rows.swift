extension Scenario {
    /// Nobody attacks.
    static let ordinary: [Scenario] = [
        Scenario("nobody, c = 0.95") { $0.conversion = 0.95 },
        Scenario("nobody, c = 0.85"),
        Scenario("nobody, c = 0.72") { $0.conversion = 0.72 },
        Scenario("nobody, c = 0.6") { $0.conversion = 0.6 },
        Scenario("nobody, c = 0.45") { $0.conversion = 0.45 },
        Scenario("nobody, day 0", learned: .nothing),
        Scenario("nobody, launch day: ten times the people") { $0.surges = [launch(28)] },
        Scenario("nobody, launch day is day 0", learned: .nothing) { $0.surges = [launch(0)] },
        Scenario("nobody, carriers down for an hour, receipts for all") { $0.outage = evening(28) },
        Scenario("nobody, carriers down for an hour, receipts for half") {
            ($0.outage, $0.receipts) = (evening(28), 0.5)
        },
        Scenario("nobody, carriers down for an hour, no receipts") { ($0.outage, $0.receipts) = (evening(28), 0) },
        Scenario("nobody, no addresses are passed") { $0.hidesAddresses = true },
        Scenario("nobody, no addresses, day 0", learned: .nothing) { $0.hidesAddresses = true },
        lecture("200 people behind one new address", addresses: 1, isOfOnePrefix: false),
        lecture("200 people behind one new address, one prefix", addresses: 1, isOfOnePrefix: true),
        lecture("200 people behind 20 addresses of a new network", addresses: 20, isOfOnePrefix: false),
        Scenario("nobody, after two weeks with a tenth of the people") { $0.surges = [quiet] },
    ]

    /// Strangers: addresses from whose networks nobody honest comes. Each row has a goal where few addresses attack.
    static let strangers: [Scenario] =
        everywhere("1 / 100", .strangers(1), 100, goal: 5) + everywhere("3 / 100", .strangers(3), 100, goal: 5)
        + everywhere("50 / 2000", .strangers(50), 2000, goal: 20)
        + everywhere("1000 / no bound", .strangers(1000), .max, goal: nil)
        + both("50 whole /24 / 2000", .networks(50), 2000) + both("one IPv6 /32 / no bound", .slash32, .max)

    /// Attackers inside the networks of their victims.
    static let inside: [Scenario] =
        both("50 in home networks / 2000", .homes(50), 2000) + both("3 in mobile networks / 100", .mobile(3), 100)
        + both("50 in mobile networks / 2000", .mobile(50), 2000)
        + both("3 in mobile networks, changing / 100", .changingMobile(3), 100)
        + both("3 in mobile networks, changing / 180", .changingMobile(3), 180)
        + both("50 in mobile networks, changing / 2000", .changingMobile(50), 2000)

    /// Attackers who pay with answers, or wait.
    static let patient: [Scenario] = [
        known("20 /24 known by 60 own numbers", 20), known("50 /24 known by 150 own numbers", 50),
        answering("50, a tenth answers / 2000, prefix", .prefix),
        answering("50, a tenth answers / 2000, country", .country),
        Scenario("50 / 2000 after two quiet weeks, prefix", Attack(.strangers(50), .prefix, most: 2000)) {
            $0.surges = [quiet]
        },
        Scenario("50 / 2000 after two quiet weeks, country", Attack(.strangers(50), .country, most: 2000)) {
            $0.surges = [quiet]
        },
        Scenario("50 / 2000 on launch day, prefix", Attack(.strangers(50), .prefix, most: 2000)) {
            $0.surges = [launch(28)]
        },
        Scenario("50 / 2000 on launch day, country", Attack(.strangers(50), .country, most: 2000)) {
            $0.surges = [launch(28)]
        },
    ]

    /// API clients.
    static let clients: [Scenario] = [
        hostile("API client that lies about addresses, prefix", .liar, .prefix),
        hostile("API client that lies about addresses, country", .liar, .country),
        hostile("API client that lies about addresses, everywhere", .liar, .client),
        hostile("API client that names no address, prefix", .unnamed, .prefix),
        Scenario("100 through a client without addresses, prefix", Attack(.unnamed, .prefix, most: 100)) {
            $0.hidesAddresses = true
        },
        Scenario("2000 through a client without addresses, prefix", Attack(.unnamed, .prefix, most: 2000)) {
            $0.hidesAddresses = true
        },
        Scenario("2000 through a client without addresses, country", Attack(.unnamed, .country, most: 2000)) {
            $0.hidesAddresses = true
        },
    ]

    /// Two thousand numbers where nobody honest lives.
    static let pumping: [Scenario] =
        [1, 3, 50, 1000].map { count in
            var scenario = Scenario("pumping, \(count) addresses", Attack(.strangers(count), .emptyPrefix))
            scenario.mostMessages = 60
            return scenario
        } + [
            Scenario("pumping, 1000 addresses, day 0", Attack(.strangers(1000), .emptyPrefix), learned: .nothing),
            Scenario("pumping, one IPv6 /32", Attack(.slash32, .emptyPrefix)),
            Scenario("pumping, a liar", Attack(.liar, .emptyPrefix)),
            Scenario("pumping, 50 whole /24", Attack(.networks(50), .emptyPrefix)),
            Scenario("pumping, 50 in mobile networks", Attack(.mobile(50), .emptyPrefix)),
            Scenario("pumping, 50 changing in mobile networks", Attack(.changingMobile(50), .emptyPrefix)),
            answering("pumping, 50 addresses, a tenth answers", .emptyPrefix),
        ]

    /// Addresses against what they lock out.
    static let curve: [Scenario] = [25, 50, 75, 100, 150, 200].flatMap { count in
        [
            Scenario("\(count) addresses, prefix", Attack(.strangers(count), .prefix)),
            Scenario("\(count) addresses, country", Attack(.strangers(count), .country)),
        ]
    }

    static let all = ordinary + strangers + inside + patient + clients + pumping + curve

    // MARK: makers

    private static func launch(_ day: Moment) -> Traffic.Surge {
        Traffic.Surge(from: day * .day, to: (day + 1) * .day, factor: 10)
    }

    private static func lecture(_ name: String, addresses: Int, isOfOnePrefix: Bool) -> Scenario {
        Scenario(name, days: 1) {
            $0.crowd = Traffic.Crowd(
                at: 28 * .day + 10 * .hour, people: 200, addresses: addresses, isOfOnePrefix: isOfOnePrefix)
        }
    }

    private static var quiet: Traffic.Surge { Traffic.Surge(from: 14 * .day, to: 28 * .day, factor: 0.1) }

    private static func evening(_ day: Moment) -> Range<Moment> {
        (day * .day + 19 * .hour)..<(day * .day + 20 * .hour)
    }

    /// Against a prefix and a country, after four weeks and on the first day.
    private static func both(_ name: String, _ sources: Attack.Sources, _ most: Int) -> [Scenario] {
        [Learned.fourWeeks, .halfADay, .nothing].flatMap { learned in
            let when = learned == .nothing ? ", hour 0" : learned == .halfADay ? ", day 0" : ""
            return [
                Scenario("\(name), prefix\(when)", Attack(sources, .prefix, most: most), learned: learned),
                Scenario("\(name), country\(when)", Attack(sources, .country, most: most), learned: learned),
            ]
        }
    }

    /// The same, a block, and everything an API client does. The goal is for servers that are half a day old.
    private static func everywhere(
        _ name: String, _ sources: Attack.Sources, _ most: Int, goal: Double?
    ) -> [Scenario] {
        let more = [
            Scenario("\(name), a block", Attack(sources, .block, most: most)),
            // Unthinned: attackers choose among all prefixes.
            Scenario("\(name), the whole client", Attack(sources, .client, most: most)) { $0 = Traffic() },
        ]
        return (both(name, sources, most) + more).map { scenario in
            var scenario = scenario
            if scenario.learned != .nothing { scenario.mostLockedOut = goal }
            return scenario
        }
    }

    private static func known(_ name: String, _ count: Int) -> Scenario {
        var attack = Attack(.networks(count), .prefix)
        attack.ownNumbersForEachNetwork = 3
        return Scenario(name, attack)
    }

    private static func answering(_ name: String, _ target: Attack.Target) -> Scenario {
        var attack = Attack(.strangers(50), target, most: 2000)
        attack.ownShare = 0.1
        return Scenario(name, attack)
    }

    private static func hostile(_ name: String, _ sources: Attack.Sources, _ target: Attack.Target) -> Scenario {
        var attack = Attack(sources, target)
        attack.client = 1
        return Scenario(name, attack)
    }
}
