internal import Locks
internal import Engine
internal import Possession
internal import Text

/// Finds the API client of an Account SID. The SID is a digest of the client's id, so finding one means reading all
/// clients. They are few, and the result is cached.
final class Accounts: Sendable {
    private struct Known {
        /// The clients by the bytes of their account's SID.
        var clients: [[UInt8]: ClientID] = [:]
        var readAt: Timestamp?
    }

    /// Unknown SIDs cause at most one read of all clients in this time. So a new client's SID may be refused for this
    /// long; its plain id works at once.
    private static let restBetweenReads: Duration = .seconds(1)

    private let engine: Engine
    private let sha256: @Sendable ([UInt8]) -> [UInt8]
    private let systemNow: Now
    private let known = Locked(Known())

    /// - Parameter systemNow: the machine's clock.
    init(_ engine: Engine, sha256: @escaping @Sendable ([UInt8]) -> [UInt8], systemNow: @escaping Now) {
        self.engine = engine
        self.sha256 = sha256
        self.systemNow = systemNow
    }

    func sids(of client: ClientID) -> AccountSIDs { AccountSIDs(of: client, sha256: sha256) }

    /// The client id of a user name: the name itself, or the client with this Account SID. `SK` with the account's
    /// digits is read as the account, because an API client has no Twilio API keys.
    /// - Returns: the name unchanged if no client has that SID.
    func clientName(of name: String) async throws(EngineFault) -> String {
        guard let sid = SID(name, of: .account) ?? SID(name, of: .key) else { return name }
        if let id = ClientID(name), try await engine.tenant(id) != nil { return name }
        if let found = known.withLock({ $0.clients[sid.bytes] }) { return found.text }
        guard mayRead() else { return name }
        var clients: [[UInt8]: ClientID] = [:]
        for tenant in try await engine.tenants() { clients[sids(of: tenant.id).account.bytes] = tenant.id }
        known.withLock { [clients] in $0.clients = clients }
        return clients[sid.bytes]?.text ?? name
    }

    /// Whether enough time has passed since the last read of all clients. If the clock was set back, read at once.
    private func mayRead() -> Bool {
        let now = systemNow()
        return known.withLock { known in
            if let readAt = known.readAt, now >= readAt, now < readAt.adding(Self.restBetweenReads) { return false }
            known.readAt = now
            return true
        }
    }
}
