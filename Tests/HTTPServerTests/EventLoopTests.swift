import Glibc
import Locks
import Testing

@testable import HTTPServer

@Suite struct EventLoopTests {
    private func withLoop<Result: Sendable>(
        _ body: @escaping @Sendable (EventLoop) async throws -> Result
    ) async throws -> Result {
        let loop = try EventLoop(name: "test")
        loop.start()
        defer { loop.stop() }
        return try await Task(executorPreference: loop) { try await body(loop) }.value
    }

    @Test func `keeps a task on its thread from await to await`() async throws {
        try await withLoop { loop in
            #expect(EventLoop.current === loop)
            await Task.yield()
            #expect(loop.isCurrent)
            await withCheckedContinuation { continuation in Task.detached { continuation.resume() } }
            #expect(loop.isCurrent)
            try await Task.sleep(for: .milliseconds(1))
            #expect(loop.isCurrent)
        }
        #expect(EventLoop.current == nil)
    }

    @Test func `runs posted work in order, from inside and outside, single and in a batch`() async throws {
        let loop = try EventLoop(name: "test")
        let seen = Locked<[Int]>([])
        @Sendable func note(_ number: Int) -> @Sendable () -> Void {
            { seen.withLock { $0.append(number) } }
        }
        loop.post(note(1))
        loop.post(batch: [note(2), note(3)])
        loop.start()
        await withCheckedContinuation { continuation in
            loop.post {
                loop.post(note(5))
                loop.post(batch: [note(6), note(7), { continuation.resume() }])
                note(4)()
            }
        }
        #expect(seen.withLock { $0 } == [1, 2, 3, 4, 5, 6, 7])
        loop.stop()
    }

    @Test func `does turn-end work once, after the run list`() async throws {
        let seen = Locked<[String]>([])
        try await withLoop { loop in
            await withCheckedContinuation { continuation in
                loop.post {
                    loop.atTurnEnd {
                        seen.withLock { $0.append("end") }
                        continuation.resume()
                    }
                    loop.post { seen.withLock { $0.append("work") } }
                }
            }
        }
        #expect(seen.withLock { $0 } == ["work", "end"])
    }

    @Test func `fires timers in order of their times and not the cancelled ones`() async throws {
        let seen = Locked<[Int]>([])
        try await withLoop { loop in
            await withCheckedContinuation { continuation in
                // In one turn, so that none can be late for its place.
                loop.post {
                    let base = loop.now
                    func note(_ number: Int) -> TimerToken {
                        loop.schedule(at: base + UInt64(number) * 1_000_000) { seen.withLock { $0.append(number) } }
                    }
                    loop.schedule(at: base + 6_000_000) { continuation.resume() }
                    for number in [4, 2, 0] { _ = note(number) }
                    note(3).cancel()
                }
            }
        }
        #expect(seen.withLock { $0 } == [0, 2, 4])
    }

    @Test func `looks at what has arrived before it fires what is due by then`() async throws {
        final class Input: Pollable {
            let note: () -> Void
            init(_ note: @escaping () -> Void) { self.note = note }
            func ready(_ readiness: Poller.Readiness) { note() }
            func flush() {}
        }
        let loop = try EventLoop(name: "test")
        loop.start()
        defer { loop.stop() }
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (output, input) = (ends[0], ends[1])
        defer { for end in ends { close(end) } }
        let seen = Locked<[String]>([])
        // As in a process that stands still past a deadline: the timer is up first, and then input arrives.
        loop.post {
            let due = loop.time + 1_000_000
            _ = try? loop.register(Input { seen.withLock { $0.append("input") } }, output, .readable)
            loop.schedule(at: due) { seen.withLock { $0.append("timer") } }
            while loop.time <= due {}
            write(input, "x", 1)
        }
        // Later turns: both have been seen.
        while seen.withLock({ Set($0).count }) < 2 { await Task.yield() }
        #expect(seen.withLock { $0.first } == "input")
    }

    @Test func `fires timers by a still clock when it has been moved there, and not before`() async throws {
        let clock = ManualClock()
        let loop = try EventLoop(name: "test", manualClock: clock)
        loop.start()
        defer { loop.stop() }
        let seen = Locked<[Int]>([])
        for seconds in [20, 10] { loop.schedule(after: .seconds(seconds)) { seen.withLock { $0.append(seconds) } } }
        for (step, expected) in [(9999, []), (1, [10]), (9999, [10]), (1, [10, 20])] {
            clock.advance(.milliseconds(step))
            await loop.catchUp()
            #expect(seen.withLock { $0 } == expected)
        }
        // A timer that is due at once needs no move of the clock.
        await withCheckedContinuation { continuation in loop.schedule(after: .zero) { continuation.resume() } }
    }

    @Test func `sorts any number of timers and forgets cancelled ones`() async throws {
        try await withLoop { loop in
            var queue = TimerQueue()
            var random = SeededGenerator(seed: 1)
            let times = (0..<500).map { _ in UInt64.random(in: 0..<1000, using: &random) }
            let fired = Locked<[UInt64]>([])
            for time in times { queue.add(TimerToken(loop: loop) { fired.withLock { $0.append(time) } }, at: time) }
            while let token = queue.popDue(at: 499) { token.fire() }
            #expect(fired.withLock { $0 } == times.filter { $0 < 500 }.sorted())
            while let token = queue.popDue(at: .max) { token.fire() }
            #expect(fired.withLock { $0 } == times.sorted())
            #expect(queue.earliest == nil)
        }
    }

    @Test func `finds nothing by the token of a descriptor that was given up`() {
        final class Nothing: Pollable {
            func ready(_ readiness: Poller.Readiness) {}
            func flush() {}
        }
        var table = SlotTable()
        let first = Nothing()
        let token = table.insert(first)
        #expect(table[token] === first)
        table.remove(token)
        let second = Nothing()
        let next = table.insert(second)
        #expect(table[token] == nil)
        #expect(table[next] === second)
        #expect(table[999] == nil)
    }

    @Test func `turns durations into whole units without overflow`() {
        #expect(Duration.seconds(2).wholeNanoseconds == 2_000_000_000)
        #expect(Duration.milliseconds(1500).wholeMilliseconds == 1500)
        #expect(Duration.seconds(-1).wholeNanoseconds == 0)
        #expect(Duration.seconds(Int64.max).wholeNanoseconds >= .max / 2)
    }
}
