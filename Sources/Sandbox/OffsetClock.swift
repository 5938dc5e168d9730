internal import Clocks
internal import Locks
package import Possession

/// The sandbox's clock: the system's clock plus an offset that tests advance (contract section 4).
package final class OffsetClock: SandboxClock {
    /// How far ahead it may run: ten years of 365 days.
    package static let maxOffsetSeconds: Int64 = 10 * 365 * 86_400

    private let offset = Locked<Int64>(0)
    private let systemNow: @Sendable () -> Timestamp

    package init(systemNow: @escaping @Sendable () -> Timestamp = SystemClock.now) {
        self.systemNow = systemNow
    }

    package var offsetSeconds: Int64 { offset.withLock { $0 } }

    package func now() -> Timestamp {
        let offsetSeconds = offsetSeconds
        return Timestamp(milliseconds: systemNow().milliseconds + offsetSeconds * 1000)
    }

    package func advance(seconds: Int64) -> Bool {
        offset.withLock { offset in
            // The remaining range is never negative, so no sum overflows.
            guard seconds >= 0, seconds <= Self.maxOffsetSeconds - offset else { return false }
            offset += seconds
            return true
        }
    }

    package func reset() {
        offset.withLock { $0 = 0 }
    }
}
