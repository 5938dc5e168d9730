#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// One country's new people, networks and numbers.
struct SimulatedCountry: Sendable {
    let code: String
    var newPeopleADay: Double
    var prefixes: Int
    /// A mobile /24 has 200 addresses which many people share.
    var mobileNetworks: Int
    /// A home /24 has 60 addresses.
    var homeNetworks: Int
    /// The share of people who come from a mobile network.
    let mobileShare: Double
    /// The first prefix; the others follow.
    let firstPrefix: UInt64

    /// A fraction of the people, with as many fewer prefixes and networks, so that each of these sees what it saw before.
    func thinned(by factor: Double) -> SimulatedCountry {
        var country = self
        func fewer(_ count: Int) -> Int { max(1, Int(Double(count) / factor)) }
        country.newPeopleADay /= factor
        country.prefixes = fewer(prefixes)
        country.mobileNetworks = fewer(mobileNetworks)
        country.homeNetworks = fewer(homeNetworks)
        return country
    }
}

/// Honest traffic: how many people come, from where, and what they do.
struct Traffic: Sendable {
    /// A time in which more or fewer people come.
    struct Surge: Sendable {
        let from: Moment
        let to: Moment
        let factor: Double
    }

    /// Many new people in one place: a lecture. They come in five minutes, and try again within a minute,
    /// twenty times.
    struct Crowd: Sendable {
        let at: Moment
        let people: Int
        /// Addresses of one network from which nobody came before.
        let addresses: Int
        /// All their numbers have the prefix that attackers choose.
        let isOfOnePrefix: Bool
    }

    /// The last one is the smallest, and the one that attackers choose.
    var countries = [
        SimulatedCountry(
            code: "DE", newPeopleADay: 1200, prefixes: 6000, mobileNetworks: 200, homeNetworks: 40_000,
            mobileShare: 0.6, firstPrefix: 4_915_0000),
        SimulatedCountry(
            code: "BE", newPeopleADay: 300, prefixes: 500, mobileNetworks: 60, homeNetworks: 6000, mobileShare: 0.65,
            firstPrefix: 3_246_000),
        SimulatedCountry(
            code: "EE", newPeopleADay: 100, prefixes: 70, mobileNetworks: 4, homeNetworks: 400, mobileShare: 0.7,
            firstPrefix: 3_725_000),
    ]
    /// The share of first messages that are answered.
    var conversion = 0.85
    /// People who do not answer the first message: so many ask once more, and so many of these answer then.
    var asksOnceMore = 0.4
    var answersSecond = 0.5
    /// The mean time to an answer.
    var answerTime = 36 * Moment.second
    /// People who first type another number, and how many of these numbers have the same prefix.
    var mistypes = 0.03
    var mistypesInPrefix = 0.4
    /// Refused people come back with these chances, after 8 to 25 minutes.
    var comesBack = [0.5, 0.4, 0.3]
    /// Messages of people who are proven already, for each new person.
    var returningShare = 0.3
    /// New people a day in the prefix that is attacked, besides those of its country. Half of them live in the first
    /// thousand numbers of it.
    var peopleOfTargetADay = 10.0
    var surges: [Surge] = []
    var crowd: Crowd?
    /// No address is passed for anybody.
    var hidesAddresses = false
    /// Messages of this time reach nobody; receipts come for so many of them.
    var outage: Range<Moment>?
    var receipts = 1.0

    /// The smallest country.
    var target: Int { countries.count - 1 }
    /// The number range that attackers choose. Its place in the country is in the middle.
    var targetPrefix: UInt64 { countries[target].firstPrefix + UInt64(countries[target].prefixes / 2) }

    /// How many times as many people as on average come in an hour of the day: day and evening, few at night.
    static let hours: [Double] = {
        let weights: [Double] = [
            2, 1, 1, 1, 1, 2, 3, 5, 7, 8, 9, 9, 9, 9, 8, 8, 9, 10, 12, 13, 13, 11, 8, 4,
        ]
        let mean = weights.reduce(0, +) / 24
        return weights.map { $0 / mean }
    }()

    /// The other two countries with a tenth of their people.
    static let thinned = Traffic(thinnedBy: 10)
    /// For tests that take seconds.
    static let small = Traffic(thinnedBy: 40)

    init() {}

    private init(thinnedBy factor: Double) {
        for index in countries.indices where index != target { countries[index] = countries[index].thinned(by: factor) }
    }
}

/// The addresses and numbers of the world, by traffic and seed.
struct Places: Sendable {
    /// Network blocks start at these multiples of 2^20 (/24 networks).
    private static let mobileBlock: UInt32 = 1
    private static let homeBlock: UInt32 = 4
    private static let strangeBlock: UInt32 = 9

    let traffic: Traffic
    /// The sum of weights up to each prefix, by country.
    private let weights: [[Double]]

    init(_ traffic: Traffic, seed: UInt64) {
        self.traffic = traffic
        var random = SimulatedRandom(seed: seed, stream: -1)
        weights = traffic.countries.map { country in
            var sum = 0.0
            return (0..<country.prefixes).map { _ in
                sum += exp(random.normal())
                return sum
            }
        }
    }

    /// A number of somebody who lives where attackers aim.
    func targetNumber(_ random: inout SimulatedRandom) -> SimulatedNumber {
        SimulatedNumber(
            digits: traffic.targetPrefix * 10_000 + UInt64(random.below(random.happens(0.5) ? 1000 : 10_000)),
            country: traffic.target)
    }

    func number(in country: Int, _ random: inout SimulatedRandom) -> SimulatedNumber {
        let sums = weights[country]
        let wanted = random.unit() * (sums.last ?? 0)
        var (low, high) = (0, sums.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if sums[middle] > wanted { high = middle } else { low = middle + 1 }
        }
        return number(traffic.countries[country].firstPrefix + UInt64(low), country, &random)
    }

    /// Some number of a prefix.
    func number(_ prefix: UInt64, _ country: Int, _ random: inout SimulatedRandom) -> SimulatedNumber {
        SimulatedNumber(digits: prefix * 10_000 + UInt64(random.below(10_000)), country: country)
    }

    /// Each prefix of a country with the same chance, as attackers choose.
    func anyNumber(in country: Int, _ random: inout SimulatedRandom) -> SimulatedNumber {
        let prefix = traffic.countries[country].firstPrefix + UInt64(random.below(traffic.countries[country].prefixes))
        return number(prefix, country, &random)
    }

    func personAddress(in country: Int, _ random: inout SimulatedRandom) -> CallerAddress {
        random.happens(traffic.countries[country].mobileShare)
            ? mobileAddress(in: country, &random)
            : homeAddress(in: country, host: random.below(60), &random)
    }

    func mobileAddress(in country: Int, _ random: inout SimulatedRandom) -> CallerAddress {
        address(
            Self.mobileBlock + UInt32(country), random.below(traffic.countries[country].mobileNetworks),
            host: random.below(200))
    }

    func homeAddress(in country: Int, host: Int, _ random: inout SimulatedRandom) -> CallerAddress {
        address(Self.homeBlock + UInt32(country), random.below(traffic.countries[country].homeNetworks), host: host)
    }

    /// An address of a network from which no honest person comes.
    func strangeAddress(_ network: Int, host: Int = 0) -> CallerAddress {
        address(Self.strangeBlock, network, host: host)
    }

    private func address(_ block: UInt32, _ network: Int, host: Int) -> CallerAddress {
        CallerAddress(ipv4: ((block << 20) + UInt32(network)) << 8 | UInt32(host + 1))
    }
}
