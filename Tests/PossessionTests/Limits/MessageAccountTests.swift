import Testing
import Text

@testable import Possession

/// Tokens that a caller may spend, and messages that one caller can keep from another: the table of docs/limits.md.
@Suite struct MessageAccountTests {
    /// Messages of one API client, as a store keeps what they count.
    private struct Books {
        var limits = Limits.OverSessions()
        var now = Fixture.start
        var tallies: [LimitKey: LimitTally] = [:]
        /// Numbers that have an identity.
        var known: Set<String> = []
        var news: [String] = []

        private func account(_ number: String, _ address: String?, _ tenant: String) -> MessageAccount {
            MessageAccount(
                .number(Fixture.number(number)), from: MessageSource(address.flatMap { IPAddress($0) }),
                of: ClientID(tenant)!, country: number.hasPrefix("+1") ? "US" : "DE")
        }

        private mutating func change<R>(_ account: MessageAccount, _ body: (inout LimitTallies) -> R) -> R {
            var read = LimitTallies(account.keys.map { ($0, tallies[$0] ?? LimitTally()) })
            let result = body(&read)
            for key in read.changed { tallies[key] = read[key] }
            news += read.closings.map { "closed \($0.place)" } + read.openings.map { "opened \($0.place)" }
            return result
        }

        /// Asks for a message.
        /// - Returns: the limit that refused it.
        mutating func send(
            _ number: String, from address: String?, of tenant: String = "shop", isTrusted: Bool = false
        ) -> LimitName? {
            hit(number, from: address, of: tenant, isTrusted: isTrusted)?.limit
        }

        mutating func hit(
            _ number: String, from address: String?, of tenant: String = "shop", isTrusted: Bool = false
        ) -> LimitHit? {
            let account = account(number, address, tenant)
            let (limits, now, isKnown) = (limits, now, known.contains(number))
            return change(account) { tallies in
                let standing = MessageAccount.Standing(
                    isKnown: isKnown || account.isProven(tallies, at: now), isTrusted: isTrusted)
                do throws(LimitHit) {
                    try account.checkSource(tallies, standing, by: limits, at: now)
                    try account.checkPlace(tallies, standing, by: limits, at: now)
                } catch { return error }
                account.take(from: &tallies, standing, by: limits, at: now)
                return nil
            }
        }

        mutating func answer(_ number: String, from address: String?, of tenant: String = "shop") {
            let account = account(number, address, tenant)
            let (limits, now, isNew) = (limits, now, !known.contains(number))
            change(account) { account.pay(into: &$0, isNew: isNew, by: limits, at: now) }
            known.insert(number)
        }

        mutating func passMobileAuth(_ number: String, from address: String?) {
            let account = account(number, address, "shop")
            let (now, isNew) = (now, !known.contains(number))
            var read = LimitTallies(account.proofKeys.map { ($0, tallies[$0] ?? LimitTally()) })
            account.noteMobileAuth(in: &read, isNew: isNew, at: now)
            for key in read.changed { tallies[key] = read[key] }
            known.insert(number)
        }

        mutating func giveBack(_ number: String, from address: String?, isTaken: Bool) {
            let account = account(number, address, "shop")
            let (limits, now) = (limits, now)
            change(account) { account.giveBack(to: &$0, isTaken: isTaken, by: limits, at: now) }
        }

        mutating func pass(days: Double) { now = now.adding(.milliseconds(Int64(days * 86_400_000))) }

        /// A number of prefix `+1206555`, and of others: 10,000 numbers a prefix.
        static func number(_ index: Int, prefix: Int = 555) -> String {
            let digits = String(10_000 + index).dropFirst()
            return "+1206\(prefix)\(digits)"
        }

        /// Address `host` of the `network`th /24.
        static func address(_ network: Int, _ host: Int = 1) -> String {
            "10.\(network / 256).\(network % 256).\(host)"
        }
    }

    // MARK: Sources

