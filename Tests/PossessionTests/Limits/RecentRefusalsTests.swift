import Testing

@testable import Engine
@testable import Possession

@Suite struct RecentRefusalsTests {
    private static func number(_ index: Int) -> PhoneNumber { PhoneNumber(e164: "+1206\(5_550_000 + index)")! }

    @Test func `tells each limit with its calls of a day, the newest first`() {
        let refusals = RecentRefusals()
        let number = Self.number(0)
        for second in 0..<3 {
            refusals.note(.sendsPerNetworkInPrefix, number, at: Fixture.start.adding(.seconds(second)))
        }
        let later = Fixture.start.adding(.seconds(60))
        refusals.note(.sendsPerAddress, number, at: later)
        refusals.note(.sendsPerAddress, Self.number(1), at: later)
        #expect(refusals.refusals(of: number, at: later).map(\.limit) == [.sendsPerAddress, .sendsPerNetworkInPrefix])
        #expect(refusals.refusals(of: number, at: later).map(\.count) == [1, 3])
        let nextDay = Fixture.start.adding(.seconds(86_400 + 30))
        #expect(refusals.refusals(of: number, at: nextDay).map(\.limit) == [.sendsPerAddress])
        refusals.note(.sendsPerNetworkInPrefix, number, at: nextDay)
        #expect(refusals.refusals(of: number, at: nextDay).first?.count == 1)
    }

    @Test func `keeps the newest of many numbers`() {
        let refusals = RecentRefusals(mostNumbers: 100)
        for index in 0..<1_000 {
            refusals.note(.budget, Self.number(index), at: Fixture.start.adding(.seconds(index)))
        }
        let now = Fixture.start.adding(.seconds(1_000))
        let kept = (0..<1_000).filter { !refusals.refusals(of: Self.number($0), at: now).isEmpty }
        #expect((50...100).contains(kept.count) && kept.contains(999) && !kept.contains(0))
    }
}
