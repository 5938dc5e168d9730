internal import Locks
internal import Text

/// Counts connections, in total and by client address, against the limits (HTTP-33).
///
/// If addresses are limited, so are their networks (`IPAddress.network`): a network may have as many connections as are
/// still free. If `n` networks take all they can, each gets an equal part, and a new network still finds a place.
final class Admission: Sendable {
    enum Place {
        case ordinary
        /// Beyond the limit of connections: for one request to a route that is always answered.
        case reserved
    }

    private struct Counts {
        /// Includes the reserved ones.
        var total = 0
        var reserved = 0
        var byAddress: [IPAddress: Int] = [:]
        var byNetwork: [IPAddress: Int] = [:]
        var accepted = 0
        var refused = Statistics.Refused()

        mutating func add(_ key: IPAddress?) {
            guard let key else { return }
            byAddress[key, default: 0] += 1
            byNetwork[key.network, default: 0] += 1
        }

        mutating func drop(_ key: IPAddress?) {
            guard let key, let ofAddress = byAddress[key] else { return }
            byAddress[key] = ofAddress > 1 ? ofAddress - 1 : nil
            let ofNetwork = byNetwork[key.network, default: 0]
            byNetwork[key.network] = ofNetwork > 1 ? ofNetwork - 1 : nil
        }
    }

    private let maxConnections: Int
    private let maxPerAddress: Int
    private let maxReserved: Int
    let isExempt: @Sendable (PeerAddress) -> Bool
    private let counts = Locked(Counts())

    /// - Parameter isExempt: peers that are not counted by address.
    init(_ limits: Limits, isExempt: @escaping @Sendable (PeerAddress) -> Bool = { _ in false }) {
        self.isExempt = isExempt
        maxConnections = limits.maxConnections
        maxPerAddress = limits.maxConnectionsPerAddress
        maxReserved = limits.reservedConnections
    }

    /// Counts one more connection and returns its place; `nil` when there is no room. The local socket is never
    /// refused: operators must get in.
    func admit(_ peer: PeerAddress) -> Place? {
        let key = key(of: peer)
        return counts.withLock { counts in
            var place = Place.ordinary
            if !peer.isLocalSocket {
                if !hasRoom(key, counts) {
                    counts.refused.overAddress += 1
                    return nil
                }
                if counts.total - counts.reserved >= maxConnections {
                    guard counts.reserved < maxReserved else {
                        counts.refused.overAll += 1
                        return nil
                    }
                    place = .reserved
                    counts.reserved += 1
                }
            }
            counts.total += 1
            counts.accepted += 1
            counts.add(key)
            return place
        }
    }

    /// Counts a proxy's connection as its client's, when the client is known.
    /// - Returns: `false`: the client has reached its limit. The connection still counts as the proxy's.
    func move(from proxy: PeerAddress, to client: PeerAddress) -> Bool {
        let (old, new) = (key(of: proxy), key(of: client))
        guard old != new else { return true }
        return counts.withLock { counts in
            guard hasRoom(new, counts) else {
                counts.refused.overAddress += 1
                return false
            }
            counts.add(new)
            counts.drop(old)
            return true
        }
    }

    /// Counts a proxy connection that did not begin with the PROXY protocol header.
    func noteWithoutHeader() {
        counts.withLock { $0.refused.withoutProxyHeader += 1 }
    }

    /// Counts a request on a reserved connection for a route that is not always answered.
    func noteRefusedOnReserve() {
        counts.withLock { $0.refused.overAll += 1 }
    }

    func release(_ peer: PeerAddress, _ place: Place) {
        let key = key(of: peer)
        counts.withLock { counts in
            counts.total -= 1
            if place == .reserved { counts.reserved -= 1 }
            counts.drop(key)
        }
    }

    /// Whether the address and its network may have one more connection.
    private func hasRoom(_ key: IPAddress?, _ counts: Counts) -> Bool {
        guard let key else { return true }
        if counts.byAddress[key, default: 0] >= maxPerAddress { return false }
        guard maxPerAddress < maxConnections else { return true }
        let free = maxConnections - (counts.total - counts.reserved)
        // If no place is free, the reserve decides.
        return free <= 0 || counts.byNetwork[key.network, default: 0] < free
    }

    /// The address that connections of the peer are counted by; `nil`: only their number is counted.
    private func key(of peer: PeerAddress) -> IPAddress? {
        isExempt(peer) ? nil : peer.limitKey
    }

    /// Counts a connection that was refused because no descriptor was free.
    func noteRefused() {
        counts.withLock { $0.refused.withoutDescriptor += 1 }
    }

    var figures: (open: Int, accepted: Int, refused: Statistics.Refused) {
        counts.withLock { ($0.total, $0.accepted, $0.refused) }
    }
}
