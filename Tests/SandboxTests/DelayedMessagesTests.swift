import Locks
import Possession
import Testing

@testable import Sandbox

@Suite struct `A delayed message` {
    let clock = Fixture.clock()
    let inbox: InMemoryInbox

    init() {
        inbox = Fixture.inbox(clock: clock)
    }

    private func texts(_ inbox: InMemoryInbox? = nil, to number: PhoneNumber? = nil) -> [String] {
        (inbox ?? self.inbox).messages(to: number.map(Target.number), after: nil).map(\.text)
    }

    private func send(_ text: String, in seconds: Int) throws {
        try inbox.send(Fixture.message(text), delaySeconds: seconds)
    }

    @Test(arguments: [
        (0, 30, false), (29, 30, false), (30, 30, true), (599, 600, false), (600, 600, true), (0, 0, true),
    ])
    func `can be read when its delay is over by the clock`(age: Int64, delay: Int, isThere: Bool) throws {
        try send("late", in: delay)
        #expect(clock.advance(seconds: age))
        #expect(texts() == (isThere ? ["late"] : []))
    }

    @Test func `is there to the millisecond`() throws {
        let milliseconds = Locked<Int64>(Fixture.start.milliseconds)
        let inbox = InMemoryInbox(
            startedAt: Fixture.start, now: { Timestamp(milliseconds: milliseconds.withLock { $0 }) })
        try inbox.send(Fixture.message("late"), delaySeconds: 1)
        milliseconds.withLock { $0 += 999 }
        #expect(texts(inbox).isEmpty)
        #expect(inbox.untilNextArrival == .milliseconds(1))
        milliseconds.withLock { $0 += 1 }
        #expect(texts(inbox) == ["late"])
    }

    @Test func `stands where it arrived, with the id of that moment`() async throws {
        try send("30 s", in: 30)
        try send("10 s", in: 10)
        try send("also 30 s", in: 30)
        try await inbox.send(Fixture.message("at once"))
        #expect(texts() == ["at once"])
        let first = try #require(inbox.messages(to: nil, after: nil).first)
        #expect(clock.advance(seconds: 30))
        // Sent after the others arrived, although nobody read them meanwhile.
        try await inbox.send(Fixture.message("last"))
        let messages = inbox.messages(to: nil, after: nil)
        #expect(messages.map(\.text) == ["at once", "10 s", "30 s", "also 30 s", "last"])
        #expect(messages.map(\.id) == messages.map(\.id).sorted())
        #expect(inbox.messages(to: nil, after: first.id).map(\.text) == ["10 s", "30 s", "also 30 s", "last"])
    }

    @Test func `is new to whoever knew what had come before it`() async throws {
        try send("late", in: 10)
        try await inbox.send(Fixture.message("at once"))
        let last = try #require(inbox.messages(to: nil, after: nil).last)
        #expect(clock.advance(seconds: 10))
        #expect(inbox.messages(to: .number(Fixture.lorant), after: last.id).map(\.text) == ["late"])
    }

    @Test func `keeps the moment it was sent`() throws {
        try send("late", in: 10)
        #expect(clock.advance(seconds: 60))
        #expect(inbox.messages(to: nil, after: nil).map(\.sentAt) == [Fixture.start])
    }

    @Test func `waits for the clock again after a reset`() throws {
        #expect(clock.advance(seconds: 100))
        try send("late", in: 10)
        clock.reset()
        #expect(inbox.untilNextArrival == .seconds(110))
        #expect(clock.advance(seconds: 110))
        #expect(texts() == ["late"])
    }

    @Test func `tells how long until the next one`() throws {
        #expect(inbox.untilNextArrival == nil)
        try send("30 s", in: 30)
        #expect(inbox.untilNextArrival == .seconds(30))
        try send("10 s", in: 10)
        #expect(inbox.untilNextArrival == .seconds(10))
        #expect(clock.advance(seconds: 4))
        #expect(inbox.untilNextArrival == .seconds(6))
        #expect(clock.advance(seconds: 16))
        #expect(inbox.untilNextArrival == .zero, "due, and not read yet")
        #expect(texts() == ["10 s"])
        #expect(inbox.untilNextArrival == .seconds(10))
        #expect(clock.advance(seconds: 10))
        #expect(texts().count == 2)
        #expect(inbox.untilNextArrival == nil)
    }

