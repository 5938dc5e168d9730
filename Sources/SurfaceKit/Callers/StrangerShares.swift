internal import Possession
package import Text

/// The kind of caller that a call counts for in a tenant's rate.
package enum RateCaller: Sendable {
    /// The tenant itself, by its credentials.
    case tenant
    /// A caller without the tenant's credentials.
    /// - Parameters:
    ///   - network: `IPAddress.network`; `nil` if it is unknown. Such callers count as one network.
    ///   - isUnderWay: the call belongs to an existing session.
    case stranger(network: IPAddress?, isUnderWay: Bool)
}

/// The calls that each network has made as a stranger to one tenant, and how much of the tenant's bucket each call must
/// leave for others.
///
/// The IDs that strangers use are not secret, so a stranger must not block the tenant or other strangers:
///
/// - Strangers leave half of the bucket to the tenant.
/// - Calls that begin something leave a quarter of the other half to existing sessions.
/// - A network leaves half as many calls as it made in the last period. A busy network is therefore refused before a
///   quiet one: of `n` networks that take all they can, each gets an equal part, and a new one still gets a call
///   through.
///
/// Only allowed calls are recorded, so the table has at most as many entries as calls are allowed in a few periods.
struct StrangerShares: Sendable {
    /// The calls of the last period; older calls count less and less.
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

    /// The credit that a call must leave, in milliseconds of the period for each call.
    func left(to caller: RateCaller, calls: Int64, _ period: Int64, at now: Timestamp) -> Int64 {
        guard case .stranger(let network, let isUnderWay) = caller else { return 0 }
        let ofTenant = calls / 2
        let ofSessions = isUnderWay ? 0 : (calls - ofTenant) / 4
        let ofOthers = Double(period) * (uses[network]?.faded(period, at: now) ?? 0) / 2
        return (ofTenant + ofSessions) * period + Int64(ofOthers)
    }

    /// Records an allowed call.
    mutating func note(_ caller: RateCaller, calls: Int64, _ period: Int64, at now: Timestamp) {
        guard case .stranger(let network, _) = caller else { return }
        if uses.count > 64 + 2 * Int(calls) {
            uses = uses.filter { $0.value.faded(period, at: now) > 0.01 }
        }
        uses[network] = Use(calls: 1 + (uses[network]?.faded(period, at: now) ?? 0), at: now)
    }
}
