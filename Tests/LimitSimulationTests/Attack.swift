/// An attacker's means and aim.
struct Attack: Sendable {
    enum Sources: Sendable {
        /// So many addresses, each in a network from which nobody honest comes.
        case strangers(Int)
        /// Whole networks with 24 addresses each.
        case networks(Int)
        /// One address in each of so many home networks of the country.
        case homes(Int)
        /// So many addresses of the country's mobile networks, which honest people share.
        case mobile(Int)
        /// So many devices in the mobile networks, each with a new address for each try.
        case changingMobile(Int)
        /// A new /48 of one IPv6 /32 for each try.
        case slash32
        /// A new network for each try: what a backend can say that lies.
        case liar
        /// A backend that names no address.
        case unnamed
    }

    enum Target: Sendable {
        /// The prefix in which more people live than elsewhere.
        case prefix
        /// A thousand numbers of that prefix.
        case block
        /// A prefix where nobody honest lives.
        case emptyPrefix
        /// The smallest country.
        case country
        /// All countries of the API client.
        case client
    }

    var sources: Sources
    var target: Target
    var mostMessages = Int.max
    var client = 0
    /// Numbers of the attacker that answer from each of the networks on the day before.
    var ownNumbersForEachNetwork = 0
    /// The share of messages that go to numbers of the attacker, which answer.
    var ownShare = 0.0

    init(_ sources: Sources, _ target: Target, most: Int = .max) {
        (self.sources, self.target, mostMessages) = (sources, target, most)
    }
}

/// An attacker at work: its sources, and which of them may try again when.
struct Attacker: Sendable {
    struct Source: Sendable {
        /// `nil`: chosen for each try.
        let address: CallerAddress?
    }

    let attack: Attack
    let end: Moment
    var random: SimulatedRandom
    private(set) var sources: [Source]
    /// Sources that may try, in turn.
    private var ready: [Int]
    private var nextReady = 0
    private var asleep = EventQueue<Int>()
    /// Sessions that have had one message, and ask for the second.
    var seconds = EventQueue<SimulatedSession>()
    /// When its messages were sent.
    var sentAt: [Moment] = []
    private var numbersUsed = 0
    private var networksUsed = 100_000

    /// How long a source waits after a limit of its own: its tokens take hours to return, and open numbers days.
    func rest(after limit: SimulatedLimit) -> Moment {
        guard limit == .pair else { return sources.count > 100 ? .hour : 10 * .minute }
        // Where numbers are many, another prefix may do soon.
        return isOfOnePrefix ? 3 * .hour : 20 * .minute
    }

    init(_ attack: Attack, end: Moment, places: Places, seed: UInt64) {
        self.attack = attack
        self.end = end
        random = SimulatedRandom(seed: seed, stream: -7)
        let country = places.traffic.target
        var draw = SimulatedRandom(seed: seed, stream: -8)
        sources =
            switch attack.sources {
            case .strangers(let count): (0..<count).map { Source(address: places.strangeAddress($0)) }
            case .networks(let count):
                (0..<24 * count).map { Source(address: places.strangeAddress($0 % count, host: $0 / count)) }
            case .homes(let count):
                (0..<count).map { Source(address: places.homeAddress(in: country, host: 61 + $0 % 100, &draw)) }
            case .mobile(let count): (0..<count).map { _ in Source(address: places.mobileAddress(in: country, &draw)) }
            case .changingMobile(let count): (0..<count).map { _ in Source(address: nil) }
            case .slash32, .liar, .unnamed: (0..<3).map { _ in Source(address: nil) }
            }
        ready = Array(sources.indices)
    }

    /// All its numbers have one prefix.
    var isOfOnePrefix: Bool {
        switch attack.target {
        case .prefix, .block, .emptyPrefix: true
        case .country, .client: false
        }
    }

    var mayGoOn: Bool { sentAt.count < attack.mostMessages }

    // MARK: sources

    /// Wakes the sources whose rest is over.
    mutating func wake(at now: Moment) {
        while let at = asleep.nextAt, at <= now, let (_, source) = asleep.removeFirst() { ready.append(source) }
        if nextReady > 4096 {
            ready.removeFirst(nextReady)
            nextReady = 0
        }
    }

    var readyCount: Int { ready.count - nextReady }

    mutating func takeSource() -> Int? {
        guard nextReady < ready.count else { return nil }
        nextReady += 1
        return ready[nextReady - 1]
    }

    mutating func putBack(_ source: Int) { ready.append(source) }
    mutating func rest(_ source: Int, until end: Moment) { asleep.add(source, at: end) }

    mutating func address(of source: Int, _ places: Places) -> CallerAddress? {
        if let address = sources[source].address { return address }
        switch attack.sources {
        case .changingMobile: return places.mobileAddress(in: places.traffic.target, &random)
        case .slash32: return CallerAddress(ipv6Upper: 0x2001_0db9_0000_0000 | random.next() & 0xffff_0000)
        case .liar:
            networksUsed += 1
            return places.strangeAddress(networksUsed)
        default: return nil
        }
    }

    // MARK: numbers

    /// The number that the next message goes to: none twice in a range.
    mutating func nextNumber(_ places: Places) -> SimulatedNumber {
        let traffic = places.traffic
        let country = traffic.target
        switch attack.target {
        case .prefix: return scattered(traffic.targetPrefix, country)
        case .emptyPrefix:
            let target = traffic.countries[country]
            return scattered(target.firstPrefix + UInt64(target.prefixes) + 7, country)
        case .block:
            return SimulatedNumber(digits: traffic.targetPrefix * 10_000 + UInt64(numbersUsed % 1000), country: country)
        case .country: return places.anyNumber(in: country, &random)
        case .client: return places.anyNumber(in: random.below(traffic.countries.count), &random)
        }
    }

    /// Two thousand numbers of a prefix in an order without neighbours.
    private func scattered(_ prefix: UInt64, _ country: Int) -> SimulatedNumber {
        SimulatedNumber(digits: prefix * 10_000 + UInt64(numbersUsed % 2000 * 7919 % 10_000), country: country)
    }

    mutating func useNumber() { numbersUsed += 1 }
}
