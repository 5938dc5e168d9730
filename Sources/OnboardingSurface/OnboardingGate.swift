internal import HTTPServer
internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// Admits apps: first within the limit of their address, then within the rate of their API client. An encrypted call of
/// an app names its API client by the application key. A plain call belongs to the one API client that takes plain
/// calls. A backend instead sends the id and the secret of its API client.
struct OnboardingGate: Sendable {
    let engine: Engine
    let activations: DeviceActivations
    let envelopes: Envelopes
    let callers: CallerGate?
    let logins: ClientLogin
    let addresses: ClientAddress
    /// The API client of plain calls; `nil`: plain calls are refused.
    let plainClient: ClientID?
    /// The machine's clock.
    let systemNow: Now

    // MARK: Calls of an app

    /// A call that may be encrypted.
    func routes<E: OnboardingEndpoint>(_ endpoint: E) -> [Route] { routes(endpoint, encrypted: endpoint) }

    /// A call whose encrypted form has other members.
    func routes<P: OnboardingEndpoint, E: OnboardingEndpoint>(_ plain: P, encrypted: E) -> [Route] {
        let encryptedForm = EndpointForm(E.self)
        return surfaceRoute(P.self).routes { request, form throws(OnboardingError) in
            try admit(request)
            guard let header = try EncryptionHeader(request) else {
                return try await plain.answer(request, from: try await plainCaller(request), form)
            }
            let (tenant, keys) = try await application(header.applicationKey, request, orElse: .encryption)
            let opened = try await envelopes.open(
                request.body, header.version, for: .application, from: DeviceCaller(keys))
            try takeOne(of: tenant, request)
            var content = request
            content.body = opened.plain
            let caller = OnboardingCaller(
                tenant: tenant, address: addresses.of(request), languages: request.languages,
                app: OnboardingCaller.App(keys: keys, version: header.version))
            let response = try await encrypted.answer(content, from: caller, encryptedForm)
            return .json(response.status, try envelopes.seal(response.body, opened))
        }
    }

    private func plainCaller(_ request: Request) async throws(OnboardingError) -> OnboardingCaller {
        guard let plainClient else { throw .encryption }
        let found: Tenant?
        do { found = try await engine.activeTenant(plainClient) } catch { throw OnboardingError(error) }
        guard let found else { throw .notSetUp }
        request.notes?.note(caller: found.id.text)
        try takeOne(of: found, request)
        return OnboardingCaller(
            tenant: found, address: addresses.of(request), languages: request.languages, app: nil)
    }

    // MARK: Calls that need no keys

    func routes<E: OpenEndpoint>(_ endpoint: E) -> [Route] {
        surfaceRoute(E.self).routes { request, form throws(OnboardingError) in
            try admit(request)
            return try await endpoint.answer(request, from: Nothing(), form)
        }
    }

    // MARK: Calls that an activation has signed

    func routes<E: SignedEndpoint>(_ endpoint: E) -> [Route] {
        surfaceRoute(E.self).routes { request, form throws(OnboardingError) in
            try admit(request)
            let header = try SignatureHeader(request)
            guard E.factors.contains(header.factors) else { throw .signature }
            let (tenant, keys) = try await application(header.applicationKey, request, orElse: .signature)
            let signer = try await signer(header, request, E.resource, with: keys, of: tenant, E.act)
            return try await endpoint.answer(request, from: signer, form)
        }
    }

    private func signer(
        _ header: SignatureHeader, _ request: Request, _ resource: String, with keys: ApplicationKeys,
        of tenant: Tenant, _ act: @escaping @Sendable (inout DeviceActivation, Timestamp) -> Void
    ) async throws(OnboardingError) -> Signer {
        let named: (caller: DeviceCaller, activation: DeviceActivation)?
        do throws(EngineFault) {
            named = try await activations.caller(header.activationID, with: keys, of: tenant.id)
        } catch { throw OnboardingError(error) }
        guard let named else { throw .signature }
        // Count the call before its signature is used up: a call refused here can be repeated.
        try takeOne(of: tenant, request, isUnderWay: true)
        let signed: DeviceActivation?
        do throws(EngineFault) {
            signed = try await activations.take(
                header.call(request, resource: resource), from: named.caller, of: tenant.id, act)
        } catch { throw OnboardingError(error) }
        guard let signed else { throw .signature }
        return Signer(activation: signed, caller: named.caller, version: header.version, factors: header.factors)
    }

    // MARK: Calls of a backend

    func routes<E: BackendEndpoint>(_ endpoint: E) -> [Route] {
        let checkHead: @Sendable (Request) throws(OnboardingError) -> Void = { request throws(OnboardingError) in
            _ = try Self.credentials(of: request)
            try SurfaceRoute<E>.checkBody(request)
        }
        return surfaceRoute(E.self, checkHead: checkHead).routes { request, form throws(OnboardingError) in
            let basic = try Self.credentials(of: request)
            let tenant: Tenant
            do throws(ClientLogin.Refusal) {
                tenant = try await logins.caller(named: basic.name, secret: basic.password, request)
            } catch { throw OnboardingError(error) }
            return try await endpoint.answer(request, from: tenant, form)
        }
    }

    private static func credentials(of request: Request) throws(OnboardingError) -> BasicCredentials {
        guard let basic = BasicCredentials(plainOf: request) else { throw .unauthorized }
        return basic
    }

    // MARK: Parts of every call

    private func surfaceRoute<E: OnboardingCall>(
        _ endpoint: E.Type,
        checkHead: @escaping @Sendable (Request) throws(OnboardingError) -> Void = { request throws(OnboardingError) in
            try SurfaceRoute<E>.checkBody(request)
        }
    ) -> SurfaceRoute<E> {
        SurfaceRoute<E>(
            report: engine.reports.log,
            render: { [systemNow] error, _ in error.response(at: systemNow(), leastTries: E.leastTries) },
            finish: { response, _ in
                var response = response
                response.add("Cache-Control", "no-store")
                return response
            },
            permit: { [systemNow] overloaded, _ in
                var response = OnboardingError.overloaded.response(at: systemNow(), leastTries: E.leastTries)
                guard let wait = overloaded.headers.first(where: { $0.name.isSame(as: "Retry-After") }) else {
                    return response
                }
                response.headers.removeAll { $0.name.isSame(as: wait.name) }
                response.headers.append(wait)
                return response
            }, checkHead: checkHead)
    }

    private func admit(_ request: Request) throws(OnboardingError) {
        do throws(LimitHit) { try callers?.admit(request) } catch { throw .rateLimited(error) }
    }

    /// Counts one call towards the rate of an API client. An encrypted call must have opened its envelope first, and a
    /// signed call must have named an activation: the application key is in every call, so knowing only that key must
    /// not use up the rate.
    func takeOne(of tenant: Tenant, _ request: Request, isUnderWay: Bool = false) throws(OnboardingError) {
        do throws(LimitHit) { try callers?.takeOne(of: tenant.id, request, isUnderWay: isUnderWay) } catch {
            throw .rateLimited(error)
        }
    }

    /// The API client of an application key, and its keys.
    func application(
        _ key: String, _ request: Request, orElse refusal: OnboardingError
    ) async throws(OnboardingError) -> (tenant: Tenant, keys: ApplicationKeys) {
        let found: (tenant: Tenant, keys: ApplicationKeys)?
        do { found = try await engine.application(ofKey: key) } catch { throw OnboardingError(error) }
        guard let found else { throw refusal }
        request.notes?.note(caller: found.tenant.id.text)
        return found
    }
}
