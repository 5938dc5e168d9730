import Clocks
import Outbound
import Sandbox
import Possession
import Testing

@Suite struct `The sandbox clock moves` {
    static let max = OffsetClock.maxOffsetSeconds

    private func clock() -> OffsetClock {
        OffsetClock { Fixture.start }
    }

    @Test func `with the system until it is advanced`() {
        let clock = clock()
        #expect(clock.now() == Fixture.start)
        #expect(clock.advance(seconds: 120))
        #expect(clock.now() == Fixture.start.adding(.seconds(120)))
        #expect(clock.advance(seconds: 1))
        #expect(clock.offsetSeconds == 121)
    }

    @Test(arguments: [
        (0, true), (1, true), (-1, false), (max, true), (max + 1, false), (Int64.max, false), (Int64.min, false),
    ])
    func `forward, and ten years at most`(seconds: Int64, isTaken: Bool) {
        let clock = clock()
        #expect(clock.advance(seconds: seconds) == isTaken)
        #expect(clock.offsetSeconds == (isTaken ? seconds : 0))
    }

    @Test func `ten years in several steps, not a second more`() {
        let clock = clock()
        #expect(clock.advance(seconds: Self.max - 1))
        #expect(!clock.advance(seconds: 2))
        #expect(!clock.advance(seconds: Int64.max))
        #expect(clock.advance(seconds: 1))
        #expect(!clock.advance(seconds: 1))
        #expect(clock.advance(seconds: 0))
        #expect(clock.offsetSeconds == Self.max)
    }

    @Test func `back to the system's time by a reset alone`() {
        let clock = clock()
        #expect(clock.advance(seconds: 900))
        clock.reset()
        #expect(clock.offsetSeconds == 0)
        #expect(clock.now() == Fixture.start)
    }

    @Test func `once for each of many advances at the same time`() async {
        let clock = clock()
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<16 {
                tasks.addTask { for _ in 0..<100 where clock.advance(seconds: 1) { _ = clock.now() } }
            }
        }
        #expect(clock.offsetSeconds == 1_600)
    }
}

@Suite struct `The system clock` {
    @Test func `tells milliseconds of this century that do not run back`() {
        let first = SystemClock.now()
        let second = SystemClock.now()
        #expect(first <= second)
        #expect(first.seconds > 1_700_000_000 && first.seconds < 4_102_444_800)
    }
}

@Suite struct `A missing carrier` {
    @Test func `refuses every message without naming number or code`() async throws {
        let fault = await #expect(throws: GatewayFault.self) {
            try await NoCarrier().send(Fixture.message("secret"))
        }
        #expect(fault?.reason == "no carrier is configured")
    }
}