    @Test func `somebody whom nobody knows costs as many tallies as a number, and closes no place`() throws {
        let person = try #require(UnknownPerson(digest: [UInt8](repeating: 7, count: 16)))
        let source = MessageSource(IPAddress("2001:db8::1"))
        let limits = Limits.OverSessions()
        var counts: [[Int]] = []
        for target in [Target.number(Fixture.number("+12065550123")), .nobody(person)] {
            let account = MessageAccount(target, from: source, of: ClientID("shop")!, country: "US")
            var tallies = LimitTallies(account.keys.map { ($0, LimitTally()) })
            for _ in 0..<40 { account.take(from: &tallies, .init(), by: limits, at: Fixture.start) }
            counts.append([account.keys.count, tallies.changed.count])
            #expect(!target.isNobody || tallies.closings.isEmpty)
        }
        #expect(counts[0] == counts[1] && counts[0][0] > 6)
    }

    @Test func `an address has six messages that nobody answers, then two a day`() {
        var books = Books()
        var sent = 0
        for index in 0..<20
        where books.send(Books.number(index, prefix: 200 + index), from: "192.0.2.1") == nil { sent += 1 }
        #expect(sent == 6)
        #expect(books.send(Books.number(1), from: "192.0.2.1") == .sendsPerAddress)
        #expect(books.send(Books.number(1), from: "192.0.2.2") == nil, "its neighbour")
        books.pass(days: 1)
        sent = 0
        for index in 30..<40
        where books.send(Books.number(index, prefix: 200 + index), from: "192.0.2.1") == nil { sent += 1 }
        #expect(sent == 2)
    }

    @Test func `a network has sixty, however many addresses it has`() {
        var books = Books()
        var sent = 0
        for index in 0..<200
        where books.send(Books.number(0, prefix: 200 + index), from: Books.address(1, index)) == nil { sent += 1 }
        #expect(sent == 60)
    }

    @Test(arguments: [("2001:db8:1:2::", 6), ("2001:db8:1:", 120), ("2001:db8:", 600)])
    func
        `an IPv6 address is its /64, a network a /48 that has twice as much where it is known, and a /32 has ten of those`(
            prefix: String, most: Int
        )
    {
        var books = Books()
        var sent = 0
        for index in 0..<900 {
            let part = String(index + 1, radix: 16)
            let address = prefix.hasSuffix("::") ? prefix + part : prefix + part + "::1"
            // A country holds strangers to 350: those of a trusted network are not held.
            if books.send(Books.number(index / 700, prefix: 200 + index % 700), from: address, isTrusted: true) == nil {
                sent += 1
            }
        }
        #expect(sent == min(most, 400), "the country's own bucket is the last one")
    }

    @Test func `all that a backend sends without an address is one known network of a hundred`() {
        var books = Books()
        var sent = 0
        for index in 0..<300 where books.send(Books.number(0, prefix: 200 + index), from: nil) == nil { sent += 1 }
        #expect(sent == 100)
        var inPrefix = Books()
        sent = 0
        for index in 0..<60 where inPrefix.send(Books.number(index), from: nil) == nil { sent += 1 }
        #expect(sent == 18)
    }

