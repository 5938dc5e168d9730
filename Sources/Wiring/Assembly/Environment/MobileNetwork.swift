internal import Sandbox
internal import SandboxSurfaces
internal import Observation
internal import Outbound
internal import Possession
internal import Tokens

/// The mobile operators that this server can call: those of the configuration, and the sandbox's simulated one.
struct MobileNetwork: Sendable {
    /// The name of the simulated operator, and this server's name at it.
    private static let simulatedName = "simulated"
    private static let simulatedClientID = "holdfast"

    private let configuration: Configuration
    private let publicURL: String
    /// The URL by which this server calls itself. The simulated operator's back channel uses it instead of the public
    /// URL.
    private let ownURL: String
    private let tokens: ES256TokenService
    private let now: Now
    private let randomBytes: RandomBytes
    private let send: OutboundSend

    init(
        _ configuration: Configuration, publicURL: String, ownURL: String, tokens: ES256TokenService,
        now: @escaping Now,
        randomBytes: @escaping RandomBytes, send: @escaping OutboundSend
    ) {
        self.configuration = configuration
        self.publicURL = publicURL
        self.ownURL = ownURL
        self.tokens = tokens
        self.now = now
        self.randomBytes = randomBytes
        self.send = send
    }

    private var redirectURI: String { publicURL + "/ma/v1/cb" }

    /// The operator that a sandbox simulates. It is called over HTTP like any other.
    /// - Parameter registry: counts the calls.
    func simulatedDirectory(_ registry: MetricsRegistry) -> OperatorDirectory {
        let settings = simulatedSettings
        return OperatorDirectory(
            everywhere: CountedOperator(adapter(settings), registry), plmns: settings.parsedPLMNs)
    }

    /// The operators of the configuration.
    /// - Parameter registry: counts the calls.
    func directory(_ registry: MetricsRegistry) -> OperatorDirectory {
        let all = configuration.mobileAuth.settings(redirectURI: redirectURI)
        return OperatorDirectory(
            all.map { settings in
                OperatorDirectory.Entry(
                    CountedOperator(adapter(settings), registry), networks: settings.parsedNetworks,
                    plmns: settings.parsedPLMNs)
            })
    }

    /// The simulated operator: the server side of the same calls.
    func simulatedOperator(
        _ users: SandboxUsers, hang: @escaping SimulatedOperator.Hang, report: @escaping @Sendable (String) -> Void
    ) -> SimulatedOperator {
        SimulatedOperator(
            SimulatedOperator.Settings(
                publicURL: ownURL, clientID: MobileNetwork.simulatedClientID, redirectURI: redirectURI),
            users: users, assertions: tokens, now: now, randomBytes: randomBytes, sha256: SHA256.digest, hang: hang,
            report: report)
    }

    private func adapter(_ settings: OperatorSettings) -> CAMARAOperator {
        CAMARAOperator(settings, send: send, assertions: tokens, now: now, randomBytes: randomBytes)
    }

    private var simulatedSettings: OperatorSettings {
        configuration.mobileAuth.timed(
            OperatorSettings(
                name: MobileNetwork.simulatedName, authorizeURL: publicURL + SimulatedOperator.authorizePath,
                tokenURL: ownURL + SimulatedOperator.tokenPath, apiURL: ownURL + SimulatedOperator.apiPath,
                clientID: MobileNetwork.simulatedClientID, redirectURI: redirectURI,
                plmns: [SimulatedOperator.plmn]))
    }
}
