/// The limits as they were before this model (ABU-02 to ABU-05): for the column "before".
///
/// Blocks, prefixes, numbers and addresses count over all API clients, and a proven number has no privilege.
struct TodayRules: SendRules {
    private struct Block: Sendable {
        var places: [(at: Moment, place: Int)] = []
        var stoppedUntil: Moment = 0
    }

    private struct Prefix: Sendable {
        var messages: [Moment] = []
        var answers: [Moment] = []
        var stoppedUntil: Moment?
        var closings = 0
    }

    private struct CountryKey: Hashable, Sendable {
        let client: Int
        let country: Int
    }

    private var numbers: [UInt64: [Moment]] = [:]
    private var addresses: [UInt64: [Moment]] = [:]
    /// IPv6 /48: five times as many as a /64.
    private var networks: [UInt64: [Moment]] = [:]
    private var countries: [CountryKey: [Moment]] = [:]
    private var blocks: [UInt64: Block] = [:]
    private var prefixes: [UInt64: Prefix] = [:]

    private static let pause = Moment.hour
    private static let longestPause = 12 * Moment.hour
    private static let answerTime = 180 * Moment.second

    init() {}

    mutating func ask(_ session: SimulatedSession, at now: Moment) -> Verdict {
        let number = session.number
        if isTooSoon(number, now) || isFull(numbers[number.digits], [(15 * .minute, 5), (.day, 10)], now) {
            return .refused(.number)
        }
        if let address = session.address {
            if isFull(addresses[address.key], [(10 * .minute, 10), (.day, 50)], now) { return .refused(.address) }
            if !address.isIPv4, isFull(networks[address.network], [(10 * .minute, 50), (.day, 250)], now) {
                return .refused(.network)
            }
        }
        let country = CountryKey(client: session.client, country: number.country)
        if isFull(countries[country], [(.hour, 1000), (.day, 10_000)], now) { return .refused(.country) }
        guard blockIsOpen(number, now), prefixIsOpen(number.prefix, now) else { return .refused(.prefix) }
        count(session, country, now)
        return .sent
    }

    private func isFull(_ times: [Moment]?, _ windows: [(length: Moment, most: Int)], _ now: Moment) -> Bool {
        guard let times else { return false }
        return windows.contains { window in
            times.count >= window.most && times[times.count - window.most] > now - window.length
        }
    }

    /// Thirty seconds after the last message to the number; twice as long for each before it in a quarter of an hour.
    private func isTooSoon(_ number: SimulatedNumber, _ now: Moment) -> Bool {
        let recent = (numbers[number.digits] ?? []).filter { $0 > now - 15 * .minute }
        guard let last = recent.last else { return false }
        return now < last + min((30 * .second) << Int64(recent.count - 1), 15 * .minute)
    }

    private mutating func count(_ session: SimulatedSession, _ country: CountryKey, _ now: Moment) {
        func add(_ times: inout [Moment]) {
            if let first = times.first, first <= now - .day { times.removeAll { $0 <= now - .day } }
            times.append(now)
        }
        let number = session.number
        add(&numbers[number.digits, default: []])
        add(&countries[country, default: []])
        if let address = session.address {
            add(&addresses[address.key, default: []])
            if !address.isIPv4 { add(&networks[address.network, default: []]) }
        }
        let place = Int(number.digits % 1000)
        if !blocks[number.block, default: Block()].places.contains(where: { $0.place == place }) {
            blocks[number.block, default: Block()].places.append((now, place))
        }
        prefixes[number.prefix, default: Prefix()].messages.append(now)
    }

    // MARK: blocks and prefixes

    /// Twenty different numbers in ten minutes, or a fifth neighbour, stop a block for an hour.
    private mutating func blockIsOpen(_ number: SimulatedNumber, _ now: Moment) -> Bool {
        guard var block = blocks[number.block] else { return true }
        guard now >= block.stoppedUntil else { return false }
        block.places.removeAll { $0.at <= now - 10 * .minute }
        let places = Set(block.places.map(\.place))
        let place = Int(number.digits % 1000)
        var (low, high) = (place, place)
        while places.contains(low - 1) { low -= 1 }
        while places.contains(high + 1) { high += 1 }
        let isStopped = !places.contains(place) && (places.count >= 20 || high - low + 1 >= 5)
        if isStopped { block.stoppedUntil = now + Self.pause }
        blocks[number.block] = block
        return !isStopped
    }

    /// Twenty messages in an hour, fewer than a fifth answered, close a prefix; then one message tries it again.
    private mutating func prefixIsOpen(_ key: UInt64, _ now: Moment) -> Bool {
        guard var prefix = prefixes[key] else { return true }
        if let end = prefix.stoppedUntil, now < end { return false }
        if let first = prefix.messages.first, first <= now - .hour { prefix.messages.removeAll { $0 <= now - .hour } }
        if let first = prefix.answers.first, first <= now - .hour { prefix.answers.removeAll { $0 <= now - .hour } }
        defer { prefixes[key] = prefix }
        if prefix.closings > 0, let opened = prefix.stoppedUntil {
            guard let trial = prefix.messages.last(where: { $0 >= opened }) else { return true }
            if now >= trial + Self.answerTime { Self.close(&prefix, now) }
            return false
        }
        guard prefix.messages.count >= 20, prefix.answers.count * 100 < prefix.messages.count * 20 else { return true }
        Self.close(&prefix, now)
        return false
    }

    private static func close(_ prefix: inout Prefix, _ now: Moment) {
        prefix.stoppedUntil = now + min(pause << Int64(min(prefix.closings, 16)), longestPause)
        prefix.closings += 1
    }

    mutating func answered(_ session: SimulatedSession, at now: Moment) {
        let key = session.number.prefix
        guard var prefix = prefixes[key] else { return }
        let isClosed = prefix.stoppedUntil.map { now < $0 } ?? false
        if !isClosed, prefix.closings > 0 {
            prefix.closings = 0
            prefix.messages = []
        }
        prefix.answers.append(now)
        prefixes[key] = prefix
    }

    /// A message that no carrier took is not one that nobody answered.
    mutating func undelivered(_ session: SimulatedSession, at now: Moment) {
        _ = prefixes[session.number.prefix]?.messages.popLast()
    }

    // MARK: states

    func standing(ofPrefixOf number: SimulatedNumber, client: Int, at now: Moment) -> Standing {
        guard let prefix = prefixes[number.prefix] else { return .open }
        if let end = prefix.stoppedUntil, now < end { return .closed }
        return prefix.closings > 0 ? .sourced : .open
    }

    func standing(ofCountryOf number: SimulatedNumber, client: Int, at now: Moment) -> Standing {
        isFull(countries[CountryKey(client: client, country: number.country)], [(.hour, 1000), (.day, 10_000)], now)
            ? .closed : .open
    }
}
