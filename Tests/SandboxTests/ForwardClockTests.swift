import Clocks
import Sandbox
import Locks
import Possession
import Testing

/// The two clocks of a machine, moved by hand.
private final class Machine: Sendable {
    private let state = Locked((wall: Fixture.start, steady: UInt64(1_000_000_000)))

    var wall: Timestamp { state.withLock { $0.wall } }
    var steady: UInt64 { state.withLock { $0.steady } }

    func pass(_ seconds: Int) {
        state.withLock { state in
            state.wall = state.wall.adding(.seconds(seconds))
            state.steady += UInt64(seconds) * 1_000_000_000
        }
    }

    func jump(_ seconds: Int) {
        state.withLock { $0.wall = $0.wall.adding(.seconds(seconds)) }
    }

    func clock() -> ForwardClock { ForwardClock(wall: { self.wall }, steady: { self.steady }) }
}

@Suite struct ForwardClockTests {
    private let machine = Machine()

    @Test func `goes with the machine, ahead at once`() {
        let clock = machine.clock()
        #expect(clock.now() == Fixture.start)
        machine.pass(10)
        #expect(clock.now() == Fixture.start.adding(.seconds(10)))
        machine.jump(86_400)
        #expect(clock.now() == Fixture.start.adding(.seconds(86_410)))
    }

    @Test(arguments: [1, 3600, 86_400, 315_360_000])
    func `never goes back, and stands still for no jump`(seconds: Int) {
        let clock = machine.clock()
        machine.pass(100)
        let before = clock.now()
        machine.jump(-seconds)
        #expect(clock.now() == before)
        machine.pass(1000)
        let after = clock.now()
        #expect(after >= before.adding(.seconds(990)))
        #expect(after <= before.adding(.seconds(1000)))
    }

    @Test func `comes back to the machine's time little by little`() {
        let clock = machine.clock()
        _ = clock.now()
        machine.jump(-60)
        var last = clock.now()
        for _ in 0..<70 {
            machine.pass(100)
            let now = clock.now()
            #expect(now > last)
            last = now
        }
        #expect(clock.now() == machine.wall)
        #expect(clock.leadMilliseconds == 0)
    }

    @Test func `takes a second jump back from where the first had ended`() {
        let clock = machine.clock()
        _ = clock.now()
        machine.jump(-5)
        _ = clock.now()
        machine.pass(1000)
        let before = clock.now()
        #expect(before == machine.wall)
        machine.jump(-50)
        machine.pass(10)
        #expect(clock.now() == before)
        machine.pass(10)
        #expect(clock.now() > before)
    }

    @Test func `begins where the last run ended`() {
        let clock = machine.clock()
        clock.raise(to: Fixture.start.adding(.seconds(3600)))
        #expect(clock.now() == Fixture.start.adding(.seconds(3600)))
        #expect(clock.leadMilliseconds == 3_600_000)
        machine.pass(100)
        #expect(clock.now() == Fixture.start.adding(.seconds(3699)))
        clock.raise(to: Fixture.start)
        #expect(clock.now() == Fixture.start.adding(.seconds(3699)))
    }
}

@Suite struct ClockWatchTests {
    private let machine = Machine()

    private func watch(mark: Timestamp?) -> ClockWatch {
        ClockWatch(mark: mark, wall: machine.wall, steady: machine.steady)
    }

    @Test func `finds jumps of more than a minute, both ways`() {
        var watch = watch(mark: nil)
        machine.pass(3600)
        #expect(watch.check(wall: machine.wall, steady: machine.steady) == nil)
        for (jump, found): (Int, Int64?) in [(60, nil), (-60, nil), (61, 61_000), (-61, -61_000), (86_400, 86_400_000)]
        {
            machine.jump(jump)
            machine.pass(1)
            #expect(watch.check(wall: machine.wall, steady: machine.steady) == found)
        }
    }

    @Test func `believes a jump when it has held for fifteen minutes`() {
        var watch = watch(mark: machine.wall)
        #expect(watch.isBelieved)
        machine.jump(86_400)
        _ = watch.check(wall: machine.wall, steady: machine.steady)
        #expect(!watch.isBelieved)
        machine.pass(899)
        _ = watch.check(wall: machine.wall, steady: machine.steady)
        #expect(!watch.isBelieved)
        machine.pass(1)
        _ = watch.check(wall: machine.wall, steady: machine.steady)
        #expect(watch.isBelieved)
    }

    @Test func `believes no jump while it was stopped before it has held`() {
        #expect(watch(mark: nil).isBelieved)
        #expect(watch(mark: machine.wall.adding(.seconds(-60))).isBelieved)
        #expect(!watch(mark: machine.wall.adding(.seconds(-61))).isBelieved)
        #expect(!watch(mark: machine.wall.adding(.seconds(61))).isBelieved)
    }
}
