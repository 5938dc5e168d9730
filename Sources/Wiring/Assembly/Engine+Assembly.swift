internal import CamaraSurface
internal import HookSurface
internal import PreludeSurface
internal import ProveSurfaces
internal import TwilioVerifySurface
internal import OnboardingSurface
internal import OtplessSurface
internal import Logging
internal import HTTPServer
internal import Observation
internal import Outbound
internal import Engine
internal import Possession
internal import Storage
internal import Text
internal import Tokens

extension Engine {
    /// Counts events of the engine.
    private static func noteNews(
        _ ground: StartContext, _ network: NetworkServices, _ limits: LimitLog
    ) -> @Sendable (EngineNews) -> Void {
        let products =
            ProductName.ofPlatform + [.prelude, .twilioVerify, .otpless, .onboarding, .hook, .camara, .camaraNumber]
        let sessions = SessionFigures(ground.registry, products: products)
        let (gateways, logger) = (network.messages.figures, ground.logger)
        return { news in
            sessions.note(news)
            gateways?.note(news)
            switch news {
            case .placeClosed(let place): limits.note(closed: place)
            case .placeOpened(let place): limits.note(opened: place)
            case .budget(let budget): limits.note(budget)
            case .messageWithoutAddress(let client): limits.note(sentWithoutAddress: client)
            case .testNumber(let number, let use, let client): logger.note(use, of: number, client)
            case .change, .message, .receipt, .receiptOverdue, .sentAgain: break
            }
        }
    }

    /// The engine, with the stores and ports of this server.
    ///
    /// - Parameters:
    ///   - texts: the current texts of messages.
    ///   - announce: called with every changed session.
    ///   - wakeWebhooks: called with the endpoints that have waiting events.
    convenience init(
        _ ground: StartContext, _ network: NetworkServices, texts: @escaping @Sendable () -> MessageTexts,
        announce: @escaping @Sendable (AuthID) -> Void,
        wakeWebhooks: @escaping @Sendable ([WebhookEndpointID]) -> Void
    ) {
        let (store, environment, logger) = (ground.store, ground.environment, ground.logger)
        let publicURL = ground.addresses.publicURL
        let limitLog = LimitLog(ground.registry, logger)
        var settings = Settings(linkURL: ground.addresses.linkURL)
        settings.codes = environment.codes
        settings.texts = texts
        settings.testNumbers = { store.testNumbers.testNumbers }
        settings.closedPrefixes = { store.closedPrefixes.closedPrefixes }
        settings.servers = { store.watched.servers }
        settings.messageOrigin = PublicURL.domain(publicURL)
        self.init(
            rules: Rules(
                limits: store.limits.limits, capabilities: environment.capabilities,
                standingStopsSends: network.reputation?.stopsSends ?? false),
            settings, stores: Stores(store),
            crypto: Cryptography(
                keyed: store.keyed, tokens: ground.tokens,
                proofs: DPoPVerifier(deviceAudience: publicURL + "/client/v1"),
                mobileAuthTokens: store.mobileAuthTokens, randomBytes: store.random.randomBytes,
                reservedAudiences: ReservedAudiences(
                    urls: [publicURL, ground.addresses.linkURL, ground.addresses.ownURL]
                        + ground.configuration.operatorTokenURLs)),
            network: Network(
                numbers: environment.numbers,
                emails: environment.emails ?? WorldEmails { network.messages.routed?.carries(.email) ?? false },
                gateway: network.messages.gateway, sending: network.messages.sending, operators: network.operators,
                simSwaps: network.simSwaps, people: network.people, reputation: network.reputation),
            reports: Reports(
                log: { logger.warning("\($0)") }, audit: store.audit, announce: announce,
                recordLimit: { limit, number in
                    limitLog.note(limit, number)
                    if let number { store.refusals.note(limit, number, at: environment.now()) }
                },
                recordNews: Engine.noteNews(ground, network, limitLog), wakeWebhooks: wakeWebhooks),
            now: environment.now)
    }
}

extension Engine.Stores {
    fileprivate convenience init(_ store: Store) {
        self.init(
            sessions: store.sessions, outbox: store.sessions.outbox, deviceKeys: store.deviceKeys,
            activations: store.activations, deviceTokens: store.deviceTokens, identities: store.identities,
            limitCounts: store.limitCounts, webhooks: store.webhooks, notices: store.connectionNotices,
            refusedStarts: store.refusedStarts,
            clients: Engine.ClientStores(
                tenants: store.tenants, apiKeys: store.apiKeys, applications: store.applicationKeys,
                brands: store.brands, domains: store.domains, numberLists: store.listedNumbers,
                senderNames: store.senderNames, testNumbers: store.testNumbers))
    }
}

extension Logger {
    /// Logs each use of a test number in one line, with the number masked.
    fileprivate func note(_ use: TestNumberUse, of number: PhoneNumber, _ client: ClientID) {
        notice(
            "a test number was used",
            metadata: ["number": "\(number)", "client": "\(client.text)", "use": "\(use.rawValue)"])
    }
}
