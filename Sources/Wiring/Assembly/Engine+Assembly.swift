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
internal import SQLiteStorage
internal import Text
internal import Tokens

extension Engine {
    /// Counts events of the engine.
    private static func noteNews(
        _ ground: StartContext, _ network: Network, _ limits: LimitLog
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
        _ ground: StartContext, _ network: Network, texts: @escaping @Sendable () -> MessageTexts,
        announce: @escaping @Sendable (AuthID) -> Void,
        wakeWebhooks: @escaping @Sendable ([WebhookEndpointID]) -> Void
    ) {
        let (store, environment, logger) = (ground.store, ground.environment, ground.logger)
        let publicURL = ground.addresses.publicURL
        let limitLog = LimitLog(ground.registry, logger)
        self.init(
            rules: Rules(
                limits: store.limits.limits, capabilities: environment.capabilities,
                standingStopsSends: network.reputation?.stopsSends ?? false),
            reputation: network.reputation, simSwaps: network.simSwaps,
            sessions: store.sessions, outbox: store.sessions.outbox, deviceKeys: store.deviceKeys,
            identities: store.identities, people: network.people, tenants: store.tenants,
            apiKeys: store.apiKeys, applications: store.applicationKeys, limitCounts: store.limitCounts,
            webhooks: store.webhooks, audit: store.audit,
            tokens: ground.tokens, proofs: DPoPVerifier(deviceAudience: publicURL + "/client/v1"),
            gateway: network.messages.gateway, sending: network.messages.sending,
            operators: network.operators, mobileAuthTokens: store.mobileAuthTokens,
            numbers: environment.numbers,
            emails: environment.emails ?? WorldEmails { network.messages.routed?.carries(.email) ?? false },
            codes: environment.codes,
            testNumbers: { store.testNumbers.testNumbers },
            closedPrefixes: { store.closedPrefixes.closedPrefixes }, keyed: store.keyed, now: environment.now,
            randomBytes: store.random.randomBytes, announce: announce,
            report: { logger.warning("\($0)") },
            noteLimit: { limit, number in
                limitLog.note(limit, number)
                if let number { store.refusals.note(limit, number, at: environment.now()) }
            },
            noteNews: Engine.noteNews(ground, network, limitLog), wakeWebhooks: wakeWebhooks,
            texts: texts, messageOrigin: PublicURL.domain(publicURL), linkURL: ground.addresses.linkURL,
            reservedAudiences: ReservedAudiences(
                urls: [publicURL, ground.addresses.linkURL, ground.addresses.ownURL]
                    + ground.configuration.operatorTokenURLs))
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
