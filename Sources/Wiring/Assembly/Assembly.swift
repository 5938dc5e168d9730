internal import Text
internal import SurfaceKit
package import Administration
internal import Clocks
package import HTTPServer
internal import Locks
internal import Logging
package import Observation
internal import Outbound
internal import PhoneNumbers
package import Engine
internal import Possession
internal import Storage
internal import Sandbox
internal import Tokens

/// The whole server, built once from top to bottom. Each part has its own file, which names its concrete types:
///
///     Environment  what the mode decides: clock, numbers, people, operators, carrier
///     Store         the data directory: tables and keys
///     Network       calls to other servers
///     Engine        the rules (`Engine+Assembly.swift`)
///     Wakes         wakes callers after a change, at this server and at others
///     Watches       damage, faults, readiness
///     Surfaces      every surface and its routes
///     Servers       listeners for callers, operators and commands
///     Upkeep        what goes on beside requests
package final class Assembly: Sendable {
    package let configuration: Configuration
    let logger: Logger
    let sink: LogSink
    /// `nil`: a live server.
    let played: PlayedWorld?
    /// The numbering plan that reads numbers.
    let numberingPlan: PlanInUse
    /// The current texts of messages.
    let texts: Locked<MessageTexts>
    private let addresses: ServerAddresses
    package let store: Store
    package let engine: Engine
    /// The configuration from which the current limits come.
    let takenLimits: Locked<Configuration>
    let network: NetworkServices
    let servers: Servers
    /// `nil`: callers speak plain HTTP.
    let tls: PublicTLS?
    private let audit: AuditWatch
    private let upkeep: Upkeep
    private let outbox: OutboxWorker
    private let resealing: ResealingWorker
    private let webhooks: WebhookWorker
    private let tables: TableFigures
    /// `nil`: the engine checks the database itself.
    let integrity: IntegrityWatch?
    private let isDraining: Locked<Bool>

    /// - Parameters:
    ///   - sink: receives log lines.
    ///   - consent: the risks that the operator has accepted for this start.
    ///   - handed: listening sockets from a service manager.
    ///   - gateway: replaces the message carrier of the mode.
    ///   - finder: replaces the operator's service that finds people by credentials.
    ///   - onFatal: called once if it is unknown what is on the disk. The process must end.
    package init(
        _ configuration: Configuration, sink: LogSink, consent: StartConsent = StartConsent(),
        handed: InheritedSockets = InheritedSockets(), gateway: (any MessageGateway)? = nil,
        finder: (any PersonFinder)? = nil, onFatal: @escaping @Sendable (String) -> Void
    ) async throws(StartFault) {
        let logger = Logger(configuration, sink)
        self.configuration = configuration
        self.logger = logger
        self.sink = sink

        // Check everything named in the configuration before opening anything.
        let inUse = PlanInUse()
        numberingPlan = inUse
        if configuration.numbers.planFile != nil { _ = inUse.take(try .made(of: configuration.plan())) }
        logger.note(inUse.file, at: SystemClock.now())
        let (clock, waits) = (ForwardClock(), WaitList())
        let environment = try Environment(
            configuration, plan: inUse, clock: clock, waits: waits, gateway: gateway)
        if configuration.mode == .live, !inUse.isRead {
            logger.warning(
                "numbers are read by the tables of this system's libphonenumber, which takes no others: their age is unknown"
            )
        }
        played = environment.played
        let worded = try configuration.messageTexts()
        logger.warn(of: worded.check)
        let texts = Locked(worded.texts)
        self.texts = texts
        let (identity, reputation) = (configuration.identity, configuration.reputation)
        let identityKey = try SharedSecret.key(
            ofService: "identity", url: identity.url ?? identity.lookupURL, file: identity.secretFile)
        let reputationKey = try SharedSecret.key(
            ofService: "reputation", url: reputation.url, file: reputation.secretFile)
        let messaging = try configuration.messaging.routesFile.map { (path) throws(StartFault) in
            try MessagingFile.load(path, presets: configuration.messaging.presets)
        }
        addresses = try ServerAddresses(configuration, handed: handed)
        tls = try PublicTLS(configuration, now: { SystemClock.now().milliseconds / 1000 }, logger: logger)

        // The parts on which everything else depends.
        store = try await Store.open(
            configuration, now: environment.now, clock: clock, consent: consent, onFatal: onFatal,
            noteWait: { logger.warning("the start waits for the database", metadata: ["reason": "\($0)"]) })
        for warning in store.startWarnings { logger.warning("\(warning)") }
        logger.note(store.keysets.startNotes)
        let damaged = store.webhooks.damagedEndpoints
        if damaged > 0 {
            logger.error(
                "\(damaged) webhook endpoints are damaged and are told nothing: restore a backup, or have their owners add them again"
            )
        }
        try await environment.played?.restoreClock(from: store.sandboxClock)
        let tokens = try await store.tokenService(publicURL: addresses.publicURL)
        try await store.followKeys(tokens)
        let registry = MetricsRegistry(
            RequestMetrics.families + ProcessFigures.families + LimitLog.families + SessionFigures.families
                + CountedOperator.families + CountedIdentityService.families + CountedPersonLookup.families
                + CountedReputation.families
                + OutboxWorker.families
                + WebhookWorker.families)
        let ground = StartContext(
            configuration: configuration, logger: logger, registry: registry, addresses: addresses,
            environment: environment, store: store, tokens: tokens)

        // The engine, and its administration.
        network = NetworkServices(
            ground, identityKey: identityKey, reputationKey: reputationKey, messaging: messaging, finder: finder)
        let wakes = Wakes(store, waits)
        let engine = Engine(
            ground, network, texts: { texts.withLock { $0 } }, announce: wakes.announce, wakeWebhooks: wakes.ring)
        self.engine = engine
        takenLimits = Locked(configuration)
        environment.played?.play(with: engine, logger)
        let erasure = Erasure(
            store: store.erasures, announce: wakes.announce,
            forgetMessages: { environment.played?.inbox.forget($0, of: $1) ?? 0 })
        let handshake = network.webhookHandshake(ground)
        let webhookManager = store.webhookManager(
            configuration.webhookURLs(publicURL: addresses.publicURL), ask: { await handshake.ask($0, for: $1) },
            wake: wakes.ring, changeRing: { tokens.changeRing($0) })
        let progress = ResealProgress()
        let administrator = store.administrator(
            erasure, webhooks: webhookManager, resealing: progress, numbers: environment.numbers
        ) {
            tokens.changeRing($0)
        }

        // The parts that callers can see.
        let isDraining = Locked(false)
        self.isDraining = isDraining
        let watches = try await Watches(ground, clock: clock, sink: sink, isDraining: isDraining, onFatal: onFatal)
        integrity = watches.integrity
        let surfaces = Surfaces(
            ground, engine, network, erasure, webhookManager, watches.readiness,
            applications: try store.sandboxApplications(configuration), waits: waits, watchers: wakes.watchers)
        let access =
            configuration.log.requests ? AccessLog(sink, refusalsPerSecond: configuration.log.refusalsPerSecond) : nil
        let requests = RequestMetrics(registry)
        let database = store.watched
        let names = HostNames(
            urls: [addresses.publicURL] + [configuration.link.publicURL].compactMap(\.self),
            names: configuration.server.hostNames)
        let (foreignNames, silentProxies) = (RareWarning.foreignName(logger), RareWarning.silentProxy(logger))
        do throws(StartFault) {
            servers = try Servers(
                configuration, surfaces, ControlSurface(administrator, note: { logger.note($0) }), tls: tls,
                hasAccessLog: access != nil, storeWait: { database.expectedWait(behind: $0) },
                knownClient: { tokens.rememberedClient(of: $0) ?? engine.rememberedClient(ofKey: $0) },
                names: names, noteName: { foreignNames.note($0, at: SystemClock.now()) },
                noteProxy: { silentProxies.note($0.address?.text ?? "", at: SystemClock.now()) }
            ) { exchanges in
                requests.record(exchanges)
                for exchange in exchanges { access?.record(exchange) }
            }
        } catch {
            await store.close()
            throw error
        }
        Assembly.collectFigures(ground, servers.main, surfaces.places, watches)
        if let tls { registry.collect(tls.collect) }
        registry.collect(progress.collect)
        let tables = TableFigures(now: { SystemClock.now() }, logger: logger) { () throws(StorageFault) in
            try await database.tableSizes()
        }
        self.tables = tables
        registry.collect(tables.collect)
        registry.collect { PlanFigures.collect(inUse.file, at: SystemClock.now(), &$0) }

        // The background work.
        outbox = OutboxWorker(engine, store.duties, registry, logger)
        resealing = ResealingWorker(
            store.keysets, store.duties, waitForServers: store.waitForServers, store.resealer, progress, logger,
            store.audit)
        webhooks = WebhookWorker(ground, engine, network.webhookSender(ground), wakes.bell)
        let audit = AuditWatch(
            store.audit, keptFor: .seconds(configuration.audit.retentionDays * 86_400), now: environment.now,
            logger: logger)
        self.audit = audit
        upkeep = Upkeep(
            store: store, audit: audit, activations: ActivationSweep(engine),
            administrator: administrator,
            server: servers.main, refusals: RefusalLog(logger),
            places: surfaces.places, origins: surfaces.origins, process: ProcessFigures(registry),
            limits: Limits(configuration), webhookRetention: .seconds(configuration.webhooks.retentionDays * 86_400),
            appClient: configuration.app.clientID,
            rotationDays: configuration.keys.rotationDays,
            sealingRotationDays: configuration.keys.sealingRotationDays,
            timeToRemoveBy: {
                let ahead = Duration.seconds(environment.played?.clock.offsetSeconds ?? 0)
                return watches.faults.timeToRemoveBy?.adding(ahead)
            },
            faults: watches.faults, access: access, tls: tls, logger: logger)
        wakes.begin()
        await audit.begin(configuration.mode, consent)
        try await store.saveSandboxClients(configuration)
        await upkeep.everyFiveSeconds()
        await upkeep.checkAppClient()
        tls?.everyMinute()
    }

    // MARK: Running

    /// Listens. Returns the addresses of the public server.
    package func start() throws(StartFault) -> [BoundAddress] {
        try servers.start(on: addresses, controlSocket: Assembly.controlSocketPath(configuration))
    }

    /// The address of the listener for operators; `nil`: it does not listen.
    package var boundOperationsAddress: BoundAddress? { servers.boundOperationsAddress }

    /// The address of the listener that redirects to https; `nil`: it does not listen.
    package var boundRedirectAddress: BoundAddress? { servers.boundRedirectAddress }

    /// Reports not ready at `/readyz`, waits `notice` so that load balancers see it, finishes open requests, and closes
    /// the store (OPS-01, OPS-03).
    package func shutDown(notice: Duration) async {
        isDraining.withLock { $0 = true }
        logger.notice("draining", metadata: ["seconds": "\(configuration.server.drainSeconds)"])
        let end = ContinuousClock.now + notice + .seconds(configuration.server.drainSeconds)
        await servers.stop(notice: notice, drain: .seconds(configuration.server.drainSeconds))
        await network.shutDown(grace: end - .now)
        await audit.reportNewest()
        await store.close()
        logger.notice("stopped")
    }

    /// Until it is cancelled: sends messages left by a crash, removes expired data, rotates keys, samples figures and
    /// checks for damage.
    package func runUpkeep() async {
        await withTaskGroup { group in
            group.addTask { await self.outbox.run() }
            group.addTask { await self.webhooks.run() }
            group.addTask { await self.resealing.run() }
            if let integrity { group.addTask { await integrity.run() } }
            group.addTask { await self.upkeep.run() }
            group.addTask { await self.tables.run() }
            if let played { group.addTask { await played.run() } }
        }
    }

    package static func controlSocketPath(_ configuration: Configuration) -> String {
        configuration.data.directory + "/control.sock"
    }

    // MARK: Steps of the assembly

    private static func collectFigures(
        _ ground: StartContext, _ server: Server, _ places: WaitingPlaces, _ watches: Watches
    ) {
        let files = StoreFigures(ground.tokens, ground.configuration, now: ground.environment.now)
        ground.registry.collect(ServerFigures(server, ground.store.watched, places, files: files).collect)
        ground.registry.collect(BuildInfo.collect)
        ground.registry.collect(watches.faults.collect)
        if let integrity = watches.integrity { ground.registry.collect(integrity.collect) }
    }
}
