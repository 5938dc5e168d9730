internal import Possession
internal import Locks

/// Networks that were refused in places closed to unknown people, counted by the hour. In such a place a known number
/// gets its message and an unknown one does not, so a caller could find out which numbers are known. After a few
/// refusals a network therefore gets neither. The table is in memory: a restart clears it, and no caller can cause a
/// restart. Each server has its own table, and its share of the refusals.
package final class ThrottledSources: Sendable {
    fileprivate struct Asker: Hashable {
        let tenant: ClientID
        let network: MessageSource
    }

    fileprivate struct Table {
        var hour: Int64 = 0
        var refused: [Asker: Int] = [:]
    }

    /// Refusals in an hour, at all servers, after which a server treats every number as unknown to the network's callers.
    static let most = 5
    /// Maximum networks that are counted. Further ones are not recorded until the next hour.
    static let mostNetworks = 20_000

    private let table = Locked(Table())

    package init() {}

    func note(_ source: MessageSource, of tenant: ClientID, at now: Timestamp) {
        guard let network = source.network else { return }
        let asker = Asker(tenant: tenant, network: MessageSource(network))
        table.withLock { table in
            table.begin(now)
            guard table.refused[asker] != nil || table.refused.count < Self.mostNetworks else { return }
            table.refused[asker, default: 0] += 1
        }
    }

    /// - Parameter servers: how many count refusals.
    func isThrottled(
        _ source: MessageSource, of tenant: ClientID, among servers: Int, at now: Timestamp
    ) -> Bool {
        guard let network = source.network else { return false }
        let asker = Asker(tenant: tenant, network: MessageSource(network))
        return table.withLock { table in
            table.begin(now)
            return table.refused[asker] ?? 0 >= Self.most.share(among: servers)
        }
    }
}

extension ThrottledSources.Table {
    fileprivate mutating func begin(_ now: Timestamp) {
        let hour = now.milliseconds / 3_600_000
        guard hour != self.hour else { return }
        self.hour = hour
        refused = [:]
    }
}
