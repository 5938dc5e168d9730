package import HTTPServer
package import Possession
package import SurfaceKit
package import Text

/// Serves apps that were written for Wultra's Digital Onboarding: a person says who they are, gets a code where the operator
/// knows them to be reached, and shows it.
package struct OnboardingSurface: Sendable {
    /// Every endpoint: its route and its part of the API description come from here.
    private static let calls: [SurfaceCall<OnboardingSurface>] = [
        SurfaceCall { StartProcess(processes: $0.processes) },
        SurfaceCall { ReadProcess(processes: $0.processes) },
        SurfaceCall { ResendCode(processes: $0.processes) },
        SurfaceCall { CleanUpProcess(processes: $0.processes) },
        SurfaceCall(ReadServerTime.operations) {
            [ReadServerTime(version: $0.settings.version, systemNow: $0.systemNow).route]
        },
    ]

    /// A sandbox has these as well.
    private static let sandboxCalls: [SurfaceCall<OnboardingSurface>] = [
        SurfaceCall { ReadCode(processes: $0.processes, sentCode: $0.settings.sentCode) }
    ]

    package struct Settings: Sendable {
        /// The server's.
        package let version: String
        package let isSandbox: Bool
        /// Peers whose `X-Forwarded-For` is believed.
        package let trustedProxies: AddressRanges
        /// The API client that plain calls are for; `nil`: they are refused.
        package var plainClient: ClientID?
        /// The newest code that a session has sent, which only a sandbox knows.
        package var sentCode: @Sendable (Session) -> String? = { _ in nil }

        package init(version: String, isSandbox: Bool, trustedProxies: AddressRanges) {
            self.version = version
            self.isSandbox = isSandbox
            self.trustedProxies = trustedProxies
        }
    }

    private let settings: Settings
    private let processes: Processes
    private let systemNow: Now
    fileprivate let gate: OnboardingGate

    /// - Parameters:
    ///   - finder: knows people by what they say of themselves.
    ///   - callers: the limits and rates that calls without credentials share with other surfaces.
    ///   - systemNow: the machine's clock, by which apps set theirs.
    package init(
        engine: Engine, settings: Settings, finder: any PersonFinder, callers: CallerGate?, systemNow: @escaping Now
    ) {
        self.settings = settings
        self.systemNow = systemNow
        processes = Processes(engine, finder: finder, isSandbox: settings.isSandbox)
        gate = OnboardingGate(
            engine: engine, callers: callers, addresses: ClientAddress(trustedProxies: settings.trustedProxies),
            plainClient: settings.plainClient, systemNow: systemNow)
    }

    package var routes: [Route] {
        (Self.calls + (settings.isSandbox ? Self.sandboxCalls : [])).flatMap { $0.routes(self) }
    }

    /// The surface in an API description of its own.
    package static let description = SurfaceDescription(
        (calls + sandboxCalls).flatMap(\.operations),
        schemas: [(ErrorShape.onboarding.name, OnboardingError.schema), ErrorShape.onboarding.orFailure])

    package static let documentPath = "/onboarding/openapi.json"

    package static let info = APIDocument.Info(
        title: "Holdfast for apps with Digital Onboarding",
        summary: "Finds a person by what they say of themselves, and sends them a code.",
        detail: """
            The calls of Wultra's Digital Onboarding, below /api/onboarding and /pa/v3. A server in live takes plain calls \
            only where onboarding.acceptPlain says so. Members that are not described are ignored. docs/onboarding.md says \
            what is the same as at the vendor, and what is not.
            """)
}

extension SurfaceCall<OnboardingSurface> {
    fileprivate init<E: OnboardingEndpoint>(_ make: @escaping @Sendable (OnboardingSurface) -> E) {
        self.init(E.operations) { $0.gate.routes(make($0)) }
    }
}
