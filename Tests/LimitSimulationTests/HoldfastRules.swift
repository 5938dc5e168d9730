@testable internal import Possession
internal import Text

/// The server's own rules before the simulated world: what a transaction reads and stores is a dictionary here.
struct HoldfastRules: SendRules {
    private let limits: Limits.OverSessions
    private let clients = ["shop", "hostile"].compactMap { ClientID($0) }
    private var store: [LimitKey: LimitTally] = [:]

    init(sizes: BucketSizes = BucketSizes()) {
        var limits = Limits.OverSessions()
        limits.sizes = sizes
        self.limits = limits
    }

    private func subject(_ session: SimulatedSession) -> (account: MessageAccount, number: LimitKey) {
        guard let number = PhoneNumber(e164: session.number.e164) else { preconditionFailure("no E.164 number") }
        let client = clients[session.client]
        let source = MessageSource(session.address.map(Self.address))
        let account = MessageAccount(.number(number), from: source, of: client, country: "\(session.number.country)")
        return (account, LimitKey(.sendsToNumber, number, of: client))
    }

    private static func address(_ address: CallerAddress) -> IPAddress {
        let bytes = address.bytes
        guard !address.isIPv4 else { return IPAddress(ipv4: (bytes[0], bytes[1], bytes[2], bytes[3])) }
        guard let parsed = IPAddress(ipv6: bytes) else { preconditionFailure("no IPv6 address") }
        return parsed
    }

    private func read(_ keys: [LimitKey]) -> LimitTallies {
        LimitTallies(keys.map { ($0, store[$0] ?? LimitTally()) })
    }

    private mutating func write(_ tallies: LimitTallies) {
        for key in tallies.changed { store[key] = tallies[key] }
    }

    private func standing(
        _ session: SimulatedSession, _ account: MessageAccount, _ tallies: LimitTallies, _ now: Timestamp
    ) -> MessageAccount.Standing {
        MessageAccount.Standing(
            isKnown: session.proof != nil || account.isProven(tallies, at: now), isTrusted: false)
    }

    // MARK: SendRules

    mutating func ask(_ session: SimulatedSession, at moment: Moment) -> Verdict {
        let now = Timestamp(milliseconds: moment)
        let (account, number) = subject(session)
        var tallies = read(account.keys + [number])
        let standing = standing(session, account, tallies, now)
        do throws(LimitHit) {
            try tallies.checkSend(number, by: limits, at: now)
            try account.checkSource(tallies, standing, by: limits, at: now)
            try account.checkPlace(tallies, standing, by: limits, at: now)
        } catch { return .refused(Self.limit(error.limit)) }
        tallies.count([number], by: limits, at: now)
        account.take(from: &tallies, standing, by: limits, at: now)
        write(tallies)
        return .sent
    }

    mutating func answered(_ session: SimulatedSession, at moment: Moment) {
        let now = Timestamp(milliseconds: moment)
        let (account, _) = subject(session)
        var tallies = read(account.keys)
        account.pay(into: &tallies, isNew: session.proof == nil, by: limits, at: now)
        write(tallies)
    }

    mutating func undelivered(_ session: SimulatedSession, at moment: Moment) {
        let now = Timestamp(milliseconds: moment)
        let (account, _) = subject(session)
        var tallies = read(account.keys)
        account.giveBack(to: &tallies, isTaken: true, by: limits, at: now)
        write(tallies)
    }

    private static func limit(_ name: LimitName) -> SimulatedLimit {
        switch name {
        case .sendsPerAddress: .address
        case .sendsPerNetwork: .network
        case .sendsPerNetworkInPrefix: .pair
        case .prefixClosed: .prefix
        case .sendsPerCountry: .country
        default: .number
        }
    }

    // MARK: how places stand

    func standing(ofPrefixOf number: SimulatedNumber, client: Int, at now: Moment) -> Standing {
        let prefix = Array("+\(number.prefix)".utf8)
        return standing(LimitKey(.prefix, of: clients[client], prefix), limits.sizes.prefix, now)
    }

    func standing(ofCountryOf number: SimulatedNumber, client: Int, at now: Moment) -> Standing {
        let country = Array("\(number.country)".utf8)
        return standing(LimitKey(.country, of: clients[client], country), limits.sizes.country, now)
    }

    private func standing(_ key: LimitKey, _ size: Bucket.Size, _ now: Moment) -> Standing {
        let bucket = Bucket.settled(store[key]?.bucket, size, at: Timestamp(milliseconds: now))
        if bucket.tokens < 1 { return .closed }
        if bucket.tokens < 1 + Double(limits.sizes.floor(of: key.counter)) { return .sourced }
        return size.cap(bucket.mean) - bucket.tokens >= BucketSizes.watched ? .watched : .open
    }
}
