internal import Engine
internal import Possession

/// Checks a tenant's credentials. An unknown client id costs the same work as a wrong secret, so the response time does
/// not show which ids exist.
struct ClientCredentialsCheck: Sendable {
    let engine: Engine
    /// Compared if there is no digest to compare. No digest of a secret is all zeros.
    private let decoy = SecretDigest([UInt8](repeating: 0, count: 32))
    private let nobody: ClientID

    init(engine: Engine) {
        self.engine = engine
        guard let nobody = ClientID("nobody") else { preconditionFailure("a constant client id is well-formed") }
        self.nobody = nobody
    }

    /// The tenant of these credentials; `nil`: there is no such tenant, the secret is wrong, or the tenant is revoked.
    /// - Throws: `.overloaded`, `.failed`.
    func tenant(named name: String, secret: String) async throws(EngineFault) -> Tenant? {
        let id = ClientID(name)
        let found = try await engine.tenant(id ?? nobody)
        let digest = engine.crypto.keyed.secret(secret, id ?? nobody)
        return id == nil ? nil : holder(found) { digest.matches($0) }
    }

    /// The tenant for whose hook secret `holds` is true. During a change of the secret, the previous one also counts.
    /// - Throws: `.overloaded`, `.failed`.
    func tenant(
        named name: String, whoseHookSecret holds: (_ secret: [UInt8]) -> Bool
    ) async throws(EngineFault) -> Tenant? {
        let id = ClientID(name)
        let found = try await engine.tenant(id ?? nobody)
        return id == nil ? nil : holder(found) { holds(engine.crypto.keyed.hook($0, id ?? nobody)) }
    }

    /// The tenant for whose keys `hasSigned` is true.
    /// - Throws: `.overloaded`, `.failed`.
    func tenant(
        named name: String, oneOfWhoseKeys hasSigned: (_ keys: [PublicKey]) -> Bool
    ) async throws(EngineFault) -> Tenant? {
        let id = ClientID(name)
        let found = try await engine.tenant(id ?? nobody)
        guard let tenant = found, id != nil, tenant.revokedAt == nil, hasSigned(tenant.rules.publicKeys) else {
            return nil
        }
        return tenant
    }

    /// The tenant, if one of its secrets matches. At least two digests are always compared, so the time taken shows
    /// neither how many there are nor which one matches.
    private func holder(_ found: Tenant?, _ matches: (SecretDigest) -> Bool) -> Tenant? {
        let digests = found?.validSecretDigests(at: engine.now()) ?? []
        var isRight = false
        for index in 0..<max(2, digests.count) {
            let isMatch = matches(digests.dropFirst(index).first ?? decoy)
            isRight = isRight || isMatch && index < digests.count
        }
        guard isRight, let tenant = found, tenant.revokedAt == nil else { return nil }
        return tenant
    }
}
