internal import Locks
internal import Possession

/// One number or address whose data is to go, at one tenant or at all.
struct ErasureOrder: Sendable {
    let target: Target
    /// `nil`: every tenant.
    let client: ClientID?
    /// Events that tell of the end of an identity.
    var events: [NewWebhookEvent] = []

    func covers(_ client: ClientID) -> Bool { self.client == nil || self.client == client }
}

/// The numbers and addresses whose erasure is under way. A change of a session that has one of them is not stored: what
/// an erasure has already passed must not come back by a request that was in flight (DAT-10).
///
/// Changes ask from the writer's queue. Nearly always there is no order, and asking costs an uncontended lock.
final class NumbersBeingErased: Sendable {
    private let orders = Locked<[ErasureOrder]>([])

    func begin(_ orders: [ErasureOrder]) { self.orders.withLock { $0 = orders } }
    func end() { orders.withLock { $0 = [] } }

    /// Whether a change touches one of them: by what the session was, or by what it is to be.
    func covers(_ session: Session, becoming changed: Session) -> Bool {
        orders.withLock { orders in
            if orders.isEmpty { return false }
            let targets = session.targets + changed.targets
            return orders.contains { $0.covers(session.clientID) && targets.contains($0.target) }
        }
    }
}
