internal import Locks

/// A clock that moves only when a test moves it, so that tests of deadlines do not depend on the speed of the machine.
/// After a move, `EventLoop.catchUp` fires the due timers.
package final class ManualClock: Sendable {
    /// Not zero, because a connection reads zero as "no time".
    private let nanoseconds = Locked<UInt64>(1_000_000_000)

    package init() {}

    var now: UInt64 { nanoseconds.withLock { $0 } }

    package func advance(_ duration: Duration) {
        nanoseconds.withLock { $0 += duration.wholeNanoseconds }
    }
}
