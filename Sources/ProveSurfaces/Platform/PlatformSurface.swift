package import HTTPServer
package import Possession
package import Text
package import SurfaceKit

/// What an app's backend calls: tokens, the unify calls and those of Pre-Fill (contract section 1).
package struct PlatformSurface: Sendable {
    package struct Settings: Sendable {
        /// Calls a second of one tenant; 0: no limit (`limits.requestsPerSecond`).
        package var requestsPerSecond = 0
        /// Calls a second of one client address that shows no API client's credentials; 0: no limit
        /// (`limits.callsPerAddressPerSecond`).
        package var callsPerAddressPerSecond = 0
        /// Whether failed token calls are limited (API-05): in live, and in a sandbox that enforces limits.
        package var limitsFailedTokenCalls = false
        /// IP addresses whose `X-Forwarded-For` is believed (HTTP-37).
        package var trustedProxies = AddressRanges()

        package init() {}
    }

    /// Shared with the other surfaces of an app's backend: one rate a tenant.
    package let gate: PlatformGate
    /// Shared by the surfaces of callers without an API client's credentials: one limit an address. `nil` where no limit
    /// is set, so that their calls cost nothing more.
    package let callers: CallerGate?
    private let issueToken: IssueToken
    private let startUnify: StartUnify
    private let readUnifyStatus: ReadUnifyStatus
    private let bindUnify: BindUnify
    private let revokeDevice: RevokeDevice
    private let startPrefill: StartPrefill
    private let validateNumber: ValidateNumber
    private let challengePerson: ChallengePerson
    private let completePrefill: CompletePrefill

    /// - Parameter systemNow: the machine's clock, for the limits; everything else goes by the engine's.
    package init(engine: Engine, settings: Settings = Settings(), systemNow: @escaping Now) {
        let service = PlatformService(engine)
        let rates =
            settings.requestsPerSecond > 0 ? TenantRates(perSecond: min(settings.requestsPerSecond, 1_000_000)) : nil
        gate = PlatformGate(engine: engine, rates: rates, systemNow: systemNow)
        let addresses = ClientAddress(trustedProxies: settings.trustedProxies)
        let calls =
            settings.callsPerAddressPerSecond > 0
            ? CallsPerAddress(perSecond: min(settings.callsPerAddressPerSecond, 100_000)) : nil
        callers =
            calls == nil && rates == nil
            ? nil
            : CallerGate(
                calls: calls, addresses: addresses, rates: rates, engine: engine, systemNow: systemNow)
        issueToken = IssueToken(
            check: ClientCredentialsCheck(engine: engine), engine: engine,
            failures: settings.limitsFailedTokenCalls ? FailedTokenCalls() : nil,
            addresses: addresses, systemNow: systemNow)
        startUnify = StartUnify(service: service)
        readUnifyStatus = ReadUnifyStatus(service: service, engine: engine)
        bindUnify = BindUnify(service: service)
        revokeDevice = RevokeDevice(service: service)
        let prefill = PrefillService(engine)
        startPrefill = StartPrefill(service: service)
        validateNumber = ValidateNumber(service: prefill)
        challengePerson = ChallengePerson(service: prefill)
        completePrefill = CompletePrefill(service: prefill)
    }

    package var routes: [Route] {
        [
            Route(.post, "/token", body: IssueToken.bodyRule) { [self] request in
                do throws(PlatformError) { return try await issueToken.respond(to: request) } catch {
                    gate.report(error, of: request)
                    return error.response
                }
            },
            route("/v3/unify", startUnify.respond),
            route("/unify", startUnify.respond),
            route("/v3/unify-status", readUnifyStatus.respond),
            route("/unify-status", readUnifyStatus.respond),
            route("/v3/unify-bind", bindUnify.respond),
            route("/unify-bind", bindUnify.respond),
            route("/v3/device/revoke", revokeDevice.respond),
            route("/v3/start", startPrefill.respond),
            route("/v3/validate", validateNumber.respond),
            route("/v3/challenge", challengePerson.respond),
            route("/v3/complete", body: .person, completePrefill.respond),
        ]
    }

    private func route(
        _ pattern: String, body bound: BodyBound = .session,
        _ respond: @escaping @Sendable (Request, Tenant) async throws(PlatformError) -> Response
    ) -> Route {
        gate.route(.post, pattern, body: bound, onHead: { [gate] in gate.refusal(ofHead: $0, upTo: bound) }, respond)
    }
}
