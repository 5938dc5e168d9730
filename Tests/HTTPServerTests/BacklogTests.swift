import Testing

@testable import HTTPServer

/// Work that waits to begin on a loop. Times are in milliseconds here.
@Suite struct BacklogTests {
    private static let start: UInt64 = 5_000

    private func at(_ milliseconds: UInt64) -> UInt64 { (BacklogTests.start + milliseconds) * 1_000_000 }

    private func next(_ backlog: inout Backlog<Int>, _ milliseconds: UInt64) -> (item: Int, waited: UInt64)? {
        backlog.next(at: at(milliseconds), longestWait: 1_000_000_000)
    }

    /// Takes one out every `gap` milliseconds, from `from` on.
    private func drain(_ backlog: inout Backlog<Int>, from: UInt64, count: Int, gap: UInt64) {
        for index in 1...count { _ = next(&backlog, from + UInt64(index) * gap) }
    }

    @Test func `begins in order, and tells how long each waited`() {
        var backlog = Backlog<Int>()
        for item in 0..<600 { backlog.append(item, at: at(UInt64(item / 100))) }
        for item in 0..<600 {
            let taken = next(&backlog, 10)
            #expect(taken?.item == item)
            #expect(taken?.waited == at(10) - at(UInt64(item / 100)))
        }
        #expect(next(&backlog, 10) == nil && backlog.isEmpty)
    }

    @Test func `after a stall the newest begins first`() {
        var backlog = Backlog<Int>()
        for item in 0..<3 { backlog.append(item, at: at(0)) }
        #expect(next(&backlog, 500)?.item == 0)
        backlog.append(3, at: at(500))
        #expect(next(&backlog, 501)?.item == 3)
        #expect(next(&backlog, 501)?.item == 2)
        backlog.append(4, at: at(502))
        #expect(next(&backlog, 502)?.item == 4)
        #expect(next(&backlog, 502)?.item == 1)
        #expect(backlog.isEmpty)
    }

    @Test func `what is too late comes first, to be refused`() {
        var backlog = Backlog<Int>()
        backlog.append(0, at: at(0))
        backlog.append(1, at: at(900))
        backlog.append(2, at: at(1001))
        #expect(next(&backlog, 1001)?.item == 0)
        #expect(next(&backlog, 1001)?.item == 1)
        #expect(next(&backlog, 1001)?.item == 2)
    }

    @Test func `a stall is no speed`() {
        var backlog = Backlog<Int>()
        for item in 0..<100 { backlog.append(item, at: at(0)) }
        drain(&backlog, from: 0, count: 20, gap: 1)
        // The next sixteen take 0.9 seconds, at first: one window can but double it, about.
        drain(&backlog, from: 900, count: 16, gap: 1)
        #expect(backlog.expectedWait(at: at(916)) == 64 * 1_750_000)
        drain(&backlog, from: 916, count: 64, gap: 1)
        #expect(backlog.isEmpty)
        // One that was emptied within less than a window corrects it too.
        for item in 0..<10 { backlog.append(item, at: at(6_000)) }
        drain(&backlog, from: 6_000, count: 10, gap: 0)
        for item in 0..<10 { backlog.append(item, at: at(6_000)) }
        #expect(backlog.expectedWait(at: at(6_000)) == 0)
    }

    @Test func `expects the wait from how fast it was worked off`() {
        var backlog = Backlog<Int>()
        #expect(backlog.expectedWait(at: at(0)) == 0)
        for item in 0..<100 { backlog.append(item, at: at(0)) }
        #expect(backlog.expectedWait(at: at(0)) == 0, "nothing is known yet")
        drain(&backlog, from: 0, count: 20, gap: 1)
        #expect(backlog.expectedWait(at: at(20)) == 80_000_000)
        // Three parts of what it was, one of what it is, which counts as four times that at most.
        drain(&backlog, from: 20, count: 16, gap: 5)
        #expect(backlog.expectedWait(at: at(100)) == 64 * 1_750_000)
    }

    @Test func `those that are refused as too late are no speed`() {
        var backlog = Backlog<Int>()
        for item in 0..<100 { backlog.append(item, at: at(0)) }
        drain(&backlog, from: 0, count: 20, gap: 1)
        for item in 0..<10 { backlog.append(item, at: at(1_010)) }
        // Eighty come out at once, to be refused; the ten behind them begin as slowly as before.
        drain(&backlog, from: 1_050, count: 80, gap: 0)
        #expect(backlog.expectedWait(at: at(1_050)) == 40_000_000)
    }

    @Test func `of a loop that does not get on, the oldest tells the wait`() {
        var backlog = Backlog<Int>()
        for item in 0..<10 { backlog.append(item, at: at(UInt64(item))) }
        #expect(backlog.expectedWait(at: at(300)) == 300_000_000)
        _ = next(&backlog, 300)
        #expect(backlog.expectedWait(at: at(300)) == 299_000_000, "one that began tells nothing of the speed")
    }

    @Test func `what was never empty for half a second is no burst`() {
        var backlog = Backlog<Int>()
        backlog.append(0, at: at(0))
        #expect(!backlog.isStanding(at: at(500)))
        #expect(backlog.isStanding(at: at(501)))
        _ = next(&backlog, 501)
        #expect(!backlog.isStanding(at: at(502)))
        backlog.append(1, at: at(600))
        #expect(!backlog.isStanding(at: at(1100)))
    }
}
