internal import Locks

/// Allows a number of lines a second for each status in the access log, and counts the others.
final class RefusalGate: Sendable {
    private struct Second {
        var number: UInt64
        var written = 0
        var leftOut = 0
    }

    private let limit: Int
    private let uptime: @Sendable () -> UInt64
    /// By status; there are few.
    private let seconds = Locked<[Int: Second]>([:])

    /// - Parameters:
    ///   - limit: lines a second for each status; 0: no limit.
    ///   - uptime: monotonic nanoseconds.
    init(limit: Int, uptime: @escaping @Sendable () -> UInt64) {
        self.limit = limit
        self.uptime = uptime
    }

    func admits(_ status: Int) -> Bool {
        guard limit > 0 else { return true }
        let number = uptime() / 1_000_000_000
        return seconds.withLock { seconds in
            var second = seconds[status] ?? Second(number: number)
            defer { seconds[status] = second }
            if second.number != number {
                second.number = number
                second.written = 0
            }
            guard second.written < limit else {
                second.leftOut += 1
                return false
            }
            second.written += 1
            return true
        }
    }

    /// How many lines of each status were left out since the last call.
    func leftOut() -> [(status: Int, count: Int)] {
        seconds.withLock { seconds in
            var found: [(status: Int, count: Int)] = []
            for (status, second) in seconds where second.leftOut > 0 {
                found.append((status, second.leftOut))
                seconds[status]?.leftOut = 0
            }
            return found.sorted { $0.status < $1.status }
        }
    }
}
