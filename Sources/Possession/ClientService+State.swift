/// What a surface reads of a session outside the calls that change it.
extension ClientService {
    /// The session as it stands now: what a long poll looks at again, its proof being used up already.
    /// - Throws: `.unknownSession`, `.overloaded`, `.internalFault`.
    package func look(at authID: AuthID) async throws(Fault) -> Session {
        let found: Session?
        let tenant: Tenant?
        do {
            found = try await engine.sessions.session(.auth(authID))
            tenant = if let found { try await engine.tenants.tenant(found.clientID) } else { nil }
        } catch { throw Fault(error) }
        // A tenant that was revoked meanwhile ends the waits of its clients as well (TOK-10).
        guard let found, let tenant, tenant.revokedAt == nil else { throw .unknownSession }
        do { return try await engine.settled(found, at: engine.now()) } catch { throw Fault(error) }
    }

    /// What the session's tenant has been allowed: its web origins.
    /// - Throws: `.unknownSession`, `.overloaded`, `.internalFault`.
    package func tenantRules(of authID: AuthID) async throws(Fault) -> TenantRules {
        do {
            guard let session = try await engine.sessions.session(.auth(authID)),
                let tenant = try await engine.tenants.tenant(session.clientID)
            else { throw Fault.unknownSession }
            return tenant.rules
        } catch let fault as Fault {
            throw fault
        } catch {
            throw Fault(error)
        }
    }
}
