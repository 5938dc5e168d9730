import Testing

@testable import Possession

@Suite struct HeldLimitTests {
    private static let number = Fixture.number("+12065550123")
    private static let now = Fixture.start
    private static let tenant = ClientID("shop")!

    /// Limits that hold for the number once `count` was counted under a counter of its own.
    private static func held(
        _ key: LimitKey, at later: Duration = .zero, _ count: (inout LimitTally) -> Void
    ) -> [HeldLimit] {
        var tally = LimitTally()
        count(&tally)
        return Limits.OverSessions().held(.number(number), of: tenant, [key: tally], at: now.adding(later))
    }

    @Test func `nothing holds for a number of which nothing was counted`() {
        #expect(Limits.OverSessions().held(.number(Self.number), of: Self.tenant, [:], at: Self.now).isEmpty)
    }

    @Test func `a message holds the next one for half a minute`() {
        let key = LimitKey(.sendsToNumber, Self.number, of: Self.tenant)
        func count(_ tally: inout LimitTally) { tally.count(at: Self.now, most: 10, reach: .seconds(86_400)) }
        #expect(
            Self.held(key, count) == [
                HeldLimit(.sendsPerNumber, until: Self.now.adding(.seconds(30)), client: Self.tenant, isPause: true)
            ])
        #expect(Self.held(key, at: .seconds(30), count).isEmpty)
    }

    @Test func `of two windows the longer one is told`() {
        let held = Self.held(LimitKey(.sendsToNumber, Self.number, of: Self.tenant)) { tally in
            for minute in 0..<10 {
                tally.count(at: Self.now.adding(.seconds(-minute)), most: 10, reach: .seconds(86_400))
            }
        }
        #expect(held.map(\.limit) == [.sendsPerNumber])
        #expect(held[0].until.map { $0 > Self.now.adding(.seconds(80_000)) } == true)
    }

    @Test func `a full stop has no end of its own`() {
        let held = Self.held(LimitKey(.wrongCodes, Self.number, of: Self.tenant)) { tally in
            for _ in 0..<100 {
                tally.countFailure(at: Self.now.adding(.seconds(-90_000)), most: 20, reach: .seconds(86_400))
            }
        }
        #expect(held.contains(HeldLimit(.failuresInARow, until: nil, client: Self.tenant)))
    }
}
