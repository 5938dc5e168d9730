internal import Locks
internal import Possession
internal import Records

/// One number or address whose data is to be erased, at one tenant or at all tenants.
struct ErasureOrder: Sendable {
    let target: Target
    /// `nil`: every tenant.
    let client: ClientID?
    /// Events that report the end of an identity.
    var events: [NewWebhookEvent] = []

    func covers(_ client: ClientID) -> Bool { self.client == nil || self.client == client }
}

/// An order of another server, as it is stored.
struct StoredErasureOrder: Sendable, Equatable {
    /// In table `servers`.
    let server: Int64
    /// Counted by that server.
    let number: Int64
    /// The blind index of the number or address.
    let targetIndex: [UInt8]
    /// `nil`: every tenant.
    let client: ClientID?

    func covers(_ client: ClientID) -> Bool { self.client == nil || self.client == client }
}

/// The numbers and addresses that are being erased. A change of a session with one of them is not stored: a request in
/// progress must not bring back data that the erasure has already passed (DAT-10).
///
/// Changes check this in their transaction. There is almost never an order, and the check costs an uncontended lock.
final class NumbersBeingErased: Sendable {
    private struct Orders: Sendable {
        /// The orders of this server.
        var own: [ErasureOrder] = []
        var ofOthers: [StoredErasureOrder] = []

        var isEmpty: Bool { own.isEmpty && ofOthers.isEmpty }
    }

    private let orders = Locked(Orders())

    func begin(_ orders: [ErasureOrder]) { self.orders.withLock { $0.own = orders } }
    func end() { orders.withLock { $0.own = [] } }

    /// Orders of other servers that are known.
    var ordersOfOthers: [StoredErasureOrder] { orders.withLock(\.ofOthers) }

    func replaceOrdersOfOthers(_ others: [StoredErasureOrder]) { orders.withLock { $0.ofOthers = others } }

    func forget(_ ended: [StoredErasureOrder]) {
        orders.withLock { $0.ofOthers.removeAll { ended.contains($0) } }
    }

    /// Whether a change affects one of them, by the session before or after the change.
    func covers(_ session: Session, becoming changed: Session, _ sealing: Sealing) -> Bool {
        let known = orders.withLock { orders -> Orders? in orders.isEmpty ? nil : orders }
        guard let known else { return false }
        let targets = session.targets + changed.targets
        if known.own.contains(where: { $0.covers(session.clientID) && targets.contains($0.target) }) { return true }
        let others = known.ofOthers.filter { $0.covers(session.clientID) }
        guard !others.isEmpty else { return false }
        let indexes = targets.map { sealing.blindIndex($0) }
        return others.contains { indexes.contains($0.targetIndex) }
    }
}
