package import HTTPServer
package import Possession
internal import Text

/// Checks an API client's id and secret, slowly for whoever guesses (API-05, TOK-12): failures are limited by address and by
/// client, and stand in the audit log.
///
/// A class, so that a call copies a reference and not the engine.
package final class ClientLogin: Sendable {
    package enum Refusal: Error, Sendable, Equatable {
        /// There is no such client, the secret is wrong, or the client has been revoked.
        case wrongCredentials
        /// The connection shows no certificate that names the API client.
        case certificateMissing
        /// Too many failures, or too many calls.
        case rateLimited(LimitHit)
        case overloaded
        case internalFault(String)

        init(_ fault: EngineFault) {
            switch fault {
            case .overloaded: self = .overloaded
            case .failed(let reason): self = .internalFault(reason)
            }
        }
    }

    private let check: ClientCredentialsCheck
    private let engine: Engine
    /// `nil` where failures are not limited (sandbox, contract section 8).
    private let failures: FailedTokenCalls?
    private let audit: FailedLogins
    private let addresses: ClientAddress
    private let certificates: ClientCertificates
    private let rates: TenantRates?
    private let systemNow: Now

    /// - Parameters:
    ///   - limitsFailures: whether failed calls are limited.
    ///   - rates: of the API clients; `nil`: they have none.
    ///   - systemNow: the machine's clock.
    package init(
        engine: Engine, limitsFailures: Bool, rates: TenantRates?, addresses: ClientAddress,
        certificates: ClientCertificates, systemNow: @escaping Now
    ) {
        check = ClientCredentialsCheck(engine: engine)
        self.engine = engine
        failures = limitsFailures ? FailedTokenCalls() : nil
        audit = FailedLogins(engine.audit)
        self.rates = rates
        self.addresses = addresses
        self.certificates = certificates
        self.systemNow = systemNow
    }

    /// The API client whose id and secret these are.
    package func tenant(
        named name: String, secret: String, _ request: Request
    ) async throws(Refusal) -> Tenant {
        try await tenant(named: name, request) { () async throws(EngineFault) in
            try await check.tenant(named: name, secret: secret)
        }
    }

    private func tenant(
        named name: String, _ request: Request, _ find: () async throws(EngineFault) -> Tenant?
    ) async throws(Refusal) -> Tenant {
        let address = addresses.of(request)
        try checkFailures(at: address, client: name)
        let found: Tenant?
        do throws(EngineFault) { found = try await find() } catch {
            throw Refusal(error)
        }
        guard let tenant = found else {
            failures?.record(address: address, client: name, at: systemNow())
            await noteFailure(named: name, request)
            throw .wrongCredentials
        }
        return try admitted(tenant, request)
    }

    private func checkFailures(at address: IPAddress?, client: String) throws(Refusal) {
        guard let seconds = failures?.wait(address: address, client: client, at: systemNow()) else { return }
        engine.noteLimit(.failedTokenCalls, nil)
        throw .rateLimited(LimitHit(.failedTokenCalls, retryAfterSeconds: seconds))
    }

    private func admitted(_ tenant: Tenant, _ request: Request) throws(Refusal) -> Tenant {
        request.notes?.note(caller: tenant.id.text)
        guard certificates.allow(tenant.id, over: request.channel) else { throw .certificateMissing }
        return tenant
    }

    /// The API client that an API key names, for one of its calls. A right key always gets in: wrong ones from the same
    /// address, which a stranger may have sent, slow down wrong ones only.
    package func caller(byKey text: String, _ request: Request) async throws(Refusal) -> Tenant {
        let found: Tenant?
        do { found = try await engine.tenant(ofKey: text, .api) } catch { throw Refusal(EngineFault(error)) }
        guard let tenant = found else {
            let address = addresses.of(request)
            // No part of the key stands in the place of a client's name.
            try checkFailures(at: address, client: "")
            failures?.record(address: address, client: "", at: systemNow())
            await noteFailure(named: "", request)
            throw .wrongCredentials
        }
        return try takeOneCall(of: admitted(tenant, request))
    }

    /// The same for a call that shows them in place of an access token: it takes one of the client's calls a second
    /// (ABU-01).
    package func caller(named name: String, secret: String, _ request: Request) async throws(Refusal) -> Tenant {
        try takeOneCall(of: try await tenant(named: name, secret: secret, request))
    }

    /// The same for a server of the client's that shows the client's hook secret, or has signed with it.
    /// - Parameter holds: whether what came agrees with a secret.
    package func caller(
        named name: String, _ request: Request, whoseHookSecret holds: (_ secret: [UInt8]) -> Bool
    ) async throws(Refusal) -> Tenant {
        try takeOneCall(
            of: try await tenant(named: name, request) { () async throws(EngineFault) in
                try await check.tenant(named: name, whoseHookSecret: holds)
            })
    }

    /// The same for an API client that has signed with one of its keys.
    /// - Parameter hasSigned: whether one of the keys was used.
    package func caller(
        named name: String, _ request: Request, oneOfWhoseKeys hasSigned: (_ keys: [PublicKey]) -> Bool
    ) async throws(Refusal) -> Tenant {
        try takeOneCall(
            of: try await tenant(named: name, request) { () async throws(EngineFault) in
                try await check.tenant(named: name, oneOfWhoseKeys: hasSigned)
            })
    }

    /// The API client that an access token names, for one of its calls.
    package func caller(named id: ClientID, byTokenOf request: Request) async throws(Refusal) -> Tenant {
        let found: Tenant?
        do { found = try await engine.tenants.tenant(id) } catch { throw Refusal(EngineFault(error)) }
        guard let tenant = found, tenant.revokedAt == nil else {
            request.notes?.note(caller: id.text)
            throw .wrongCredentials
        }
        return try takeOneCall(of: admitted(tenant, request))
    }

    private func takeOneCall(of tenant: Tenant) throws(Refusal) -> Tenant {
        do throws(LimitHit) { try rates?.takeOne(of: tenant.id, engine, at: systemNow()) } catch {
            throw .rateLimited(error)
        }
        return tenant
    }

    /// The address of a call, for the audit log.
    package func address(of request: Request) -> String? { addresses.or(peerOf: request)?.text }

    /// Names the API client only where there is one: another text may be a secret in the wrong place.
    private func noteFailure(named name: String, _ request: Request) async {
        var known: Tenant?
        if let id = ClientID(name) { known = try? await engine.tenants.tenant(id) }
        audit.note(
            client: known?.id, address: address(of: request), requestID: request.id,
            at: engine.now(), systemNow())
    }
}
