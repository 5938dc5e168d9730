internal import HTTPServer
internal import Possession
internal import SurfaceKit
internal import Text

/// Lets apps in: by the limit of their address, then by the rate of the API client that plain calls are for. An app has no
/// secret.
struct OnboardingGate: Sendable {
    let engine: Engine
    let callers: CallerGate?
    let addresses: ClientAddress
    /// That plain calls are for; `nil`: they are refused.
    let plainClient: ClientID?
    /// The machine's clock.
    let systemNow: Now

    static let refusals: [OnboardingError] = [
        .encryption, .notSetUp, .rateLimited(.init(.callsPerAddress, retryAfterSeconds: 1)), .overloaded,
        .internalFault(""),
    ]

    func routes<E: OnboardingEndpoint>(_ endpoint: E) -> [Route] {
        SurfaceRoute<E>(
            report: engine.report, render: { [systemNow] error, _ in error.response(at: systemNow()) },
            finish: { response, _ in
                var response = response
                response.add("Cache-Control", "no-store")
                return response
            }
        ).routes { request, form throws(OnboardingError) in
            do throws(LimitHit) { try callers?.admit(request) } catch { throw .rateLimited(error) }
            let caller = try await caller(of: request)
            return try await endpoint.answer(request, from: caller, form)
        }
    }

    private func caller(of request: Request) async throws(OnboardingError) -> OnboardingCaller {
        guard let plainClient else { throw .encryption }
        let found: Tenant?
        do throws(StorageFault) { found = try await engine.tenants.tenant(plainClient) } catch {
            throw OnboardingError(EngineFault(error))
        }
        guard let found, found.revokedAt == nil else { throw .notSetUp }
        request.notes?.note(caller: found.id.text)
        do throws(LimitHit) { try callers?.takeOne(of: found.id) } catch { throw .rateLimited(error) }
        return OnboardingCaller(tenant: found, address: addresses.of(request), languages: request.languages)
    }
}
