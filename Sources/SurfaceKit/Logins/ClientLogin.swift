package import HTTPServer
package import Engine
package import Possession
internal import Text

/// Checks the credentials of an API client, and slows down guessing (API-05, TOK-12): failures are limited by address
/// and by client, and recorded in the audit log.
///
/// A class, so that a call copies a reference and not the whole engine.
package final class ClientLogin: Sendable {
    package enum Refusal: Error, Sendable, Equatable {
        /// The client does not exist, the secret is wrong, or the client is revoked.
        case wrongCredentials
        /// The connection presents no certificate that names the API client.
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
    /// `nil`: failures are not limited (sandbox, contract section 8).
    private let failures: FailedTokenCalls?
    private let audit: FailedLogins
    private let addresses: ClientAddress
    private let certificates: ClientCertificates
    private let rates: TenantRates?
    private let systemNow: Now

    /// - Parameters:
    ///   - limitsFailures: whether failed calls are limited.
    ///   - rates: the call rates of API clients; `nil`: there are no limits.
    ///   - systemNow: the machine's clock.
    package init(
        engine: Engine, limitsFailures: Bool, rates: TenantRates?, addresses: ClientAddress,
        certificates: ClientCertificates, systemNow: @escaping Now
    ) {
        check = ClientCredentialsCheck(engine: engine)
        self.engine = engine
        failures = limitsFailures ? FailedTokenCalls() : nil
        audit = FailedLogins(engine.reports.audit)
        self.rates = rates
        self.addresses = addresses
        self.certificates = certificates
        self.systemNow = systemNow
    }

    /// The API client with this id and secret.
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
        guard
            let seconds = failures?.wait(address: address, client: client, at: systemNow(), share: engine.share)
        else { return }
        engine.reports.recordLimit(.failedTokenCalls, nil)
        throw .rateLimited(LimitHit(.failedTokenCalls, retryAfterSeconds: seconds))
    }

    private func admitted(_ tenant: Tenant, _ request: Request) throws(Refusal) -> Tenant {
        request.notes?.note(caller: tenant.id.text)
        guard certificates.allow(tenant.id, over: request.channel) else { throw .certificateMissing }
        return tenant
    }

    /// The API client of an API key; counts one call. Earlier failures never block a right key: a stranger with the
    /// same address may have caused them.
    package func caller(byKey text: String, _ request: Request) async throws(Refusal) -> Tenant {
        let found: Tenant?
        do { found = try await engine.tenant(ofKey: text, .api) } catch { throw Refusal(error) }
        guard let tenant = found else {
            let address = addresses.of(request)
            // Part of an unknown key must not be recorded as a client's name.
            try checkFailures(at: address, client: "")
            failures?.record(address: address, client: "", at: systemNow())
            await noteFailure(named: "", request)
            throw .wrongCredentials
        }
        return try takeOneCall(of: admitted(tenant, request))
    }

    /// The same for a call with id and secret instead of an access token. It counts as one call towards the client's
    /// rate (ABU-01).
    package func caller(named name: String, secret: String, _ request: Request) async throws(Refusal) -> Tenant {
        try takeOneCall(of: try await tenant(named: name, secret: secret, request))
    }

    /// The same for a server of the client that sends the client's hook secret, or signs with it.
    /// - Parameter holds: whether a secret matches the call.
    package func caller(
        named name: String, _ request: Request, whoseHookSecret holds: (_ secret: [UInt8]) -> Bool
    ) async throws(Refusal) -> Tenant {
        try takeOneCall(
            of: try await tenant(named: name, request) { () async throws(EngineFault) in
                try await check.tenant(named: name, whoseHookSecret: holds)
            })
    }

    /// The same for an API client that signs with one of its keys.
    /// - Parameter hasSigned: whether one of these keys has signed the call.
    package func caller(
        named name: String, _ request: Request, oneOfWhoseKeys hasSigned: (_ keys: [PublicKey]) -> Bool
    ) async throws(Refusal) -> Tenant {
        try takeOneCall(
            of: try await tenant(named: name, request) { () async throws(EngineFault) in
                try await check.tenant(named: name, oneOfWhoseKeys: hasSigned)
            })
    }

    /// The API client of an access token; counts one call.
    package func caller(named id: ClientID, byTokenOf request: Request) async throws(Refusal) -> Tenant {
        let found: Tenant?
        do { found = try await engine.activeTenant(id) } catch { throw Refusal(error) }
        guard let tenant = found else {
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

    /// Records the API client only if it exists: any other text may be a secret in the wrong field.
    private func noteFailure(named name: String, _ request: Request) async {
        var known: Tenant?
        if let id = ClientID(name) { known = try? await engine.tenant(id) }
        audit.note(
            client: known?.id, address: address(of: request), requestID: request.id,
            at: engine.now(), systemNow())
    }
}
