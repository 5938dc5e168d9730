internal import Locks
internal import Text

/// Counts connections, altogether and by client address, against the limits (HTTP-33).
final class Admission: Sendable {
    private struct Counts {
        var total = 0
        var byAddress: [IPAddress: Int] = [:]
        var accepted = 0
        var refused = 0
    }

    private let maxConnections: Int
    private let maxPerAddress: Int
    private let counts = Locked(Counts())

    init(_ limits: Limits) {
        maxConnections = limits.maxConnections
        maxPerAddress = limits.maxConnectionsPerAddress
    }

    /// True, and counted, when there is room for one more. The local socket is never refused: operators must get in.
    func admit(_ peer: PeerAddress) -> Bool {
        counts.withLock { counts in
            let ofAddress = peer.limitKey.map { counts.byAddress[$0, default: 0] } ?? 0
            guard peer.isLocalSocket || counts.total < maxConnections && ofAddress < maxPerAddress else {
                counts.refused += 1
                return false
            }
            counts.total += 1
            counts.accepted += 1
            if let key = peer.limitKey { counts.byAddress[key] = ofAddress + 1 }
            return true
        }
    }

    func release(_ peer: PeerAddress) {
        counts.withLock { counts in
            counts.total -= 1
            guard let key = peer.limitKey, let ofAddress = counts.byAddress[key] else { return }
            counts.byAddress[key] = ofAddress > 1 ? ofAddress - 1 : nil
        }
    }

    /// A connection that could not be taken for want of a descriptor.
    func noteRefused() {
        counts.withLock { $0.refused += 1 }
    }

    var figures: (open: Int, accepted: Int, refused: Int) {
        counts.withLock { ($0.total, $0.accepted, $0.refused) }
    }
}
