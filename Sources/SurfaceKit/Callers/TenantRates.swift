internal import Locks
internal import HTTPServer
package import Possession

/// Calls of each tenant in a second, or in another period (ABU-01): a token bucket that holds one period's worth, so that in
/// `t` periods at most `calls * (t + 1)` pass. One bucket a tenant that exists, so its memory is bounded.
package final class TenantRates: Sendable {
    private struct Bucket {
        /// A call costs as many as the period has milliseconds.
        var credit: Int64
        var at: Timestamp
    }

    private let limit: LimitName
    private let calls: Int64
    /// In milliseconds.
    private let period: Int64
    private let buckets = Locked<[ClientID: Bucket]>([:])

    /// - Precondition: `perSecond` is 1 to 1,000,000.
    package convenience init(perSecond: Int) {
        self.init(.tenantRate, calls: perSecond, in: .seconds(1))
    }

    /// - Parameter limit: what a call that is too many is told.
    /// - Precondition: `calls` is 1 to 1,000,000; the period is a second to a day.
    package init(_ limit: LimitName, calls: Int, in period: Duration) {
        precondition((1...1_000_000).contains(calls), "a rate out of range")
        precondition((Duration.seconds(1)...Duration.seconds(86_400)).contains(period), "a period out of range")
        self.limit = limit
        self.calls = Int64(calls)
        self.period = period.wholeMilliseconds
    }

    /// Takes one call, and counts the hit of one that is too many.
    package func takeOne(of tenant: ClientID, _ engine: Engine, at now: Timestamp) throws(LimitHit) {
        guard let seconds = admit(tenant, at: now) else { return }
        engine.noteLimit(limit, nil)
        throw LimitHit(limit, retryAfterSeconds: seconds)
    }

    /// Takes one call; `nil` when it passes, else the whole seconds after which the next one does.
    package func admit(_ tenant: ClientID, at now: Timestamp) -> Int? {
        let (calls, period) = (calls, period)
        return buckets.withLock { buckets in
            var bucket = buckets[tenant] ?? Bucket(credit: calls * period, at: now)
            // Each millisecond gives as many as calls pass in a period. A clock that went back gives nothing; by more than
            // a second, it was set, and counts from where it is.
            let elapsed = now.milliseconds - bucket.at.milliseconds
            bucket.credit = min(calls * period, bucket.credit + min(period, max(0, elapsed)) * calls)
            if elapsed > 0 || elapsed < -1000 { bucket.at = now }
            var wait: Int?
            if bucket.credit >= period {
                bucket.credit -= period
            } else {
                wait = Int((period - bucket.credit + calls * 1000 - 1) / (calls * 1000))
            }
            buckets[tenant] = bucket
            return wait
        }
    }

    /// Gives a call back that was taken, as it did nothing.
    package func giveBack(_ tenant: ClientID) {
        buckets.withLock { buckets in
            guard let bucket = buckets[tenant] else { return }
            buckets[tenant]?.credit = min(calls * period, bucket.credit + period)
        }
    }
}
