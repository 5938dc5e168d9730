import Clocks
import Locks
import Possession
import Testing

@testable import Sandbox

@Suite struct `The inbox` {
    @Test func `shows what was sent, newest last`() async throws {
        let inbox = Fixture.inbox()
        try await inbox.send(Fixture.message("one"))
        try await inbox.send(Fixture.message("two", to: Fixture.bertie))
        let messages = inbox.messages(to: nil, after: nil)
        #expect(messages.map(\.text) == ["one", "two"])
        #expect(messages.map(\.to) == [.number(Fixture.lorant), .number(Fixture.bertie)])
        #expect(messages.first?.code == "1234")
        #expect(messages.first?.link == nil)
        try await inbox.send(Fixture.message(link: "https://h/l/t"))
        #expect(inbox.messages(to: nil, after: nil).last?.link == "https://h/l/t")
        #expect(messages.first?.channel == .sms)
        #expect(messages.first?.correlationID == CorrelationID(bits: 7))
        #expect(messages.first?.sentAt == Fixture.start)
    }

    @Test func `keeps a message once that is handed over again, arrived or on its way`() async throws {
        let clock = Fixture.clock()
        let inbox = Fixture.inbox(maxMessages: 2, clock: clock)
        try await inbox.send(Fixture.message("one", id: 1))
        try inbox.send(Fixture.message("two", id: 2), delaySeconds: 5)
        for _ in 0..<2 {
            try await inbox.send(Fixture.message("one", id: 1))
            try await inbox.send(Fixture.message("two", id: 2))
        }
        #expect(inbox.messages(to: nil, after: nil).map(\.text) == ["one"])
        _ = clock.advance(seconds: 5)
        #expect(inbox.messages(to: nil, after: nil).map(\.text) == ["one", "two"])
        // A message that was dropped or forgotten is not known any more.
        try await inbox.send(Fixture.message("three", id: 3))
        try await inbox.send(Fixture.message("one", id: 1))
        #expect(inbox.messages(to: nil, after: nil).map(\.text) == ["three", "one"])
        #expect(inbox.forget(.number(Fixture.lorant), of: nil) == 2)
        try await inbox.send(Fixture.message("one", id: 1))
        #expect(inbox.messages(to: nil, after: nil).map(\.text) == ["one"])
    }

    @Test func `shows the messages to one number`() async throws {
        let inbox = Fixture.inbox()
        try await inbox.send(Fixture.message("one"))
        try await inbox.send(Fixture.message("two", to: Fixture.bertie))
        try await inbox.send(Fixture.message("three"))
        #expect(inbox.messages(to: .number(Fixture.lorant), after: nil).map(\.text) == ["one", "three"])
        #expect(inbox.messages(to: .number(Fixture.number("+12001004015")), after: nil).isEmpty)
    }

    @Test func `forgets the messages to a number, arrived or not, of all sessions or of those named`() async throws {
        let clock = Fixture.clock()
        let inbox = Fixture.inbox(clock: clock)
        for text in ["one", "two"] { try await inbox.send(Fixture.message(text)) }
        try await inbox.send(Fixture.message("three", to: Fixture.bertie))
        try inbox.send(Fixture.message("late"), delaySeconds: 5)
        let ids = inbox.messages(to: nil, after: nil).map(\.id)
        #expect(inbox.forget(.number(Fixture.lorant), of: []) == 0)
        #expect(inbox.forget(.number(Fixture.lorant), of: [CorrelationID(bits: 8)]) == 0)
        #expect(inbox.forget(.number(Fixture.lorant), of: [CorrelationID(bits: 7)]) == 3)
        #expect(inbox.forget(.number(Fixture.lorant), of: nil) == 0)
        #expect(clock.advance(seconds: 6))
        #expect(inbox.messages(to: nil, after: nil).map(\.text) == ["three"])
        #expect(inbox.messages(to: nil, after: ids[1]).map(\.text) == ["three"])
        // Its room is free again.
        for _ in 0..<9 { try await inbox.send(Fixture.message("x")) }
        #expect(inbox.messages(to: nil, after: nil).count == 10)
        #expect(inbox.forget(.number(Fixture.bertie), of: nil) == 1)
    }

    @Test func `shows what is newer than an id`() async throws {
        let inbox = Fixture.inbox()
        #expect(inbox.messages(to: nil, after: nil).isEmpty)
        for text in ["one", "two", "three"] { try await inbox.send(Fixture.message(text)) }
        let ids = inbox.messages(to: nil, after: nil).map(\.id)
        #expect(inbox.messages(to: nil, after: ids[0]).map(\.text) == ["two", "three"])
        #expect(inbox.messages(to: nil, after: ids[1]).map(\.text) == ["three"])
        #expect(inbox.messages(to: nil, after: ids[2]).isEmpty)
    }

    @Test(arguments: ["", "0", "1", "-1", "nonsense", "99999999999999999999999999", "18446744073709551615", "٣", "1 "])
    func `shows everything after an id that it never gave`(id: String) async throws {
        let inbox = Fixture.inbox()
        try await inbox.send(Fixture.message("one"))
        #expect(inbox.messages(to: nil, after: id).map(\.text) == ["one"])
    }

    @Test func `shows everything after an id from before a restart`() async throws {
        let before = InMemoryInbox(startedAt: Fixture.start, now: SystemClock.now)
        for _ in 0..<100 { try await before.send(Fixture.message()) }
        let last = try #require(before.messages(to: nil, after: nil).last)
        let after = InMemoryInbox(startedAt: Fixture.start.adding(.seconds(1)), now: SystemClock.now)
        try await after.send(Fixture.message("new"))
        #expect(after.messages(to: nil, after: last.id).map(\.text) == ["new"])
    }

