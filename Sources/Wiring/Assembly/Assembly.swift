internal import Clocks
internal import Locks
internal import API
package import Administration
internal import Sandbox
package import HTTPServer
internal import Logging
package import Observation
internal import Outbound
internal import PhoneNumbers
internal import Possession
internal import SQLiteStorage
internal import Text
internal import Tokens

/// The whole server, put together once, top to bottom: the parts list, and the only place that names concrete types
/// together.
package final class Assembly: Sendable {
    package let configuration: Configuration
    let logger: Logger
    let sink: LogSink
    /// The sandbox users of now; none in live.
    let userList: SandboxUserList
    private let handed: HandedSockets
    private let reservation: PortReservation?
    private let port: Int
    private let store: Store
    private let outbound: OutboundHTTP
    private let tokens: ES256TokenService
    private let server: Server
    private let controlServer: Server
    /// `nil`: operators call the public server.
    private let operationsServer: Server?
    private let upkeep: Upkeep
    let integrity: IntegrityWatch
    private let isDraining: Locked<Bool>
    private let operationsAddress = Locked<BoundAddress?>(nil)

    /// - Parameters:
    ///   - sink: takes log lines.
    ///   - consent: what the operator has agreed to for this start.
    ///   - handed: listening sockets from outside.
    ///   - onFatal: told once when it is unknown what is on the disk; the process must end.
    package init(
        _ configuration: Configuration, sink: LogSink, consent: StartConsent = StartConsent(),
        handed: HandedSockets = HandedSockets(),
        onFatal: @escaping @Sendable (String) -> Void
    ) async throws(StartFault) {
        self.configuration = configuration
        let logger = Logger(configuration, sink)
        self.logger = logger
        self.sink = sink
        let plan = try Assembly.numberingPlan(configuration)
        let sandboxUsers = try Assembly.sandboxUsers(configuration)
        let identityKey = try Assembly.identityKey(configuration)

        // Addresses.
        guard handed.operations.isEmpty || configuration.server.operations != nil else {
            throw .configuration("LISTEN_FDNAMES: there is no operations listener: set server.operationsPort")
        }
        self.handed = handed
        let isReserved = configuration.server.port == 0 && handed.publicOnes.isEmpty
        reservation = isReserved ? PortReservation(host: configuration.server.hosts[0]) : nil
        port = reservation?.port ?? handed.publicOnes.first?.address.port ?? configuration.server.port
        let publicURL = configuration.server.publicURL ?? "http://127.0.0.1:\(port)"

        // Time and storage.
        let systemNow: Now = { SystemClock.now() }
        let forwardClock = ForwardClock()
        let forwardNow: Now = { forwardClock.now() }
        let clock = OffsetClock(systemNow: forwardNow)
        let isSandbox = configuration.mode == .sandbox
        let sandboxNow: Now = { clock.now() }
        let now = isSandbox ? sandboxNow : forwardNow
        store = try await Store.open(
            configuration, now: now, clock: forwardClock, consent: consent, onFatal: onFatal)
        if isSandbox { try await Assembly.restore(clock, from: store.sandboxClock) }

        // Tokens.
        let ring: SigningKeyRing
        do { ring = try await store.keeper.load(at: now()) } catch { throw .failed(error.advice) }
        let tokens = ES256TokenService(publicURL: publicURL, ring: ring)
        self.tokens = tokens

        // Outside: carrier and numbers.
        let waits = WaitList()
        let inbox = InMemoryInbox(now: now) { _ in waits.publish(SandboxSurface.messagesKey) }
        let announce: @Sendable (AuthID) -> Void = { waits.publish($0.text) }
        let erasure = Erasure(
            store: store.erasures, announce: announce, forgetMessages: { inbox.forget($0, of: $1) })
        let administrator = store.administrator(erasure) { tokens.changeRing($0) }
        let userList = SandboxUserList(sandboxUsers?.entries ?? [])
        self.userList = userList
        let users = userList.users
        let world = PlannedNumbers(refusesKinds: configuration.enforcesLimitsOverSessions, plan: { plan.planned($0) })
        let numbers: any NumberDirectory =
            configuration.sandbox.map {
                SandboxNumbers(
                    users, unknown: $0.unknownNumbers.rule, products: configuration.sandboxProducts, world: world)
            } ?? world
        // The plan's tables take some 20 ms to build: not on a loop, at the first request.
        if configuration.sandbox?.unknownNumbers != .refuse { _ = plan.number("+12015550123") }

        // Figures.
        let registry = MetricsRegistry(
            RequestMetrics.families + ProcessFigures.families + LimitLog.families + SessionFigures.families
                + CountedOperator.families + CountedIdentityService.families)

        // Calls to others.
        let outbound = OutboundHTTP()
        self.outbound = outbound
        let send: OutboundSend = { (request) throws(OutboundFault) in try await outbound.send(request) }

        // People: those the operator's service knows or else the operator imported, in sandbox behind the users file.
        let known = Assembly.knownPeople(
            configuration, key: identityKey, imported: StoredPeople(store.people), send: send, systemNow: systemNow,
            registry: registry)
        let people: any IdentitySource =
            isSandbox ? SandboxPeople(userList, others: known) : known

        // Mobile operators.
        let network = MobileNetwork(
            configuration, publicURL: publicURL, port: port, tokens: tokens,
            // Operators compare assertions with their own clocks.
            now: isSandbox ? now : systemNow,
            randomBytes: store.random.randomBytes, send: send)
        let directory = network.directory(registry)
        let operators: any MobileOperators =
            isSandbox ? SimulatedConnections(directory, numbers: numbers) : directory

        // The rules.
        let standing: @Sendable (PhoneNumber) -> Reputation = { users.user($0)?.standing ?? Reputation() }
        let rules = Rules(
            limits: Limits(configuration),
            capabilities: Session.Capabilities(
                mobileAuth: isSandbox || !configuration.mobileAuth.operators.isEmpty, testMode: isSandbox),
            reputation: isSandbox ? standing : nil)
        let scripted = ScriptedCarrier(users: users, inbox: inbox)
        let carrier: any MessageGateway = isSandbox ? scripted : NoCarrier()
        let limitLog = LimitLog(registry, logger)
        let engine = Engine(
            rules: rules, sessions: store.sessions, deviceKeys: store.deviceKeys, identities: store.identities,
            people: people, tenants: store.tenants, limitCounts: store.limitCounts,
            tokens: tokens, proofs: DPoPVerifier(deviceAudience: publicURL + "/client/v1"),
            gateway: carrier, operators: operators,
            mobileAuthTokens: store.mobileAuthTokens, numbers: numbers,
            codes: isSandbox ? ScriptedCodes(users) : DrawnCodes(), keyed: store.keyed, now: now,
            randomBytes: store.random.randomBytes, announce: announce,
            report: { logger.warning("\($0)") }, noteLimit: limitLog.note,
            noteNews: SessionFigures(registry, products: ProductName.ofPlatform).note,
            messageOrigin: PublicURL.domain(publicURL),
            linkURL: configuration.link.publicURL ?? publicURL)
        scripted.answerLinks { token, approves in
            do { try await LinkService(engine).answer(token, approves: approves) } catch {
                logger.warning("a link that its user answers: \(error)")
            }
        }

        // Observation.
        let requests = RequestMetrics(registry)
        let access =
            configuration.log.requests
            ? AccessLog(sink, refusalsPerSecond: configuration.log.refusalsPerSecond) : nil
        let isDraining = Locked(false)
        self.isDraining = isDraining
        let origins = Locked<Set<ByteText>>([])

        // Surfaces.
        let database = store.database
        let integrity: IntegrityWatch
        do { integrity = try await IntegrityWatch(database, wall: systemNow, logger: logger) } catch {
            throw .failed("storage: \(error)")
        }
        self.integrity = integrity
        let faults = FaultWatch(
            database, clock: forwardClock, mark: store.clockMark, sink: sink, logger: logger,
            isDamaged: { integrity.isDamaged }, onFatal: onFatal)
        let readiness = Readiness(
            database, signs: { tokens.signs(at: now()) }, isDamaged: { integrity.isDamaged }, isDraining: isDraining,
            logger: logger)
        let operations = OperationsSurface(
            engine: engine,
            notReady: { await readiness.reason() },
            metrics: { String(decoding: registry.render(), as: UTF8.self) },
            description: { APIDescription(publicURL: publicURL, isSandbox: isSandbox, sha256: SHA256.digest) })
        let platform = PlatformSurface(
            engine: engine, settings: PlatformSurface.Settings(configuration), systemNow: forwardNow)
        let identities = IdentitySurface(beside: platform, domains: store.domains, erasure: erasure)
        let auth = AuthSurface(beside: platform)
        let trustedProxies = configuration.server.trustedProxies
        let places = WaitingPlaces(
            most: configuration.server.maxStreams, mostPerAddress: configuration.server.maxStreamsPerAddress,
            trustedProxies: trustedProxies)
        let client = ClientSurface(
            engine: engine,
            settings: ClientSurface.Settings(
                publicURL: publicURL, isSandbox: isSandbox, trustedProxies: configuration.server.trustedProxies),
            beside: platform, waits: waits, places: places,
            isOriginListed: { origin in origins.withLock { $0.contains(ByteText(origin)) } },
            systemNow: systemNow)
        let links = LinkSurface(
            engine: engine, trustedProxies: trustedProxies, beside: platform, sha256: SHA256.digest)
        let mobileAuth = MobileAuthSurface(engine: engine, trustedProxies: trustedProxies, beside: platform)
        let app = AppSurface.Settings(configuration, publicURL: publicURL).map {
            AppSurface(engine: engine, settings: $0, beside: platform)
        }
        let clockTable = store.sandboxClock
        let sandbox = SandboxSurface(
            engine: engine, publicURLs: [publicURL] + (configuration.link.publicURL.map { [$0] } ?? []),
            places: places, inbox: inbox, clock: clock,
            keepClock: { () throws(StorageFault) in try await clockTable.save { clock.offsetSeconds } }, users: users,
            waits: waits)
        let simulated = network.simulatedOperator(users, hang: SimulatedOperator.hang(waits)) {
            logger.warning("\($0)")
        }
        let publicOperations = operations.publicRoutes(
            metrics: configuration.server.publicMetrics, description: configuration.server.publicDocs)
        var routes = [publicOperations, platform.routes, client.routes, links.routes, mobileAuth.routes].flatMap { $0 }
        routes += identities.routes + auth.routes + (app?.routes ?? [])
        if isSandbox { routes += sandbox.routes + simulated.routes }
        let front = FrontSurface(beside: routes, isSandbox: isSandbox, sha256: SHA256.digest)
        let operationsFront = FrontSurface(beside: operations.routes, isSandbox: isSandbox, sha256: SHA256.digest)

        // Servers.
        let observe: @Sendable ([Exchange]) -> Void = { exchanges in
            requests.record(exchanges)
            for exchange in exchanges { access?.record(exchange) }
        }
        let addresses = ClientAddress(trustedProxies: trustedProxies)
        let makeNotes: Server.MakeNotes? = access == nil ? nil : { @Sendable in addresses.notes($0, $1) }
        do throws(SocketError) {
            server = try Server(
                limits: HTTPServer.Limits(configuration), loops: Assembly.loops(configuration),
                router: Router(routes + front.routes),
                isExempt: { trustedProxies.contains($0.address) }, failureResponse: failureResponse,
                failurePage: front.failurePage, makeNotes: makeNotes, observe: observe)
            // A loop and limits of their own: nothing that callers do keeps operators out (OPS-03).
            operationsServer =
                configuration.server.operations == nil
                ? nil
                : try Server(
                    limits: .operations, loops: 1, router: Router(operations.routes + operationsFront.routes),
                    failureResponse: failureResponse, failurePage: operationsFront.failurePage, makeNotes: makeNotes,
                    observe: observe)
            controlServer = try Server(
                limits: HTTPServer.Limits(), loops: 1,
                router: Router(ControlSurface(administrator, note: { logger.note($0) }).routes),
                failureResponse: failureResponse, observe: { _ in })
        } catch {
            await store.close()
            throw .failed("server: \(error)")
        }
        registry.collect(
            ServerFigures(server, database, places, files: StoreFigures(tokens, configuration, now: now)).collect)
        registry.collect(BuildInfo.collect)
        registry.collect(faults.collect)
        registry.collect(integrity.collect)

        // What goes on beside requests.
        upkeep = Upkeep(
            store: store, administrator: administrator, server: server, refusals: RefusalLog(logger),
            places: places, origins: origins, process: ProcessFigures(registry), limits: Limits(configuration),
            appClient: configuration.app.clientID, rotationDays: configuration.keys.rotationDays,
            timeToRemoveBy: {
                faults.timeToRemoveBy.map { isSandbox ? $0.adding(.seconds(clock.offsetSeconds)) : $0 }
            },
            faults: faults, access: access, logger: logger)
        try await saveSandboxClients()
        await upkeep.everyFiveSeconds()
        await upkeep.checkAppClient()
    }

    // MARK: Running

    /// Listens; returns the addresses of the public server.
    package func start() throws(StartFault) -> [BoundAddress] {
        do throws(SocketError) {
            _ = try controlServer.start(on: [.unix(path: Assembly.controlSocketPath(configuration))])
            if let operations = configuration.server.operations, let operationsServer {
                let own = [ListenAddress.tcp(host: operations.host, port: operations.port)]
                let bound = try operationsServer.start(
                    on: handed.operations.isEmpty ? own : handed.operations.map { .inherited($0) })
                operationsAddress.withLock { $0 = bound.first }
            }
            let own = configuration.server.hosts.map { ListenAddress.tcp(host: $0, port: port) }
            return try server.start(
                on: handed.publicOnes.isEmpty ? own : handed.publicOnes.map { .inherited($0) })
        } catch { throw .failed("cannot listen: \(error)") }
    }

    /// The address of the listener for operators, once it listens.
    package var boundOperationsAddress: BoundAddress? { operationsAddress.withLock { $0 } }

    /// Says no at `/readyz`, waits `notice` so that balancers see it, answers what is in flight, closes the store
    /// (OPS-01, OPS-03).
    package func shutDown(notice: Duration) async {
        isDraining.withLock { $0 = true }
        logger.notice("draining", metadata: ["seconds": "\(configuration.server.drainSeconds)"])
        server.announceEnd()
        if notice > .zero { try? await Task.sleep(for: notice) }
        await server.drain(within: .seconds(configuration.server.drainSeconds))
        await server.stop()
        await controlServer.stop()
        // The last to go: a probe that asks gets an answer to the end.
        await operationsServer?.stop()
        await outbound.shutdown()
        await store.close()
        logger.notice("stopped")
    }

    /// Sweeps, rotates, samples and looks for damage until it is cancelled.
    package func runUpkeep() async {
        await withTaskGroup { group in
            group.addTask { await self.integrity.run() }
            group.addTask { await self.upkeep.run() }
        }
    }

    package static func controlSocketPath(_ configuration: Configuration) -> String {
        configuration.data.directory + "/control.sock"
    }

    // MARK: Steps of the assembly

    /// What had expired before a restart stays so.
    private static func restore(_ clock: OffsetClock, from table: SandboxClockTable) async throws(StartFault) {
        do throws(StorageFault) { _ = clock.advance(seconds: try await table.offsetSeconds()) } catch {
            throw .failed("storage: \(error)")
        }
    }

    private static func numberingPlan(_ configuration: Configuration) throws(StartFault) -> NumberingPlan {
        do { return try NumberingPlan(defaultRegion: configuration.server.defaultRegion) } catch {
            throw .configuration("server.defaultRegion: there is no such region")
        }
    }

    private static func sandboxUsers(_ configuration: Configuration) throws(StartFault) -> SandboxUsersFile? {
        guard let path = configuration.sandbox?.usersFile else { return nil }
        return try SandboxUsersFile.load(path)
    }

    /// The API clients of the configuration file. Those that are stored already, as they should be, are not written
    /// again; one that was revoked stays so.
    private func saveSandboxClients() async throws(StartFault) {
        for client in configuration.sandbox?.clients ?? [] {
            guard let id = ClientID(client.id) else { continue }
            do throws(StorageFault) {
                let stored = try await store.tenants.tenant(id)
                let wanted = Tenant(
                    id: id, rules: client.rules, secretDigests: [store.keyed.secret(client.secret.text, id)],
                    createdAt: stored?.createdAt ?? store.now(), revokedAt: stored?.revokedAt)
                if stored != wanted { try await store.tenants.save(wanted) }
            } catch { throw .failed("storage: \(error)") }
        }
    }
}
