import Testing

@testable import Possession

@Suite struct HeldLimitTests {
    private static let number = Fixture.number("+12065550123")
    private static let now = Fixture.start

    /// What holds for the number once `count` was counted under a counter of its own.
    private static func held(
        _ key: LimitKey, at later: Duration = .zero, _ count: (inout LimitTally) -> Void
    ) -> [HeldLimit] {
        var tally = LimitTally()
        count(&tally)
        return Limits.OverSessions().held(.number(number), [key: tally], at: now.adding(later))
    }

    @Test func `nothing holds for a number of which nothing was counted`() {
        #expect(Limits.OverSessions().held(.number(Self.number), [:], at: Self.now).isEmpty)
    }

    @Test func `a message holds the next one for half a minute`() {
        let key = LimitKey(.sendsToNumber, Self.number)
        func count(_ tally: inout LimitTally) { tally.count(at: Self.now, most: 10, reach: .seconds(86_400)) }
        #expect(Self.held(key, count) == [HeldLimit(.sendsPerNumber, until: Self.now.adding(.seconds(30)))])
        #expect(Self.held(key, at: .seconds(30), count).isEmpty)
    }

    @Test func `of two windows the longer one is told`() {
        let held = Self.held(LimitKey(.sendsToNumber, Self.number)) { tally in
            for minute in 0..<10 {
                tally.count(at: Self.now.adding(.seconds(-minute)), most: 10, reach: .seconds(86_400))
            }
        }
        #expect(held.map(\.limit) == [.sendsPerNumber])
        #expect(held[0].until.map { $0 > Self.now.adding(.seconds(80_000)) } == true)
    }

    @Test func `a full stop has no end of its own`() {
        let held = Self.held(LimitKey(.wrongCodes, Self.number)) { tally in
            for _ in 0..<100 {
                tally.countFailure(at: Self.now.adding(.seconds(-90_000)), most: 20, reach: .seconds(86_400))
            }
        }
        #expect(held.contains(HeldLimit(.failuresInARow, until: nil)))
    }

    @Test func `a closed prefix holds every number that begins so`() {
        let end = Self.now.adding(.seconds(3600))
        func close(_ tally: inout LimitTally) { tally.close(until: end, at: Self.now) }
        let holds = [HeldLimit(.prefixClosed, until: end)]
        #expect(Self.held(LimitKey(prefixOf: Fixture.number("+12065550999")), close) == holds)
        #expect(Self.held(LimitKey(prefixOf: Fixture.number("+12065560123")), close).isEmpty)
        #expect(Self.held(LimitKey(prefixOf: Self.number), at: .seconds(3600), close).isEmpty)
    }
}
