internal import Locks
internal import Possession

/// Counts looks at one session: 60 a minute and 180 an hour (ABU-08). A backend and a client of the same session do not
/// count for each other.
///
/// Kept in memory: no message and no guess is at stake. Only known sessions are counted, and only while somebody looks
/// at them; past `maxKeys` (some 100 bytes each) those whose hour is over go.
final class SessionPolls: Sendable {
    private static let minute = (milliseconds: Int64(60_000), most: 60)
    private static let hour = (milliseconds: Int64(3_600_000), most: 180)

    /// How many looks in the minute and the hour that began with the first look.
    private struct Count {
        var minuteStart: Timestamp
        var hourStart: Timestamp
        var inMinute = 0
        var inHour = 0
    }

    private struct Table {
        var counts: [SessionKey: Count] = [:]
        var nextCleaning = Timestamp(milliseconds: .min)
    }

    private let maxKeys: Int
    private let table = Locked(Table())

    init(maxKeys: Int = 500_000) {
        self.maxKeys = maxKeys
    }

    /// Takes one look; the hit when it is one too many.
    func take(_ session: SessionKey, at now: Timestamp) -> LimitHit? {
        table.withLock { table in
            if table.counts.count >= maxKeys, table.counts[session] == nil { clean(&table, now) }
            var count = table.counts[session] ?? Count(minuteStart: now, hourStart: now)
            // A clock that went back begins both again.
            let age = now.milliseconds - count.hourStart.milliseconds
            if age >= Self.hour.milliseconds || age < 0 { count = Count(minuteStart: now, hourStart: now) }
            if now.milliseconds - count.minuteStart.milliseconds >= Self.minute.milliseconds {
                (count.minuteStart, count.inMinute) = (now, 0)
            }
            if count.inHour >= Self.hour.most { return hit(count.hourStart, Self.hour.milliseconds, now) }
            if count.inMinute >= Self.minute.most { return hit(count.minuteStart, Self.minute.milliseconds, now) }
            count.inHour += 1
            count.inMinute += 1
            table.counts[session] = count
            return nil
        }
    }

    private func hit(_ start: Timestamp, _ length: Int64, _ now: Timestamp) -> LimitHit {
        LimitHit(.polls, retryAfterSeconds: Int((start.milliseconds + length - now.milliseconds + 999) / 1000))
    }

    /// Drops what no longer counts, at most once a second since it looks at every key. A session under its limit may be
    /// forgotten early where there are too many; one at its limit is not (ABU-10).
    private func clean(_ table: inout Table, _ now: Timestamp) {
        guard now >= table.nextCleaning else { return }
        table.nextCleaning = now.adding(.seconds(1))
        table.counts = table.counts.filter {
            now.milliseconds - $0.value.hourStart.milliseconds < Self.hour.milliseconds
        }
        guard table.counts.count >= maxKeys else { return }
        table.counts = table.counts.filter {
            $0.value.inHour >= Self.hour.most || $0.value.inMinute >= Self.minute.most
        }
    }
}
