import Testing

@testable import HTTPServer

@Suite struct DeadlinesTests {
    /// When a blocked output of a running request is overdue, with a term of 100 ns.
    private func due(_ flushes: [(unsent: Int, taken: Int, at: UInt64)]) -> UInt64 {
        var limits = Limits()
        limits.responseTimeout = .nanoseconds(100)
        var deadlines = Deadlines(limits)
        for (unsent, taken, time) in flushes { deadlines.outputBlocked(unsent, taken: taken, at: time) }
        return deadlines.due(in: .running)
    }

    @Test(arguments: [(65_535, 100), (65_536, 150)])
    func `gives a peer another term for 64 KiB, also when as much was added behind it`(taken: Int, expected: Int) {
        #expect(due([(300_000, 0, 0), (300_000, taken, 50)]) == UInt64(expected))
        #expect(due([(300_000, 0, 0), (300_000, taken - 1000, 20), (300_000, 1000, 50)]) == UInt64(expected))
    }

    @Test(arguments: [(999, 100), (1000, 150)])
    func `gives it another term for less when that was all there was`(taken: Int, expected: Int) {
        #expect(due([(1000, 0, 0), (1000, taken, 50)]) == UInt64(expected))
    }

    @Test(arguments: [(false, UInt64(60)), (true, 75)])
    func `keeps an idle connection of a proxy longer`(isProxy: Bool, seconds: UInt64) {
        var deadlines = Deadlines(Limits(), isProxy: isProxy)
        deadlines.answered(at: 1_000)
        deadlines.stayIdle()
        #expect(deadlines.due(in: .reading) == 1_000 + seconds * 1_000_000_000)
    }

    @Test func `has no deadline for a running request without output`() {
        #expect(due([]) == .max)
    }
}
