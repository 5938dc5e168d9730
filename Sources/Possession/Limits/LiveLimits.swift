internal import Locks

/// The current limits. An operator can change them while the server runs.
package final class LiveLimits: Sendable {
    private let current: Locked<Limits>

    package init(_ limits: Limits) { current = Locked(limits) }

    package convenience init(_ overSessions: Limits.OverSessions) {
        var limits = Limits()
        limits.overSessions = overSessions
        self.init(limits)
    }

    package var limits: Limits { current.withLock { $0 } }

    package func replace(with limits: Limits) { current.withLock { $0 = limits } }
}

extension Limits {
    /// When a tally can be deleted, by the limits of the client it belongs to.
    package func end(of tally: LimitTally, under key: LimitKey) -> Timestamp {
        if !own.isEmpty, let tenant = key.tenant, let over = overSessions(of: tenant) {
            return tally.end(of: key, by: over)
        }
        return tally.end(of: key, by: overSessions ?? OverSessions())
    }
}
