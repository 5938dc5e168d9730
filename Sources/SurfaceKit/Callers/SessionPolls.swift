internal import Locks
package import Possession

/// Counts looks at one session: 60 a minute and 180 an hour (ABU-08). A backend and a client of the same session do not
/// count for each other.
///
/// Kept in memory: no message and no guess is at stake. Only known sessions are counted, and only while somebody looks
/// at them; past `maxKeys` (some 40 bytes each) those whose hour is over go.
package final class SessionPolls: Sendable {
    private static let minute = (seconds: Int64(60), most: UInt8(60))
    private static let hour = (seconds: Int64(3_600), most: UInt8(180))

    /// How many looks in the minute and the hour that began with the first look. Eight bytes, because an operator's memory
    /// holds as many as there are sessions in an hour; so times are whole seconds.
    private struct Count {
        var hourStart: UInt32
        /// After `hourStart`.
        var minuteStart: UInt16 = 0
        var inMinute: UInt8 = 0
        var inHour: UInt8 = 0

        init(at now: Int64) { hourStart = UInt32(clamping: now) }

        func age(at now: Int64) -> Int64 { now - Int64(hourStart) }
    }

    private struct Table {
        /// By the random half of an id: nobody can choose two that are the same.
        var counts: [UInt64: Count] = [:]
        var nextCleaning = Int64.min
    }

    private let maxKeys: Int
    private let table = Locked(Table())

    package init(maxKeys: Int = 500_000) {
        self.maxKeys = maxKeys
    }

    /// Takes one look; the hit when it is one too many.
    package func take(_ session: some Identifier, at moment: Timestamp) -> LimitHit? {
        let (key, now) = (session.low, moment.milliseconds / 1000)
        return table.withLock { table in
            if table.counts.count >= maxKeys, table.counts[key] == nil { clean(&table, now) }
            var count = table.counts[key] ?? Count(at: now)
            var age = count.age(at: now)
            // A clock that went back begins both again.
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

    /// Drops what no longer counts, at most once a second since it looks at every key. A session under its limit may be
    /// forgotten early where there are too many; one at its limit is not (ABU-10).
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
