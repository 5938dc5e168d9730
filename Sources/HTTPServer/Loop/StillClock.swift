internal import Locks

/// Time that stands still until it is moved, for tests of deadlines and of what must not wait for one: on a slow
/// machine a time comes when the test says so, as on a fast one. After a move, `EventLoop.catchUp` fires what is due.
package final class StillClock: Sendable {
    /// Not zero, which is no time to a connection.
    private let nanoseconds = Locked<UInt64>(1_000_000_000)

    package init() {}

    var now: UInt64 { nanoseconds.withLock { $0 } }

    package func advance(_ duration: Duration) {
        nanoseconds.withLock { $0 += duration.wholeNanoseconds }
    }
}
