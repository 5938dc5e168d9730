@testable internal import Possession
internal import Text

/// Attacks of strangers on people of one API client, each with the share of people who are kept out: before the rules that
/// hold them, as measured on the release build of that time, and now (docs/limits.md).
struct StrangerStory: Sendable {
    let name: String
    /// In percent.
    let before: Double
    /// The most that may be kept out now, in percent.
    let goal: Double
    let run: @Sendable () -> (people: Int, keptOut: Int)

    static let all: [StrangerStory] = [
        StrangerStory(name: "sign-up without a backend, 17 networks all day", before: 100, goal: 5) {
            SignUp.day(strangers: 17)
        },
        StrangerStory(name: "sign-up without a backend, 40 networks all day", before: 100, goal: 20) {
            SignUp.day(strangers: 40)
        },
        StrangerStory(name: "sign-up without a backend, 100 e-mails", before: 100, goal: 0) { SignUp.day(emails: 100) },
        StrangerStory(name: "proven people in a shop's Wi-Fi with a stranger", before: 99.7, goal: 0) { shop() },
        StrangerStory(name: "three API clients beside one that spends a country", before: 100, goal: 0) { country() },
    ]

    /// Two thousand people with proven numbers, one each 40 seconds, and a stranger at their address who asks for two numbers of
    /// theirs and other prefixes each time.
    private static func shop() -> (people: Int, keptOut: Int) {
        var books = Books()
        let source = MessageSource(IPAddress("192.0.2.1"))
        var keptOut = 0
        for person in 0..<2_000 {
            for index in 0..<2 {
                _ = books.send("+12064\(100_000 + person * 7 + index * 300_000)", from: source, isKnown: false)
            }
            let number = "+12064\(200_000 + person)"
            if books.send(number, from: source, isKnown: true) {
                if person % 6 > 0 { books.answer(number, from: source) }
            } else {
                keptOut += 1
            }
            books.now = books.now.adding(.seconds(40))
        }
        return (2_000, keptOut)
    }

    /// Four API clients; one sends all it can to a country whose budget is 40 messages, then each of the others sends five.
    private static func country() -> (people: Int, keptOut: Int) {
        var spend = SpendGuard()
        spend.perCountryPerDay = 40 * SpendGuard.unit
        var books = Books(spend: spend)
        for _ in 0..<200 { _ = books.buy(of: "greedy", country: "US", clients: 4) }
        var keptOut = 0
        for client in ["a", "b", "c"] {
            for _ in 0..<5 where !books.buy(of: client, country: "US", clients: 4) { keptOut += 1 }
        }
        return (15, keptOut)
    }
}

/// Runs without credentials under the shipped budget.
private enum SignUp {
    /// A new person of another network each half hour. One who is refused tries again twice, half an hour apart each time.
    static func day(strangers: Int = 0, emails: Int = 0) -> (people: Int, keptOut: Int) {
        var spend = SpendGuard()
        spend.perDay = 1_000 * SpendGuard.unit
        var books = Books(spend: spend)
        for _ in 0..<emails { _ = books.buyAsStranger(country: nil, from: network(1)) }
        var waiting: [(person: Int, tries: Int)] = []
        var (people, keptOut) = (0, 0)
        for minute in 0..<1_440 {
            for stranger in 0..<strangers { _ = books.buyAsStranger(country: "US", from: network(stranger)) }
            if minute % 30 == 15 {
                people += 1
                let tried = waiting + [(people, 0)]
                waiting = []
                for (person, tries) in tried where !books.buyAsStranger(country: "US", from: network(1_000 + person)) {
                    if tries < 2 { waiting.append((person, tries + 1)) } else { keptOut += 1 }
                }
            }
            books.now = books.now.adding(.seconds(60))
        }
        return (people, keptOut)
    }

    private static func network(_ number: Int) -> MessageSource {
        MessageSource(IPAddress("10.\(number / 256).\(number % 256).9"))
    }
}

/// Tallies as a store keeps them, and one transaction for each call.
private struct Books {
    var now = Timestamp(seconds: 1_767_261_600)
    private var limits = Limits.OverSessions()
    private var tallies: [LimitKey: LimitTally] = [:]

    init(spend: SpendGuard = SpendGuard()) { limits.spend = spend }

    private mutating func change<Result>(_ keys: [LimitKey], _ body: (inout LimitTallies) -> Result) -> Result {
        var read = LimitTallies(keys.map { ($0, tallies[$0] ?? LimitTally()) })
        let result = body(&read)
        for key in read.changed { tallies[key] = read[key] }
        return result
    }

    private static func client(_ name: String) -> ClientID {
        guard let client = ClientID(name) else { preconditionFailure("no client id") }
        return client
    }

    private func account(_ number: String, _ source: MessageSource) -> MessageAccount {
        guard let number = PhoneNumber(e164: number) else { preconditionFailure("no E.164 number") }
        return MessageAccount(.number(number), from: source, of: Self.client("shop"), country: "US")
    }

    mutating func send(_ number: String, from source: MessageSource, isKnown: Bool) -> Bool {
        let (account, limits, now) = (account(number, source), limits, now)
        return change(account.keys) { tallies in
            let standing = MessageAccount.Standing(isKnown: isKnown)
            do throws(LimitHit) {
                try account.checkSource(tallies, standing, by: limits, at: now)
                try account.checkPlace(tallies, standing, by: limits, at: now)
            } catch { return false }
            account.take(from: &tallies, standing, by: limits, at: now)
            return true
        }
    }

    mutating func answer(_ number: String, from source: MessageSource) {
        let (account, limits, now) = (account(number, source), limits, now)
        change(account.keys) { account.pay(into: &$0, isNew: false, by: limits, at: now) }
    }

    mutating func buyAsStranger(country: String?, from source: MessageSource) -> Bool {
        buy(
            Purchase(
                tenant: Self.client("shop"), country: country, price: limits.spend.price(of: country),
                share: [.anonymous, .unknown], clients: 1, source: source))
    }

    mutating func buy(of client: String, country: String, clients: Int) -> Bool {
        buy(
            Purchase(
                tenant: Self.client(client), country: country, price: limits.spend.price(of: country), share: [],
                clients: clients))
    }

    private mutating func buy(_ purchase: Purchase) -> Bool {
        let (spend, now) = (limits.spend, now)
        return change(purchase.keys(by: spend)) { tallies in
            do throws(LimitHit) { try tallies.check(purchase, by: spend, at: now) } catch { return false }
            tallies.count(purchase, by: spend, at: now)
            return true
        }
    }
}
