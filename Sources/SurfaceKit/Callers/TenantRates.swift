internal import Locks
internal import HTTPServer
package import Engine
package import Possession

/// Limits the calls of each tenant in a second, or in another period (ABU-01): a token bucket that holds one period's
/// worth, so that in `t` periods at most `calls * (t + 1)` are allowed. There is one bucket for each existing tenant,
/// so the memory is bounded.
///
/// Each server has buckets of its own, and allows its share of the calls.
package final class TenantRates: Sendable {
    private struct Bucket {
        /// A call costs as much credit as the period has milliseconds.
        var credit: Int64
        var at: Timestamp
        var strangers = StrangerShares()
    }

    private let limit: LimitName
    private let calls: Int64
    /// Milliseconds.
    private let period: Int64
    private let buckets = Locked<[ClientID: Bucket]>([:])

    /// - Parameter perSecond: for tenants without their own rate; 0: no limit.
    /// - Precondition: `perSecond` is 0 to 1,000,000.
    package convenience init(perSecond: Int) {
        self.init(.tenantRate, calls: perSecond, in: .seconds(1))
    }

    /// - Parameter limit: the limit named in a refusal.
    /// - Precondition: `calls` is 0 to 1,000,000, 0 for no limit; the period is a second to a day.
    package init(_ limit: LimitName, calls: Int, in period: Duration) {
        precondition((0...1_000_000).contains(calls), "a rate out of range")
        precondition((Duration.seconds(1)...Duration.seconds(86_400)).contains(period), "a period out of range")
        self.limit = limit
        self.calls = Int64(calls)
        self.period = period.wholeMilliseconds
    }

    /// Counts one call, and records a hit if it is over the limit.
    package func takeOne(
        of tenant: ClientID, by caller: RateCaller = .tenant, _ engine: Engine, at now: Timestamp
    ) throws(LimitHit) {
        let calls = engine.share(of: ownCalls(of: tenant, engine) ?? Int(self.calls))
        guard let seconds = admit(tenant, calls: calls, by: caller, at: now) else { return }
        engine.reports.recordLimit(limit, nil)
        throw LimitHit(limit, retryAfterSeconds: seconds)
    }

    /// Whether it can refuse a call of any tenant.
    package func mayRefuse(_ engine: Engine) -> Bool {
        calls > 0 || limit == .tenantRate && !engine.rules.limits.own.isEmpty
    }

    private func ownCalls(of tenant: ClientID, _ engine: Engine) -> Int? {
        limit == .tenantRate ? engine.rules.limits.own[tenant]?.requestsPerSecond : nil
    }

    /// Counts one call; `nil` when it is allowed, otherwise the whole seconds until the next one is.
    /// - Parameter own: calls per period that this server allows the tenant; `nil`: all of the limit.
    package func admit(
        _ tenant: ClientID, calls own: Int? = nil, by caller: RateCaller = .tenant, at now: Timestamp
    ) -> Int? {
        let (calls, period) = (own.map { Int64($0) } ?? calls, period)
        guard calls > 0 else { return nil }
        return buckets.withLock { buckets in
            var bucket = buckets[tenant] ?? Bucket(credit: calls * period, at: now)
            // Each millisecond adds as much credit as calls are allowed in a period. A clock that went back adds
            // nothing; if it went back by more than a second, it was set, and counting continues from its new time.
            let elapsed = now.milliseconds - bucket.at.milliseconds
            bucket.credit = min(calls * period, bucket.credit + min(period, max(0, elapsed)) * calls)
            if elapsed > 0 || elapsed < -1000 { bucket.at = now }
            let needed = period + bucket.strangers.left(to: caller, calls: calls, period, at: now)
            var wait: Int?
            if bucket.credit >= needed {
                bucket.credit -= period
                bucket.strangers.note(caller, calls: calls, period, at: now)
            } else {
                wait = Int((needed - bucket.credit + calls * 1000 - 1) / (calls * 1000))
            }
            buckets[tenant] = bucket
            return wait
        }
    }

    /// Returns a counted call that had no effect.
    package func giveBack(_ tenant: ClientID) {
        buckets.withLock { buckets in
            guard let bucket = buckets[tenant] else { return }
            buckets[tenant]?.credit = min(calls * period, bucket.credit + period)
        }
    }
}
