internal import Clocks
internal import MessageSurfaces
internal import Observation
internal import Outbound
internal import Engine
internal import Possession
internal import Tokens

/// The gateways and routes by which messages leave this server.
struct Messages: Sendable {
    let gateway: any MessageGateway
    let sending: any BackgroundWork
    let tasks: SendingTasks
    /// The gateways of the configuration; `nil`: there are none, or a sandbox plays the carrier.
    let routed: RoutedGateway?
    let figures: GatewayFigures?
    private let plan: @Sendable (MessagingFile) -> RoutedGateway.Plan

    /// - Parameters:
    ///   - file: the gateways and routes; `nil`: there are none.
    ///   - send: makes outbound calls.
    init(_ ground: StartContext, _ file: MessagingFile?, send: @escaping OutboundSend) {
        let tasks = SendingTasks(wait: .seconds(ground.configuration.messaging.waitSeconds))
        self.tasks = tasks
        plan = { $0.plan(send: send, crypto: .system, systemNow: { SystemClock.now() }) }
        if let given = ground.environment.gateway {
            (gateway, sending, routed, figures) = (given, WorkInCall(), nil, nil)
            return
        }
        guard let file else {
            (gateway, sending, routed, figures) = (NoCarrier(), WorkInCall(), nil, nil)
            return
        }
        let publicURL = ground.addresses.publicURL
        let figures = GatewayFigures(
            ground.registry, ground.logger,
            country: { [numbers = ground.environment.numbers] in numbers.country(of: $0) })
        let routed = RoutedGateway(
            plan(file), receiptURL: { MessageSurface.receiptURL(publicURL, gateway: $0, token: $1) },
            note: { figures.note($0) })
        figures.watch(routed, ground.registry, sends: { tasks.count })
        (gateway, sending, self.routed, self.figures) = (routed, tasks, routed, figures)
    }

    /// Replaces the gateways and routes.
    /// - Returns: `false`: this server started without gateways and needs a restart.
    func replace(with file: MessagingFile) -> Bool {
        guard let routed else { return false }
        routed.replace(with: plan(file))
        return true
    }
}

extension GatewayCrypto {
    /// Cryptography from OpenSSL.
    static let system = GatewayCrypto(
        hmac: { MessageCode.hmac($0.ofTokens, key: $1, $2) }, digest: { MessageCode.digest($0.ofTokens, $1) },
        verifyEd25519: { MessageCode.isEd25519($0, by: $1, of: $2) })
}

extension GatewayCrypto.Hash {
    fileprivate var ofTokens: MessageCode.Hash {
        switch self {
        case .md5: .md5
        case .sha1: .sha1
        case .sha256: .sha256
        case .sha384: .sha384
        case .sha512: .sha512
        }
    }
}
