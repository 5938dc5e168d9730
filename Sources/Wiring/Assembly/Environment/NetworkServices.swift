internal import Clocks
internal import Logging
internal import OtplessSurface
internal import Outbound
internal import Engine
internal import Possession
internal import PreludeSurface
internal import Storage
internal import Text
internal import Tokens

/// Everything that calls other servers: mobile operators, message gateways, and the operator's own service for people.
struct NetworkServices: Sendable {
    let people: any IdentitySource
    let finder: any PersonFinder
    let operators: any MobileOperators
    let mobile: MobileNetwork
    /// The reputation check for numbers; `nil`: no source is asked.
    let reputation: ReputationCheck?
    /// The source of SIM changes; `nil`: there is none.
    let simSwaps: (any SIMSwapSource)?
    let messages: Messages
    private let outbound: OutboundHTTP
    private let mails = MailClients()
    /// Separate, so that receivers that do not answer take no capacity from calls to operators.
    private let webhooks = OutboundHTTP()

    /// - Parameters:
    ///   - identityKey: signs calls to the identity service; `nil`: there is no service.
    ///   - reputationKey: signs calls to the reputation service; `nil`: there is no service.
    ///   - messaging: the gateways and routes; `nil`: there are none.
    ///   - finder: replaces the operator's service.
    init(
        _ ground: StartContext, identityKey: KeyedHash?, reputationKey: KeyedHash?, messaging: MessagingFile?,
        finder: (any PersonFinder)?
    ) {
        let outbound = OutboundHTTP()
        self.outbound = outbound
        let mails = mails
        let send: OutboundSend = { (request) throws(OutboundFault) in
            request.envelope == nil ? try await outbound.send(request) : try await mails.send(request)
        }
        // People: known to the operator's service, or else imported. In a sandbox the users file comes first.
        let known = Assembly.knownPeople(
            ground.configuration, key: identityKey, imported: StoredPeople(ground.store.people), send: send,
            systemNow: { SystemClock.now() }, registry: ground.registry)
        people = ground.environment.people(known)
        let logger = ground.logger
        let identity = ground.configuration.identity
        let imported = StoredPersonFinder(
            ground.store.people, keys: identity.keys, kinds: identity.kinds, number: ground.environment.peopleNumber
        ) { logger.warning("\($0)") }
        self.finder = ground.environment.finder(
            finder
                ?? Assembly.personFinder(
                    ground.configuration, key: identityKey, imported: imported, send: send,
                    systemNow: { SystemClock.now() }, registry: ground.registry))
        mobile = MobileNetwork(
            ground.configuration, publicURL: ground.addresses.publicURL, ownURL: ground.addresses.ownURL,
            tokens: ground.tokens, now: ground.environment.operatorNow,
            randomBytes: ground.store.random.randomBytes, send: send)
        let reputationOperators = Assembly.reputationOperators(ground, send: send)
        reputation = ground.environment.reputation(
            Assembly.reputation(ground, key: reputationKey, operators: reputationOperators, send: send))
        simSwaps = ground.environment.simSwaps ?? reputationOperators
        operators = ground.environment.operators(mobile, ground.registry)
        messages = Messages(ground, messaging, send: send)
    }

    /// - Parameter grace: how long carriers may continue to process their messages.
    func shutDown(grace: Duration) async {
        await messages.tasks.close(within: grace)
        await outbound.shutdown()
        await mails.shutdown()
        await webhooks.shutdown()
    }

    /// The name of this server for receivers of webhooks: its host name.
    private static func origin(_ ground: StartContext) -> String {
        PublicURL.host(ground.addresses.publicURL) ?? ground.addresses.publicURL
    }

    /// Asks receivers of webhooks for their consent.
    func webhookHandshake(_ ground: StartContext) -> WebhookHandshake {
        let outbound = webhooks
        return WebhookHandshake(
            origin: Self.origin(ground), addresses: ground.configuration.webhooks.addresses,
            send: { (request) throws(OutboundFault) in try await outbound.send(request) })
    }

    /// Calls receivers of webhooks.
    func webhookSender(_ ground: StartContext) -> WebhookSender {
        let (outbound, logger, tokens, random) = (webhooks, ground.logger, ground.tokens, ground.store.random)
        let (testNumbers, now) = (ground.store.testNumbers, ground.environment.now)
        let standard = StandardWebhooks(
            body: WebhookBody(
                mode: ground.configuration.mode.rawValue, publicURL: ground.addresses.publicURL,
                subject: ground.store.webhookSigning.subject,
                statement: { statement in
                    let (number, client) = (statement.number, statement.clientID)
                    guard testNumbers.testNumbers.first(of: number, by: client, at: statement.provenAt) == nil else {
                        return nil
                    }
                    return try? tokens.statementOfProof(statement, jti: try random.randomBytes(16), at: now())
                }),
            signing: ground.store.webhookSigning, now: { SystemClock.now() })
        let prelude = PreludeWebhooks { (body) throws(TokenFault) in try tokens.signWebhook(body, at: now()) }
        let otpless = OtplessWebhooks(
            mac: ground.store.webhookSigning.mac, keyed: ground.store.keyed, numbers: ground.environment.numbers)
        return WebhookSender(
            dialects: [.standard: standard, .cloudevents: standard, .prelude: prelude, .otpless: otpless],
            origin: Self.origin(ground), addresses: ground.configuration.webhooks.addresses,
            send: { (request) throws(OutboundFault) in try await outbound.send(request) },
            report: { logger.error("\($0)") })
    }
}
