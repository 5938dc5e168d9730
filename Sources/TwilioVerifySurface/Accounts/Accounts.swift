internal import Locks
internal import Possession
internal import Text

/// Finds the API client of an Account SID. A SID is a digest of the client's id, so all clients are read to find one; they
/// are few, and what was read is kept.
final class Accounts: Sendable {
    private struct Known {
        /// By the bytes of the account's SID.
        var clients: [[UInt8]: ClientID] = [:]
        var readAt: Timestamp?
    }

    /// Unknown SIDs cause at most one read of all clients in this time. So a new client's SID is taken after it at the
    /// latest; its plain id is taken at once.
    private static let restBetweenReads: Duration = .seconds(1)

    private let tenants: any TenantStore
    private let sha256: @Sendable ([UInt8]) -> [UInt8]
    private let systemNow: Now
    private let known = Locked(Known())

    /// - Parameter systemNow: the machine's clock.
    init(tenants: any TenantStore, sha256: @escaping @Sendable ([UInt8]) -> [UInt8], systemNow: @escaping Now) {
        self.tenants = tenants
        self.sha256 = sha256
        self.systemNow = systemNow
    }

    func sids(of client: ClientID) -> AccountSIDs { AccountSIDs(of: client, sha256: sha256) }

    /// The client id that a user name stands for: itself, or the client with this Account SID. `SK` with the digits of the
    /// account is taken for the account: an API client has no keys of its own kind.
    /// - Returns: the name as it is where no client has that SID.
    func clientName(of name: String) async throws(StorageFault) -> String {
        guard let sid = SID(name, of: .account) ?? SID(name, of: .key) else { return name }
        if let id = ClientID(name), try await tenants.tenant(id) != nil { return name }
        if let found = known.withLock({ $0.clients[sid.bytes] }) { return found.text }
        guard mayRead() else { return name }
        var clients: [[UInt8]: ClientID] = [:]
        for tenant in try await tenants.tenants() { clients[sids(of: tenant.id).account.bytes] = tenant.id }
        known.withLock { [clients] in $0.clients = clients }
        return clients[sid.bytes]?.text ?? name
    }

    /// Whether the last read of all clients is long enough ago. A clock that was set back is no reason to wait.
    private func mayRead() -> Bool {
        let now = systemNow()
        return known.withLock { known in
            if let readAt = known.readAt, now >= readAt, now < readAt.adding(Self.restBetweenReads) { return false }
            known.readAt = now
            return true
        }
    }
}
