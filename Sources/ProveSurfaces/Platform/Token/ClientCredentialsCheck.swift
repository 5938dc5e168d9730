internal import Possession
internal import SurfaceKit

/// Checks a tenant's credentials. A client id that does not exist costs the same work as a wrong secret, so that the
/// time of an answer does not tell which ids exist.
struct ClientCredentialsCheck: Sendable {
    let engine: Engine
    /// Compared with where there is nothing to compare: no digest of a secret is all zeros.
    private let decoy = SecretDigest([UInt8](repeating: 0, count: 32))
    private let nobody: ClientID

    init(engine: Engine) {
        self.engine = engine
        guard let nobody = ClientID("nobody") else { preconditionFailure("a constant client id is well-formed") }
        self.nobody = nobody
    }

    /// The tenant whose credentials these are; `nil` when there is none, the secret is wrong, or it has been revoked.
    /// - Throws: `.overloaded`, `.internalFault`.
    func tenant(named name: String, secret: String) async throws(PlatformError) -> Tenant? {
        let id = ClientID(name)
        let found: Tenant?
        do { found = try await engine.tenants.tenant(id ?? nobody) } catch { throw PlatformError(error) }
        let digest = engine.keyed.secret(secret, id ?? nobody)
        var matches = false
        // Two digests are looked at, whatever the tenant has and whichever matches.
        let digests = found?.validSecretDigests(at: engine.now()) ?? []
        for index in 0..<max(2, digests.count) {
            let isMatch = digest.matches(digests.dropFirst(index).first ?? decoy)
            matches = matches || isMatch
        }
        guard matches, id != nil, let tenant = found, tenant.revokedAt == nil else { return nil }
        return tenant
    }
}
