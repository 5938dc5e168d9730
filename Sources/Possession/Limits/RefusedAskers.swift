internal import Locks

/// Networks that were refused where strangers get no messages, for an hour. In a scarce prefix a known number gets its
/// message and an unknown one does not, so whoever may ask on and on finds out who is known: after a few refusals a network
/// gets none of both. In memory: a restart, which no caller can bring about, forgets it.
package final class RefusedAskers: Sendable {
    fileprivate struct Asker: Hashable {
        let tenant: ClientID
        let network: MessageSource
    }

    fileprivate struct Table {
        var hour: Int64 = 0
        var refused: [Asker: Int] = [:]
    }

    /// Refusals in an hour after which a network is refused unseen.
    static let most = 5
    /// Networks that are told apart. When there are more, no other one is refused unseen in that hour.
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

    func isRefusedUnseen(_ source: MessageSource, of tenant: ClientID, at now: Timestamp) -> Bool {
        guard let network = source.network else { return false }
        let asker = Asker(tenant: tenant, network: MessageSource(network))
        return table.withLock { table in
            table.begin(now)
            return table.refused[asker] ?? 0 >= Self.most
        }
    }
}

extension RefusedAskers.Table {
    fileprivate mutating func begin(_ now: Timestamp) {
        let hour = now.milliseconds / 3_600_000
        guard hour != self.hour else { return }
        self.hour = hour
        refused = [:]
    }
}