    /// A sweep forgot it every minute, and with it the limit.
    @Test func `what a backend sent without an address is kept until it counts nothing any more`() throws {
        var books = Books()
        for index in 0..<39 { #expect(books.send(Books.number(0, prefix: 200 + index), from: nil) == nil) }
        let key = LimitKey(.network, of: ClientID("shop")!)
        let end = try #require(books.tallies[key]).end(of: key, by: books.limits)
        #expect(end > books.now.adding(.seconds(86_400)))
    }

    @Test func `a network that an operator vouches for has eighteen numbers of a prefix, two for each address`() {
        var books = Books()
        var sent = 0
        for index in 0..<60
        where books.send(Books.number(index), from: Books.address(1, index / 3), isTrusted: true) == nil { sent += 1 }
        #expect(sent == 18)
    }

    /// An operator's change of a limit changes only the room.
    @Test func `a raised limit refuses nothing that passed before, and a small one is a limit`() {
        for change in [BucketSizes(country: 4000), BucketSizes(prefix: 750), BucketSizes(address: 60, network: 600)] {
            var books = Books()
            for index in 0..<4 { #expect(books.send(Books.number(index), from: Books.address(index, 1)) == nil) }
            books.limits.sizes = change
            for index in 4..<9 { #expect(books.send(Books.number(index), from: Books.address(index, 1)) == nil) }
        }
        for prefix in 1..<5 { #expect(BucketSizes(prefix: prefix).again.start == 1) }
        #expect(BucketSizes(prefix: 0).again.start == 0)
    }

    /// The model's 3.3: people of one office who wait for a place get one soon, because answers are due.
    @Test
    func `a full address says half a minute to a minute while answers are due, and then the time of its next token`() {
        var books = Books()
        for index in 0..<6 {
            #expect(books.send(Books.number(0, prefix: 200 + index), from: "192.0.2.1") == nil)
            books.pass(days: 10.0 / 86_400)
        }
        let first = books.hit(Books.number(0, prefix: 300), from: "192.0.2.1")
        #expect(first?.limit == .sendsPerAddress && (30...60).contains(first?.retryAfterSeconds ?? 0))
        let other = (1...20).map { books.hit(Books.number(0, prefix: 300 + $0), from: "192.0.2.1")?.retryAfterSeconds }
        #expect(Set(other).count > 5, "they do not all come back at once")
        books.pass(days: 50.0 / 86_400)
        #expect(books.hit(Books.number(0, prefix: 300), from: "192.0.2.1") == first, "no clock that runs down")
        // The last message went 180 s ago: nobody answers any more.
        books.pass(days: 120.0 / 86_400)
        #expect(
            (42_900...43_100).contains(
                books.hit(Books.number(0, prefix: 300), from: "192.0.2.1")?.retryAfterSeconds ?? 0))
    }

    @Test func `a token that returns sooner than answers are due is told as it is`() {
        var books = Books()
        for index in 0..<6 { #expect(books.send(Books.number(0, prefix: 200 + index), from: "192.0.2.1") == nil) }
        books.pass(days: 43_195.0 / 86_400)
        books.giveBack(Books.number(0, prefix: 200), from: "192.0.2.1", isTaken: false)
        #expect(books.send(Books.number(0, prefix: 301), from: "192.0.2.1") == nil)
        let hit = books.hit(Books.number(0, prefix: 302), from: "192.0.2.1")
        #expect((1...6).contains(hit?.retryAfterSeconds ?? 0), "\(hit?.retryAfterSeconds ?? 0)")
    }

    @Test func `an answer opens the place that a full address promised`() {
        var books = Books()
        for index in 0..<6 { #expect(books.send(Books.number(0, prefix: 200 + index), from: "192.0.2.1") == nil) }
        let hit = books.hit(Books.number(0, prefix: 300), from: "192.0.2.1")
        books.answer(Books.number(0, prefix: 203), from: "192.0.2.1")
        books.pass(days: Double(hit?.retryAfterSeconds ?? 0) / 86_400)
        #expect(books.send(Books.number(0, prefix: 300), from: "192.0.2.1") == nil)
    }

    @Test func `answers widen the budget for known people, which has a row once a message was taken from it`() {
        var books = Books()
        for index in 0..<20 {
            #expect(books.send(Books.number(index, prefix: 200 + index), from: Books.address(0, index)) == nil)
            books.answer(Books.number(index, prefix: 200 + index), from: Books.address(0, index))
        }
        func hasRow() -> Bool { books.tallies.contains { $0.key.counter == .knownInNetwork && $0.value.bucket != nil } }
        /// Sends one message to each number of a range until one is refused, and returns how many were sent.
        func sendAll(_ prefixes: Range<Int>, areKnown: Bool) -> Int {
            prefixes.enumerated().first { count, prefix in
                let number = Books.number(0, prefix: prefix)
                if areKnown { books.known.insert(number) }
                return books.send(number, from: Books.address(0, 30 + count)) != nil
            }?.offset ?? prefixes.count
        }
        // 60 at first, and seven days of the answers' daily mean. A network that proves numbers may send 60 more.
        let most = Int(60 + 7 * 20 * 0.099_021)
        #expect(sendAll(300..<500, areKnown: false) == most + 60)
        #expect(!hasRow())
        #expect(sendAll(500..<700, areKnown: true) == most)
        #expect(hasRow())
    }

    @Test func `the first row for known people begins with the answers of the network`() throws {
        let limits = Limits.OverSessions()
        let shop = try #require(ClientID("shop"))
        var kept: [LimitKey: LimitTally] = [:]
        func answer(_ index: Int, isAnswerKnown: Bool) {
            let account = MessageAccount(
                .number(Fixture.number(Books.number(index, prefix: 200 + index))), from: MessageSource(nil), of: shop,
                country: "US", isAnswerKnown: isAnswerKnown)
            var read = LimitTallies(account.keys.map { ($0, kept[$0] ?? LimitTally()) })
            account.take(from: &read, .init(), by: limits, at: Fixture.start)
            account.pay(into: &read, isNew: true, by: limits, at: Fixture.start)
            for key in read.changed { kept[key] = read[key] }
        }
        func mean(_ counter: LimitKey.Counter) -> Double? {
            kept.first { $0.key.counter == counter }?.value.bucket?.mean
        }
        for index in 0..<10 { answer(index, isAnswerKnown: true) }
        let ofNetwork = try #require(mean(.network))
        #expect(mean(.knownInNetwork) == nil)
        answer(10, isAnswerKnown: false)
        #expect(mean(.network) == ofNetwork, "it does not count the answer")
        #expect(try #require(mean(.knownInNetwork)) > ofNetwork)
    }

    // MARK: Mobile Auth

    @Test func `Mobile Auth notes the network and the number, and changes nothing else`() {
        var books = Books()
        #expect(books.send(Books.number(0), from: "192.0.2.1") == nil)
        let before = books.tallies
        books.passMobileAuth(Books.number(0), from: "192.0.2.1")
        let changed = books.tallies.filter { before[$0.key] != $0.value }
        #expect(Set(changed.keys.map(\.counter)) == [.network, .proofs])
        for (key, tally) in changed {
            #expect(tally.entries.count == 1 && tally.bucket == before[key]?.bucket && tally.open.isEmpty)
        }
        let noted = books.tallies
        books.passMobileAuth(Books.number(1), from: nil)
        #expect(books.tallies == noted, "nobody says where the phone is")
    }

    @Test func `a number that was proven counts for no second network, known or forgotten`() {
        var books = Books()
        for index in 0..<3 { books.passMobileAuth(Books.number(index), from: Books.address(0)) }
        // The client has deleted its accounts.
        books.known = []
        for index in 0..<3 { books.passMobileAuth(Books.number(index), from: Books.address(1)) }
        for index in 0..<51 { _ = books.send(Books.number(100 + index), from: Books.address(100 + index)) }
        #expect(books.send(Books.number(50), from: Books.address(0, 7)) == nil)
        #expect(books.send(Books.number(51), from: Books.address(1, 7)) == .prefixClosed)
        books.pass(days: 28)
        for index in 0..<60 { _ = books.send(Books.number(200 + index), from: Books.address(200 + index)) }
        #expect(books.send(Books.number(52), from: Books.address(0, 8)) == .prefixClosed, "28 days later")
    }

    // MARK: Places

    /// The second and third columns of the table: what an attacker gets out of one prefix in two days.
    @Test(arguments: [(1, 4), (3, 11), (50, 57), (1000, 60)])
    func `pumping two thousand numbers of a prefix costs no more than sixty messages in two days`(
        addresses: Int, most: Int
    ) {
        var books = Books()
        var sent = 0
        // Every hour each address asks for two numbers, and again for what it got.
        for hour in 0..<48 {
            for address in 0..<addresses {
                let place = (hour * addresses + address) * 2 % 2000
                for number in [place, place, place + 1, place + 1]
                where books.send(Books.number(number), from: Books.address(address)) == nil { sent += 1 }
            }
            books.pass(days: 1.0 / 24)
        }
        #expect(sent <= most && sent >= most - 2, "\(sent)")
    }

    /// H2 and H3: four messages closed a thousand numbers, twenty-six ten thousand. Now a few sources close nothing.
    @Test func `three addresses with a hundred messages close nothing for others`() {
        var books = Books()
        for index in 0..<100 { _ = books.send(Books.number(index), from: Books.address(index % 3)) }
        for index in 0..<40 {
            #expect(books.send(Books.number(5000 + index), from: Books.address(100 + index)) == nil, "\(index)")
            books.answer(Books.number(5000 + index), from: Books.address(100 + index))
        }
    }

    @Test func `strangers leave a third of a prefix to known networks and people`() {
        var books = Books()
        // A network is known once three numbers were proven first from it.
        for index in 0..<3 {
            #expect(books.send(Books.number(index, prefix: 300), from: "192.0.2.\(index)") == nil)
            books.answer(Books.number(index, prefix: 300), from: "192.0.2.\(index)")
        }
        var sent = 0
        for index in 0..<200 where books.send(Books.number(index), from: Books.address(index)) == nil { sent += 1 }
        #expect(sent == 50)
        #expect(books.news == ["closed +1206555"])
        let refused = books.hit(Books.number(9000), from: Books.address(900))
        #expect(refused?.limit == .prefixClosed)
        #expect((600...1200).contains(refused?.retryAfterSeconds ?? 0), "10 to 20 minutes, and not when there is room")
        #expect(books.send(Books.number(9001), from: "192.0.2.77") == nil, "a known network")
        books.known.insert(Books.number(9002))
        #expect(books.send(Books.number(9002), from: Books.address(901)) == nil, "a known person")
        // Other prefixes, and the same one at another API client, know nothing of it.
        #expect(books.send(Books.number(9003, prefix: 556), from: Books.address(902)) == nil)
        #expect(books.send(Books.number(9000), from: Books.address(900), of: "other") == nil)
    }

    @Test func `every answer opens a place, and none is ended by another call`() {
        var books = Books()
        for index in 0..<50 { #expect(books.send(Books.number(index), from: Books.address(index)) == nil) }
        #expect(books.send(Books.number(60), from: Books.address(60)) == .prefixClosed)
        books.answer(Books.number(7), from: Books.address(7))
        // The answer returns the place that the number took, and one more.
        #expect(books.send(Books.number(60), from: Books.address(60)) == nil)
        #expect(books.send(Books.number(61), from: Books.address(61)) == nil)
        #expect(books.send(Books.number(62), from: Books.address(62)) == .prefixClosed)
        books.answer(Books.number(60), from: Books.address(60))
        #expect(books.send(Books.number(62), from: Books.address(62)) == nil)
        books.pass(days: 1)
        #expect(books.send(Books.number(63), from: Books.address(63)) == nil, "two a day return")
    }

    @Test func `a network has two numbers of a prefix open, one of a watched prefix, and as many more as it answers`() {
        var books = Books()
        #expect(books.send(Books.number(0), from: Books.address(0, 1)) == nil)
        #expect(books.send(Books.number(1), from: Books.address(0, 2)) == nil)
        #expect(books.send(Books.number(2), from: Books.address(0, 3)) == .sendsPerNetworkInPrefix)
        books.answer(Books.number(0), from: Books.address(0, 1))
        #expect(books.send(Books.number(2), from: Books.address(0, 3)) == nil)
        #expect(books.send(Books.number(3), from: Books.address(0, 3)) == nil)
        #expect(books.send(Books.number(4), from: Books.address(0, 3)) == .sendsPerNetworkInPrefix)
        for index in 10..<13 { #expect(books.send(Books.number(index), from: Books.address(index)) == nil) }
        #expect(books.send(Books.number(20), from: Books.address(20)) == nil)
        #expect(books.send(Books.number(21), from: Books.address(20)) == .sendsPerNetworkInPrefix, "it is watched")
        // An open number is forgotten after seven days.
        books.pass(days: 7)
        #expect(books.send(Books.number(22), from: Books.address(20)) == nil)
    }

    /// Else three addresses use up what strangers may have of second messages.
    @Test func `a network has two repeated messages in a quiet prefix, and one in a watched one`() {
        var books = Books()
        for _ in 0..<3 { #expect(books.send(Books.number(0), from: Books.address(0)) == nil) }
        #expect(books.send(Books.number(0), from: Books.address(0)) == .sendsPerNetworkInPrefix)
        for _ in 0..<2 { #expect(books.send(Books.number(1), from: Books.address(1)) == nil) }
        #expect(books.send(Books.number(1), from: Books.address(1)) == .sendsPerNetworkInPrefix)
        books.answer(Books.number(1), from: Books.address(1))
        for _ in 0..<2 { #expect(books.send(Books.number(2), from: Books.address(1)) == nil) }
    }

    /// Fifty whole networks locked a third of a country out on the first day.
    @Test func `a country of which a quarter is not answered gives a stranger's network four`() {
        var books = Books()
        for index in 0..<100 { _ = books.send(Books.number(0, prefix: 200 + index), from: Books.address(index)) }
        var sent = 0
        for index in 0..<20
        where books.send(Books.number(0, prefix: 400 + index), from: Books.address(500, index)) == nil { sent += 1 }
        #expect(sent == 4)
        #expect(books.send(Books.number(0, prefix: 450), from: Books.address(501)) == nil)
    }

    @Test func `a country holds strangers to three hundred and fifty at once`() {
        var books = Books()
        var sent = 0
        for index in 0..<1000
        where books.send(Books.number(0, prefix: 200 + index % 700), from: Books.address(index)) == nil {
            sent += 1
        }
        #expect(sent == 350)
        #expect(books.send(Books.number(1), from: Books.address(2000)) == .sendsPerCountry)
        #expect(books.send("+4915112345678", from: Books.address(2001)) == nil, "another country")
        #expect(books.news.contains("closed US"))
    }

    // MARK: People

    @Test func `who proved a number from a network gets messages there whatever others do`() {
        var books = Books()
        #expect(books.send(Books.number(0), from: Books.address(0)) == nil)
        books.answer(Books.number(0), from: Books.address(0))
        // Neighbours use up the address, the network in the prefix, the prefix.
        for index in 0..<10 { _ = books.send(Books.number(0, prefix: 300 + index), from: Books.address(0)) }
        for index in 0..<80 { _ = books.send(Books.number(100 + index), from: Books.address(100 + index)) }
        #expect(books.send(Books.number(1), from: Books.address(0)) == .sendsPerAddress)
        for _ in 0..<12 {
            #expect(books.send(Books.number(0), from: Books.address(0, 9)) == nil)
            books.answer(Books.number(0), from: Books.address(0, 9))
        }
    }

    /// Somebody who answers once for each of a thousand numbers of their own would have ten messages a day for each.
    @Test func `who proved a number and answers no more is charged as anybody after five messages`() {
        var books = Books()
        #expect(books.send(Books.number(0), from: Books.address(0)) == nil)
        books.answer(Books.number(0), from: Books.address(0))
        var sent = 0
        for _ in 0..<40 where books.send(Books.number(0), from: Books.address(0)) == nil { sent += 1 }
        #expect(sent == 5 + 5, "its own five, and five of the network")
        var others = 0
        for index in 0..<20 where books.send(Books.number(0, prefix: 300 + index), from: Books.address(0)) == nil {
            others += 1
        }
        #expect(others < 6, "they took from the address")
    }

    /// A shop's own network, in which a stranger asks for messages all the time.
    @Test func `people who have proven their numbers get codes beside a stranger at their address`() {
        var books = Books()
        let shop = "192.0.2.1"
        var kept = 0
        for person in 0..<2_000 {
            let number = Books.number(person % 1_000, prefix: 400 + person / 1_000)
            books.known.insert(number)
            // Numbers of the same prefix, and of others.
            for index in 0..<2 { _ = books.send(Books.number(5_000 + person, prefix: 400 + index * 100), from: shop) }
            if books.send(number, from: shop) == nil {
                // Five of six answer.
                if person % 6 > 0 { books.answer(number, from: shop) }
            } else {
                kept += 1
            }
            books.pass(days: 1.0 / 1_000)
        }
        #expect(kept == 0)
    }

    /// A caller that has used up its room may not find out all numbers that are known.
    @Test(arguments: [true, false])
    func `a caller without room learns of sixty numbers that they are known, and of no more`(isInPrefix: Bool) {
        var books = Books()
        for index in 0..<200 { books.known.insert(Books.number(1_000 + index)) }
        for index in 0..<6 {
            _ = books.send(Books.number(index, prefix: isInPrefix ? 555 : 300 + index), from: "192.0.2.1")
        }
        var learned = 0
        for index in 0..<200 where books.send(Books.number(1_000 + index), from: "192.0.2.1") == nil { learned += 1 }
        #expect((60...66).contains(learned))
        #expect(books.hit(Books.number(1_199), from: "192.0.2.1") == books.hit(Books.number(78), from: "192.0.2.1"))
    }

    @Test func `a number gets five messages in a day from one network that answers none, and more from another`() {
        var books = Books()
        for _ in 0..<5 { #expect(books.send(Books.number(0), from: Books.address(0), isTrusted: true) == nil) }
        #expect(books.send(Books.number(0), from: Books.address(0), isTrusted: true) == .sendsPerNumber)
        #expect(books.send(Books.number(0), from: Books.address(1)) == nil)
        books.pass(days: 1)
        #expect(books.send(Books.number(0), from: Books.address(0), isTrusted: true) == nil)
    }

    // MARK: Messages that nobody could answer

    @Test func `a message that no carrier took is given back everywhere`() {
        var books = Books()
        for index in 0..<60 {
            #expect(books.send(Books.number(index), from: "192.0.2.1") == nil)
            books.giveBack(Books.number(index), from: "192.0.2.1", isTaken: false)
        }
        #expect(books.send(Books.number(70), from: "192.0.2.1") == nil)
    }

    /// A carrier that is paid for messages may say of each that it was not delivered.
    @Test func `a receipt gives back to the caller, and to a prefix only where people answer`() {
        var books = Books()
        var sent = 0
        for index in 0..<200 where books.send(Books.number(index), from: Books.address(index % 100)) == nil {
            sent += 1
            books.giveBack(Books.number(index), from: Books.address(index % 100), isTaken: true)
        }
        #expect(sent == 50)
        var alive = Books()
        for index in 0..<20 {
            _ = alive.send(Books.number(index), from: Books.address(index))
            alive.answer(Books.number(index), from: Books.address(index))
        }
        for index in 0..<200 {
            #expect(alive.send(Books.number(1000 + index), from: Books.address(1000 + index)) == nil)
            alive.giveBack(Books.number(1000 + index), from: Books.address(1000 + index), isTaken: true)
        }
    }

    @Test func `a place is told once that it is scarce, and once that it has plenty again`() {
        var books = Books()
        for index in 0..<50 { _ = books.send(Books.number(index), from: Books.address(index)) }
        for index in 0..<12 { books.answer(Books.number(index), from: Books.address(index)) }
        #expect(books.news == ["closed +1206555", "opened +1206555"])
    }
}
