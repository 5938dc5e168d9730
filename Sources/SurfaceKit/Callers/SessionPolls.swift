internal import Locks
package import Possession

/// Limits status calls for one session: 60 a minute and 180 an hour (ABU-08). The backend and the client of a session
/// are counted separately.
///
/// Only in memory: it limits no messages or guesses. Only known sessions are counted, and only while they are polled;
/// beyond `maxKeys` (about 40 bytes each) entries are dropped, those whose hour is over first.
package final class SessionPolls: Sendable {
    private static let minute = (seconds: Int64(60), most: UInt8(60))
    private static let hour = (seconds: Int64(3_600), most: UInt8(180))

    /// Status calls in the minute and in the hour, each starting with the first call in it. Eight bytes, because the
    /// memory holds one for each session of an hour; so times are whole seconds.
    private struct Count {
        var hourStart: UInt32
        /// Seconds after `hourStart`.
        var minuteStart: UInt16 = 0
        var inMinute: UInt8 = 0
        var inHour: UInt8 = 0

        init(at now: Int64) { hourStart = UInt32(clamping: now) }

        func age(at now: Int64) -> Int64 { now - Int64(hourStart) }
    }

    private struct Table {
        /// Keyed by the random half of an ID: a caller cannot choose two IDs with the same half.
        var counts: [UInt64: Count] = [:]
        var nextCleaning = Int64.min
    }

    private let maxKeys: Int
    private let table = Locked(Table())

    package init(maxKeys: Int = 500_000) {
        self.maxKeys = maxKeys
    }

    /// Counts one status call; returns a hit when it is over the limit.
    package func take(_ session: some Identifier, at moment: Timestamp) -> LimitHit? {
        let (key, now) = (session.low, moment.milliseconds / 1000)
        return table.withLock { table in
            if table.counts.count >= maxKeys, table.counts[key] == nil { clean(&table, now) }
            var count = table.counts[key] ?? Count(at: now)
            var age = count.age(at: now)
            // A clock that went back restarts both.
            if age >= Self.hour.seconds || age < 0 { (count, age) = (Count(at: now), 0) }
            if age - Int64(count.minuteStart) >= Self.minute.seconds {
                (count.minuteStart, count.inMinute) = (UInt16(age), 0)
            }
            if count.inHour >= Self.hour.most { return hit(Self.hour.seconds - age) }
            if count.inMinute >= Self.minute.most { return hit(Int64(count.minuteStart) + Self.minute.seconds - age) }
            count.inHour += 1
            count.inMinute += 1
            table.counts[key] = count
            return nil
        }
    }

    private func hit(_ seconds: Int64) -> LimitHit { LimitHit(.polls, retryAfterSeconds: Int(max(1, seconds))) }

    /// Drops expired entries. Runs at most once a second, because it checks every entry. If there are still too many,
    /// sessions under their limit are forgotten early, but never one at its limit (ABU-10).
    private func clean(_ table: inout Table, _ now: Int64) {
        guard now >= table.nextCleaning else { return }
        table.nextCleaning = now + 1
        table.counts = table.counts.filter { $0.value.age(at: now) < Self.hour.seconds }
        guard table.counts.count >= maxKeys else { return }
        table.counts = table.counts.filter {
            $0.value.inHour >= Self.hour.most || $0.value.inMinute >= Self.minute.most
        }
    }
}
