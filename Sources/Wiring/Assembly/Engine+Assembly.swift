internal import ProveSurfaces
internal import Logging
internal import HTTPServer
internal import Observation
internal import Possession
internal import SQLiteStorage
internal import Text
internal import Tokens

extension Engine {
    /// Counts what has happened.
    private static func noteNews(
        _ ground: Groundwork, _ network: Network, _ limits: LimitLog
    ) -> @Sendable (EngineNews) -> Void {
        let sessions = SessionFigures(ground.registry, products: ProductName.ofPlatform)
        let gateways = network.messages.figures
        return { news in
            sessions.note(news)
            gateways?.note(news)
            if case .prefixClosed(let closing) = news { limits.note(closing) }
        }
    }

    /// The rules, on the stores and ports of this server.
    ///
    /// - Parameters:
    ///   - texts: of messages, as they are now.
    ///   - announce: told of every session that changed.
    init(
        _ ground: Groundwork, _ network: Network, texts: @escaping @Sendable () -> MessageTexts,
        announce: @escaping @Sendable (AuthID) -> Void
    ) {
        let (store, surroundings, logger) = (ground.store, ground.surroundings, ground.logger)
        let publicURL = ground.addresses.publicURL
        let limitLog = LimitLog(ground.registry, logger)
        self.init(
            rules: Rules(
                limits: Limits(ground.configuration), capabilities: surroundings.capabilities,
                reputation: surroundings.reputation),
            sessions: store.sessions, outbox: store.sessions.outbox, deviceKeys: store.deviceKeys,
            identities: store.identities, people: network.people, tenants: store.tenants,
            limitCounts: store.limitCounts,
            tokens: ground.tokens, proofs: DPoPVerifier(deviceAudience: publicURL + "/client/v1"),
            gateway: network.messages.gateway, sending: network.messages.sending,
            operators: network.operators, mobileAuthTokens: store.mobileAuthTokens,
            numbers: surroundings.numbers, codes: surroundings.codes, keyed: store.keyed, now: surroundings.now,
            randomBytes: store.random.randomBytes, announce: announce,
            report: { logger.warning("\($0)") }, noteLimit: { limitLog.note($0, $1) },
            noteNews: Engine.noteNews(ground, network, limitLog),
            texts: texts, messageOrigin: PublicURL.domain(publicURL), linkURL: ground.addresses.linkURL)
    }
}
