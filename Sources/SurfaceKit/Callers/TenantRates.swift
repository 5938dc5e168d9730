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
        var strangers = StrangerShares()
    }

    private let limit: LimitName
    private let calls: Int64
    /// In milliseconds.
    private let period: Int64
    private let buckets = Locked<[ClientID: Bucket]>([:])

    /// - Parameter perSecond: of those that have no other rate of their own; 0: any number.
    /// - Precondition: `perSecond` is 0 to 1,000,000.
    package convenience init(perSecond: Int) {
        self.init(.tenantRate, calls: perSecond, in: .seconds(1))
    }

    /// - Parameter limit: what a call that is too many is told.
    /// - Precondition: `calls` is 0 to 1,000,000, 0 for any number; the period is a second to a day.
    package init(_ limit: LimitName, calls: Int, in period: Duration) {
        precondition((0...1_000_000).contains(calls), "a rate out of range")
        precondition((Duration.seconds(1)...Duration.seconds(86_400)).contains(period), "a period out of range")
        self.limit = limit
        self.calls = Int64(calls)
        self.period = period.wholeMilliseconds
    }

    /// Takes one call, and counts the hit of one that is too many.
    package func takeOne(
        of tenant: ClientID, by caller: RateCaller = .tenant, _ engine: Engine, at now: Timestamp
    ) throws(LimitHit) {
        guard let seconds = admit(tenant, own: ownCalls(of: tenant, engine), by: caller, at: now) else { return }
        engine.noteLimit(limit, nil)
        throw LimitHit(limit, retryAfterSeconds: seconds)
    }

    /// Whether it can refuse a call of any tenant.
    package func mayRefuse(_ engine: Engine) -> Bool {
        calls > 0 || limit == .tenantRate && !engine.rules.limits.own.isEmpty
    }

    private func ownCalls(of tenant: ClientID, _ engine: Engine) -> Int? {
        limit == .tenantRate ? engine.rules.limits.own[tenant]?.requestsPerSecond : nil
    }

    /// Takes one call; `nil` when it passes, else the whole seconds after which the next one does.
    /// - Parameter own: calls in a period of this tenant, where it has a rate of its own.
    package func admit(
        _ tenant: ClientID, own: Int? = nil, by caller: RateCaller = .tenant, at now: Timestamp
    ) -> Int? {
        let (calls, period) = (own.map { Int64($0) } ?? calls, period)
        guard calls > 0 else { return nil }
        return buckets.withLock { buckets in
            var bucket = buckets[tenant] ?? Bucket(credit: calls * period, at: now)
            // Each millisecond gives as many as calls pass in a period. A clock that went back gives nothing; by more than
            // a second, it was set, and counts from where it is.
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

    /// Gives a call back that was taken, as it did nothing.
    package func giveBack(_ tenant: ClientID) {
        buckets.withLock { buckets in
            guard let bucket = buckets[tenant] else { return }
            buckets[tenant]?.credit = min(calls * period, bucket.credit + period)
        }
    }
}
