package import HTTPServer
package import Engine
package import Possession
package import Text
package import SurfaceKit

/// Calls of an app's backend: tokens, the unify calls and those of Pre-Fill (contract section 1).
package struct PlatformSurface: PlatformGated {
    package struct Settings: Sendable {
        /// Calls a second for one tenant; 0: no limit (`limits.requestsPerSecond`).
        package var requestsPerSecond = 0
        /// Calls a minute of one tenant that the audit log records; 0: no limit (`limits.auditedCallsPerMinute`).
        package var auditedCallsPerMinute = 0
        /// Calls a second for one client address without an API client's credentials; 0: no limit
        /// (`limits.callsPerAddressPerSecond`).
        package var callsPerAddressPerSecond = 0
        /// Whether calls with wrong credentials are limited (API-05): in live, and in a sandbox that enforces limits.
        package var limitsFailedTokenCalls = false
        /// IP addresses whose `X-Forwarded-For` is trusted (HTTP-37).
        package var trustedProxies = AddressRanges()
        /// Certificates that the connections of API clients must show.
        package var certificates = ClientCertificates.none
        /// In a sandbox: the answer to a refused access token says what is wrong with it.
        package var tellsTokens = false

        package init() {}
    }

    /// Shared with the other surfaces of an app's backend: one rate for each tenant.
    package let gate: PlatformGate
    /// Shared by the surfaces for callers without an API client's credentials: one limit for each address.
    package let callers: CallerGate
    /// Shared by the surfaces of backends that send their credentials with each call: failures are counted together.
    package let logins: ClientLogin
    private let engine: Engine
    private let sessions: PlatformService
    private let prefill: PrefillService
    private let issueToken: IssueToken

    /// All endpoints: their routes and their API description come from here.
    private static let calls = sessionCalls + prefillCalls
    private static let sessionCalls: [SurfaceCall<PlatformSurface>] = [
        SurfaceCall([IssueToken.operation]) { $0.issueToken.routes(report: $0.engine.reports.log) },
        SurfaceCall { StartUnify(service: $0.sessions) },
        SurfaceCall { ReadUnifyStatus(service: $0.sessions, engine: $0.engine) },
        SurfaceCall { BindUnify(service: $0.sessions) },
        SurfaceCall { RevokeDevice(service: $0.sessions) },
        SurfaceCall { ExplainSession(engine: $0.engine, service: $0.sessions) },
    ]
    private static let prefillCalls: [SurfaceCall<PlatformSurface>] = [
        SurfaceCall { StartPrefill(service: $0.sessions) },
        SurfaceCall { ValidateNumber(service: $0.prefill) },
        SurfaceCall { ChallengePerson(service: $0.prefill) },
        SurfaceCall { CompletePrefill(service: $0.prefill) },
    ]

    /// - Parameter systemNow: the machine's clock, for the limits; everything else uses the engine's time.
    package init(engine: Engine, settings: Settings = Settings(), systemNow: @escaping Now) {
        let rates = TenantRates(perSecond: min(settings.requestsPerSecond, 1_000_000))
        let addresses = ClientAddress(trustedProxies: settings.trustedProxies)
        gate = PlatformGate(
            engine: engine, rates: rates, auditedRates: Self.auditedRates(settings), systemNow: systemNow,
            certificates: settings.certificates,
            addresses: addresses, tellsTokens: settings.tellsTokens)
        let calls =
            settings.callsPerAddressPerSecond > 0
            ? CallsPerAddress(perSecond: min(settings.callsPerAddressPerSecond, 100_000)) : nil
        callers = CallerGate(calls: calls, addresses: addresses, rates: rates, engine: engine, systemNow: systemNow)
        self.engine = engine
        sessions = PlatformService(engine)
        prefill = PrefillService(engine)
        logins = ClientLogin(
            engine: engine, limitsFailures: settings.limitsFailedTokenCalls, rates: rates, addresses: addresses,
            certificates: settings.certificates, systemNow: systemNow)
        issueToken = IssueToken(login: logins, engine: engine)
    }

    private static func auditedRates(_ settings: Settings) -> TenantRates? {
        settings.auditedCallsPerMinute > 0
            ? TenantRates(.auditedCalls, calls: min(settings.auditedCallsPerMinute, 1_000_000), in: .seconds(60)) : nil
    }

    package var routes: [Route] { Self.calls.flatMap { $0.routes(self) } }

    /// The API description of the surface.
    package static let description = SurfaceDescription(
        calls.flatMap(\.operations), schemas: PlatformSchemas.all)
    /// The API description of only the calls of a session.
    package static let sessionDescription = SurfaceDescription(
        sessionCalls.flatMap(\.operations), schemas: PlatformSchemas.all)
}