    @Test func `is announced when it is sent, so that a wait can end when it arrives`() throws {
        let announced = Locked(0)
        let clock = clock
        let inbox = InMemoryInbox(startedAt: Fixture.start, now: { clock.now() }) { _ in
            announced.withLock { $0 += 1 }
        }
        try inbox.send(Fixture.message(), delaySeconds: 10)
        #expect(announced.withLock { $0 } == 1)
    }

    // MARK: Room

    @Test(arguments: [(2, ["2", "late"]), (3, ["1", "2", "late"])])
    func `counts while it is on its way`(room: Int, kept: [String]) async throws {
        let inbox = Fixture.inbox(maxMessages: room, clock: clock)
        try inbox.send(Fixture.message("late"), delaySeconds: 10)
        for text in ["1", "2"] { try await inbox.send(Fixture.message(text)) }
        #expect(clock.advance(seconds: 10))
        #expect(texts(inbox) == kept)
    }

    @Test func `counts its text and link while it is on its way`() async throws {
        let inbox = Fixture.inbox(maxTextBytes: 10, clock: clock)
        try inbox.send(Fixture.message("late", link: "l"), delaySeconds: 10)
        try await inbox.send(Fixture.message("12345"))
        try await inbox.send(Fixture.message("x"))
        #expect(texts(inbox) == ["x"])
        #expect(clock.advance(seconds: 10))
        #expect(texts(inbox) == ["x", "late"])
        try await inbox.send(Fixture.message("1234"))
        #expect(texts(inbox) == ["x", "late", "1234"])
        try await inbox.send(Fixture.message("56"))
        #expect(texts(inbox) == ["1234", "56"])
    }

    @Test func `is dropped when only such are left, the first to arrive first`() throws {
        let inbox = Fixture.inbox(maxMessages: 3, clock: clock)
        for seconds in [40, 10, 30, 20] { try inbox.send(Fixture.message("\(seconds)"), delaySeconds: seconds) }
        #expect(inbox.untilNextArrival == .seconds(20))
        #expect(clock.advance(seconds: 40))
        #expect(texts(inbox) == ["20", "30", "40"])
    }

    @Test func `is refused when it is larger than the inbox`() {
        let inbox = Fixture.inbox(maxTextBytes: 10, clock: clock)
        #expect(throws: GatewayFault.self) {
            try inbox.send(Fixture.message("0123456789a"), delaySeconds: 10)
        }
        #expect(throws: GatewayFault.self) { try inbox.send(Fixture.message("0123456789", link: "l"), delaySeconds: 0) }
        #expect(inbox.untilNextArrival == nil)
    }

    @Test func `arrives in the order of a plain list under random sends`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SplitMix(state: seed)
        let inbox = Fixture.inbox(maxMessages: 1_000, maxTextBytes: 1 << 20, clock: clock)
        var elapsed = 0
        var model: [(arrival: Int, text: String)] = []
        for index in 0..<800 {
            let delay = Int.random(in: 0...20, using: &generator)
            try inbox.send(Fixture.message("\(index)"), delaySeconds: delay)
            let place = model.firstIndex { $0.arrival > elapsed + delay } ?? model.endIndex
            model.insert((elapsed + delay, "\(index)"), at: place)
            let step = Int.random(in: 0...2, using: &generator)
            #expect(clock.advance(seconds: Int64(step)))
            elapsed += step
            let expected = model.filter { $0.arrival <= elapsed }.map(\.text)
            if index % 16 == 0 { #expect(texts(inbox) == expected, "seed \(seed)") }
        }
        #expect(clock.advance(seconds: 20))
        #expect(texts(inbox) == model.map(\.text), "seed \(seed)")
    }
}