    @Test(arguments: [(3, ["1", "2", "3"]), (4, ["2", "3", "4"]), (5, ["3", "4", "5"]), (50, ["48", "49", "50"])])
    func `drops the oldest message past its number of messages`(count: Int, kept: [String]) async throws {
        let inbox = Fixture.inbox(maxMessages: 3)
        for index in 1...count { try await inbox.send(Fixture.message("\(index)")) }
        #expect(inbox.messages(to: nil, after: nil).map(\.text) == kept)
    }

    @Test func `drops as many messages as a text needs room`() async throws {
        let inbox = Fixture.inbox(maxTextBytes: 10)
        for text in ["aaa", "bbb", "cccc"] { try await inbox.send(Fixture.message(text)) }
        #expect(inbox.messages(to: nil, after: nil).map(\.text) == ["aaa", "bbb", "cccc"])
        try await inbox.send(Fixture.message("d"))
        #expect(inbox.messages(to: nil, after: nil).map(\.text) == ["bbb", "cccc", "d"])
        try await inbox.send(Fixture.message("eeeeeeeee"))
        #expect(inbox.messages(to: nil, after: nil).map(\.text) == ["d", "eeeeeeeee"])
    }

    @Test func `refuses a text larger than itself, and keeps what it has`() async throws {
        let inbox = Fixture.inbox(maxTextBytes: 10)
        try await inbox.send(Fixture.message("0123456789"))
        await #expect(throws: GatewayFault.self) { try await inbox.send(Fixture.message("0123456789a")) }
        #expect(inbox.messages(to: nil, after: nil).map(\.text) == ["0123456789"])
    }

    @Test func `shows what is newer than a dropped id`() async throws {
        let inbox = Fixture.inbox(maxMessages: 2)
        try await inbox.send(Fixture.message("1"))
        let first = try #require(inbox.messages(to: nil, after: nil).first)
        for index in 2...4 { try await inbox.send(Fixture.message("\(index)")) }
        #expect(inbox.messages(to: nil, after: first.id).map(\.text) == ["3", "4"])
    }

    @Test func `gives ids of one length that grow, as numbers and as text`() async throws {
        let inbox = Fixture.inbox(maxMessages: 1_000, maxTextBytes: 1 << 20)
        for _ in 0..<1_000 { try await inbox.send(Fixture.message()) }
        let ids = inbox.messages(to: nil, after: nil).map(\.id)
        #expect(ids == ids.sorted())
        #expect(Set(ids).count == 1_000)
        #expect(Set(ids.map(\.utf8.count)) == [16])
    }

    @Test func `behaves as a list of the newest under random sends`() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SplitMix(state: seed)
        var log = MessageLog(maxMessages: 7, maxTextBytes: 40, lastNumber: 0)
        var model: [(number: Int, text: String)] = []
        for number in 1...3_000 {
            let text = String(repeating: "x", count: Int.random(in: 0...12, using: &generator))
            let isTaken = log.append(Fixture.message(text))
            #expect(isTaken)
            model.append((number, text))
            while model.count > 7 || model.reduce(0, { $0 + $1.text.utf8.count }) > 40 { model.removeFirst() }
            let after = Int.random(in: max(0, number - 12)...number, using: &generator)
            let expected = model.filter { $0.number > after }.map { String($0.number) }
            #expect(log.messages(to: nil, after: String(after)).map(\.id) == expected, "seed \(seed)")
        }
    }

    @Test func `says that a message came, after it can be read`() async throws {
        let seen = Locked<[Target]>([])
        let inbox = InMemoryInbox(now: SystemClock.now) { target in seen.withLock { $0.append(target) } }
        try await inbox.send(Fixture.message())
        try await inbox.send(Fixture.message(to: Fixture.bertie))
        #expect(seen.withLock { $0 } == [.number(Fixture.lorant), .number(Fixture.bertie)])
    }

    @Test func `lets whoever is told read the inbox at once`() async throws {
        let holder = Locked<InMemoryInbox?>(nil)
        let counts = Locked<[Int]>([])
        let inbox = InMemoryInbox(now: SystemClock.now) { target in
            let inbox = holder.withLock { $0 }
            let count = inbox?.messages(to: target, after: nil).count ?? -1
            counts.withLock { $0.append(count) }
        }
        holder.withLock { $0 = inbox }
        for _ in 0..<3 { try await inbox.send(Fixture.message()) }
        #expect(counts.withLock { $0 } == [1, 2, 3])
        holder.withLock { $0 = nil }
    }

    @Test func `loses nothing when many send and read at once`() async throws {
        let inbox = InMemoryInbox(now: SystemClock.now)
        try await withThrowingTaskGroup(of: Void.self) { senders in
            for sender in 0..<8 {
                senders.addTask {
                    for index in 0..<200 {
                        try await inbox.send(Fixture.message("\(sender).\(index)"))
                        _ = inbox.messages(to: .number(Fixture.lorant), after: nil).last
                    }
                }
            }
            try await senders.waitForAll()
        }
        let messages = inbox.messages(to: nil, after: nil)
        #expect(Set(messages.map(\.text)).count == 1_600)
        #expect(messages.map(\.id) == messages.map(\.id).sorted())
    }
}
