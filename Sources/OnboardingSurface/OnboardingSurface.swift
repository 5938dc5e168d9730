package import HTTPServer
package import Engine
package import Possession
package import SurfaceKit
package import Text

/// Serves apps written for Wultra's Digital Onboarding. A person identifies themselves, gets a code at the contact that
/// the operator knows, and enters it; then the phone gets its own keys.
package struct OnboardingSurface: Sendable {
    /// Every endpoint: its route and its part of the API description come from here.
    private static let calls: [SurfaceCall<OnboardingSurface>] = [
        SurfaceCall { StartProcess(processes: $0.processes) },
        SurfaceCall { ReadProcess(processes: $0.processes) },
        SurfaceCall { ResendCode(processes: $0.processes) },
        SurfaceCall { CleanUpProcess(processes: $0.processes) },
        SurfaceCall { _ in ReadConfiguration() },
        SurfaceCall(CreateActivation.operations) {
            let (orders, envelopes) = ($0.orders, $0.gate.envelopes)
            return $0.gate.routes(
                CreateActivation(orders: orders),
                encrypted: CreateEncryptedActivation(orders: orders, envelopes: envelopes))
        },
        SurfaceCall(ReadActivation.operations) { $0.gate.routes(ReadActivation(activations: $0.gate.activations)) },
        SurfaceCall(RemoveActivation.operations) { $0.gate.routes(RemoveActivation()) },
        SurfaceCall(ValidateSignature.operations) { $0.gate.routes(ValidateSignature()) },
        SurfaceCall(CreateToken.operations) {
            $0.gate.routes(CreateToken(activations: $0.gate.activations, envelopes: $0.gate.envelopes))
        },
        SurfaceCall(RemoveToken.operations) { $0.gate.routes(RemoveToken(activations: $0.gate.activations)) },
        SurfaceCall(UnlockVault.operations) {
            $0.gate.routes(UnlockVault(activations: $0.gate.activations, envelopes: $0.gate.envelopes))
        },
        SurfaceCall(VerifySignature.operations) { $0.gate.routes(VerifySignature(activations: $0.gate.activations)) },
        SurfaceCall(ValidateToken.operations) {
            $0.gate.routes(ValidateToken(activations: $0.gate.activations, systemNow: $0.systemNow))
        },
        SurfaceCall(CreateTemporaryKey.operations) {
            $0.gate.routes(CreateTemporaryKey(gate: $0.gate, devices: $0.gate.envelopes.devices))
        },
        SurfaceCall(ReadServerTime.operations) {
            [ReadServerTime(version: $0.settings.version, systemNow: $0.systemNow).route]
        },
    ]

    /// Further endpoints of a sandbox.
    private static let sandboxCalls: [SurfaceCall<OnboardingSurface>] = [
        SurfaceCall { ReadCode(processes: $0.processes, sentCode: $0.settings.sentCode) }
    ]

    package struct Settings: Sendable {
        /// The version of the server.
        package let version: String
        package let isSandbox: Bool
        /// Proxies whose `X-Forwarded-For` is trusted.
        package let trustedProxies: AddressRanges
        /// The API client that plain calls are for; `nil`: they are refused.
        package var plainClient: ClientID?
        /// The newest code that a session has sent. Only a sandbox knows it.
        package var sentCode: @Sendable (Session) -> String? = { _ in nil }

        package init(version: String, isSandbox: Bool, trustedProxies: AddressRanges) {
            self.version = version
            self.isSandbox = isSandbox
            self.trustedProxies = trustedProxies
        }
    }

    private let settings: Settings
    private let processes: Processes
    private let orders: ActivationOrders
    private let systemNow: Now
    fileprivate let gate: OnboardingGate

    /// - Parameters:
    ///   - finder: finds people by their identification.
    ///   - devices: the cryptography of apps and activations.
    ///   - logins: checks the credentials of backends.
    ///   - callers: the limits and rates for calls without credentials, shared with other surfaces.
    ///   - systemNow: the machine's clock. Apps set their clocks by it.
    package init(
        engine: Engine, settings: Settings, finder: any PersonFinder, devices: any DeviceProtocol, logins: ClientLogin,
        callers: CallerGate?, systemNow: @escaping Now
    ) {
        self.settings = settings
        self.systemNow = systemNow
        processes = Processes(engine, finder: finder, isSandbox: settings.isSandbox)
        let activations = DeviceActivations(engine, devices)
        orders = ActivationOrders(processes: processes, activations: activations)
        gate = OnboardingGate(
            engine: engine, activations: activations, envelopes: Envelopes(devices: devices, systemNow: systemNow),
            callers: callers, logins: logins, addresses: ClientAddress(trustedProxies: settings.trustedProxies),
            plainClient: settings.plainClient, systemNow: systemNow)
    }

    package var routes: [Route] {
        (Self.calls + (settings.isSandbox ? Self.sandboxCalls : [])).flatMap { $0.routes(self) }
    }

    /// Answers for paths below the vendor's prefixes that no call has.
    package var areas: [Area] {
        let systemNow = systemNow
        return OnboardingPath.all.map { prefix in
            Area(prefix) { request, failure in
                let error = OnboardingError.absent(
                    failure, isOfOtherVersion: OnboardingPath.isOfOtherVersion(request.path))
                var response = error.response(at: systemNow())
                response.add("Cache-Control", "no-store")
                return response
            }
        }
    }

    /// The surface as a separate API description.
    package static let description = SurfaceDescription(
        (calls + sandboxCalls).flatMap(\.operations),
        schemas: [(ErrorShape.onboarding.name, OnboardingError.schema), ErrorShape.onboarding.orFailure])

    package static let documentPath = "/onboarding/openapi.json"

    package static let info = APIDocument.Info(
        title: "Holdfast for apps with Digital Onboarding",
        summary: "Finds a person by what they say of themselves, sends them a code, and gives their phone keys.",
        detail: """
            The calls of Wultra's Digital Onboarding, below /api and /pa/v3. They are described as a plain client makes them. \
            The SDKs of PowerAuth 3.2 and 3.3 make those below /api and activation/create in an envelope, with the header \
            X-PowerAuth-Encryption. A server in live takes plain ones only where onboarding.acceptPlain says so. Backends check \
            what their apps have signed by the calls below /powerauth. Members that are not described are ignored. \
            docs/onboarding.md says what is the same as at the vendor, and what is not.
            """)
}

extension SurfaceCall<OnboardingSurface> {
    fileprivate init<E: OnboardingEndpoint>(_ make: @escaping @Sendable (OnboardingSurface) -> E) {
        self.init(E.operations) { $0.gate.routes(make($0)) }
    }
}
