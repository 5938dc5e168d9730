internal import Locks
internal import Possession

/// One number or address whose data is to be erased, at one tenant or at all tenants.
struct ErasureOrder: Sendable {
    let target: Target
    /// `nil`: every tenant.
    let client: ClientID?
    /// Events that report the end of an identity.
    var events: [NewWebhookEvent] = []

    func covers(_ client: ClientID) -> Bool { self.client == nil || self.client == client }
}

/// The numbers and addresses that are being erased. A change of a session with one of them is not stored: a request in
/// progress must not bring back data that the erasure has already passed (DAT-10).
///
/// Changes check this on the writer's queue. There is almost never an order, and the check costs an uncontended lock.
final class NumbersBeingErased: Sendable {
    private let orders = Locked<[ErasureOrder]>([])

    func begin(_ orders: [ErasureOrder]) { self.orders.withLock { $0 = orders } }
    func end() { orders.withLock { $0 = [] } }

    /// Whether a change affects one of them, by the session before or after the change.
    func covers(_ session: Session, becoming changed: Session) -> Bool {
        orders.withLock { orders in
            if orders.isEmpty { return false }
            let targets = session.targets + changed.targets
            return orders.contains { $0.covers(session.clientID) && targets.contains($0.target) }
        }
    }
}
