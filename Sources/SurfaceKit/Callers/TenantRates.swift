internal import Locks
internal import HTTPServer
package import Possession

/// Requests per second of each tenant (ABU-01): a token bucket that holds one second's worth, so that in `t` seconds at
/// most `rate * (t + 1)` pass. One bucket a tenant that exists, so its memory is bounded.
package final class TenantRates: Sendable {
    private struct Bucket {
        /// In thousandths of a request.
        var credit: Int64
        var at: Timestamp
    }

    private let perSecond: Int64
    private let buckets = Locked<[ClientID: Bucket]>([:])

    /// - Precondition: `perSecond` is 1 to 1,000,000.
    package init(perSecond: Int) {
        precondition((1...1_000_000).contains(perSecond), "a rate out of range")
        self.perSecond = Int64(perSecond)
    }

    /// Takes one request, and counts the hit of one that is too many.
    package func takeOne(of tenant: ClientID, _ engine: Engine, at now: Timestamp) throws(LimitHit) {
        guard let seconds = admit(tenant, at: now) else { return }
        engine.noteLimit(.tenantRate, nil)
        throw LimitHit(.tenantRate, retryAfterSeconds: seconds)
    }

    /// Takes one request; `nil` when it passes, else the whole seconds after which the next one does.
    package func admit(_ tenant: ClientID, at now: Timestamp) -> Int? {
        let perSecond = perSecond
        return buckets.withLock { buckets in
            var bucket = buckets[tenant] ?? Bucket(credit: perSecond * 1000, at: now)
            // A thousandth of a request a millisecond and a unit of rate. A clock that went back gives nothing; by more
            // than a second, it was set, and counts from where it is.
            let elapsed = now.milliseconds - bucket.at.milliseconds
            bucket.credit = min(perSecond * 1000, bucket.credit + min(1000, max(0, elapsed)) * perSecond)
            if elapsed > 0 || elapsed < -1000 { bucket.at = now }
            var wait: Int?
            if bucket.credit >= 1000 {
                bucket.credit -= 1000
            } else {
                wait = Int((1000 - bucket.credit + perSecond * 1000 - 1) / (perSecond * 1000))
            }
            buckets[tenant] = bucket
            return wait
        }
    }
}
