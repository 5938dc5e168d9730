internal import Possession
package import Text

/// The caller that a call counts for in the rate of a tenant.
package enum RateCaller: Sendable {
    /// The tenant itself, by its credentials.
    case tenant
    /// A caller without the tenant's credentials.
    /// - Parameters:
    ///   - network: `IPAddress.network`; `nil` where it is not known. Such callers count as one network.
    ///   - isUnderWay: the call belongs to a session that exists.
    case stranger(network: IPAddress?, isUnderWay: Bool)
}

/// The calls that each network has made as a stranger at one tenant, and how much of the tenant's bucket a call leaves to others.
///
/// The ids that strangers use are no secrets, so one stranger must keep neither the tenant nor other strangers from calling:
///
/// - strangers leave half of the bucket to the tenant;
/// - calls that begin something leave a quarter of the other half to sessions under way;
/// - a network leaves half as many calls as it made in the last period. A busy network finds the bucket empty before a
///   quiet one does: of `n` networks that take all they can, each gets an equal part, and a further one still gets in.
///
/// Only calls that pass are noted, so the table has no more entries than calls pass in a few periods.
struct StrangerShares: Sendable {
    /// The calls of the last period, older ones fading out.
    private struct Use {
        var calls: Double
        var at: Timestamp

        /// - Parameter period: in milliseconds.
        func faded(_ period: Int64, at now: Timestamp) -> Double {
            let elapsed = min(max(0, now.milliseconds - at.milliseconds), period)
            return calls * (1 - Double(elapsed) / Double(period))
        }
    }

    private var uses: [IPAddress?: Use] = [:]

    /// The number of networks in the table.
    var count: Int { uses.count }

    /// The credit that a call has to leave, in milliseconds of the period for each call.
    func left(to caller: RateCaller, calls: Int64, _ period: Int64, at now: Timestamp) -> Int64 {
        guard case .stranger(let network, let isUnderWay) = caller else { return 0 }
        let ofTenant = calls / 2
        let ofSessions = isUnderWay ? 0 : (calls - ofTenant) / 4
        let ofOthers = Double(period) * (uses[network]?.faded(period, at: now) ?? 0) / 2
        return (ofTenant + ofSessions) * period + Int64(ofOthers)
    }

    /// Notes a call that passed.
    mutating func note(_ caller: RateCaller, calls: Int64, _ period: Int64, at now: Timestamp) {
        guard case .stranger(let network, _) = caller else { return }
        if uses.count > 64 + 2 * Int(calls) {
            uses = uses.filter { $0.value.faded(period, at: now) > 0.01 }
        }
        uses[network] = Use(calls: 1 + (uses[network]?.faded(period, at: now) ?? 0), at: now)
    }
}
