import Locks
import ClientSurfaces
import OperationsSurfaces
import ProveSurfaces
import SandboxSurfaces
import ServerDescription
import SurfaceKit
import Sandbox
import HTTPServer
import Engine
import Possession
import StrictJSON
import TestSupport
import Text

/// A whole sandbox in memory: engine, surfaces and a client that calls them.
final class World: Sendable {
    /// 32 bytes that are others for other content; nobody attacks a test.
    static func digest(_ bytes: [UInt8]) -> [UInt8] {
        // Each world takes the digests of all that browsers load.
        if let known = digests.withLock({ $0[bytes] }) { return known }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        let digest = (0..<32).map { UInt8(truncatingIfNeeded: hash >> UInt64($0 % 8 * 8)) }
        digests.withLock { $0[bytes] = digest }
        return digest
    }
    private static let digests = Locked<[[UInt8]: [UInt8]]>([:])

    let store = InMemoryStore()
    let apiKeys = InMemoryAPIKeys()
    let lists = InMemoryLists()
    let brands = InMemoryBrands()
    let clock = FixedClock()
    let gateway = FakeGateway()
    let carrier = FakeOperator()
    let inbox = FakeInbox()
    let waits = WaitList()
    let watchers: SessionWatchers
    /// Sessions whose waiters were told of a change, in order.
    let announced = Locked<[AuthID]>([])
    let reports = Locked<[String]>([])
    /// Limits that refused a call, in order.
    let hits = Locked<[LimitName]>([])
    /// Numbers that nothing is sent to, as they are now.
    let testNumbers = Locked<[TestNumber]>([])
    let closedPrefixes = Locked<[ClosedPrefix]>([])
    /// How they were used, in order.
    let testNumberUses = Locked<[TestNumberUse]>([])
    /// Answers of receivers of webhooks that are asked whether they agree, by URL.
    let consents = Locked<[String: WebhookConsent]>([:])
    let engine: Engine
    let client: InProcessClient

    static let publicURL = "http://127.0.0.1:8080"
    /// Version of the server, as descriptions tell it.
    static let version = "1.2.3"
    /// As `config/sandbox.json` has it.
    static let application = SandboxApplication(
        client: ClientID("sandbox")!,
        credentials: ApplicationCredentials(
            applicationKey: "aG9sZGZhc3Qtc2FuZGJveA==", applicationSecret: Secret("cHVibGljLXNlY3JldC0wMQ=="),
            masterPublicKey:
                "BCcrGXuPAvpgc9livfoYFiA0iEjm3HhXmPEtGklcbQfociN/AgbONv5UqQiklAWICI7XbGcj59mtSx15NCHB8nE=",
            configuration: Secret(
                "ARBob2xkZmFzdC1zYW5kYm94EHB1YmxpYy1zZWNyZXQtMDEBAUEEJysZe48C+mBz2WK9+hgWIDSISObceFeY8S0aSVxtB+hy"
                    + "I38CBs42/lSpCKSUBYgIjtdsZyPn2a1LHXk0IcHycQ==")))
    static let users = SandboxUsers([
        user("2001004014", "+12001004014", "Lorant"),
        user("2001004015", "+12001004015", "Laney"),
        user("2001004018", "+12001004018", "Barbaraanne", withoutClient: true),
        SandboxUser(
            digits: "+2001004025", number: PhoneNumber(e164: "+2001004025")!, name: "Bertie", region: .international),
        user(marcia, "Marcia"), user(milo, "Milo", withoutClient: true),
        SandboxUser(
            digits: benji, number: PhoneNumber(e164: "+1" + benji)!, name: "Benji", region: .northAmerica,
            product: .identity),
        SandboxUser(
            digits: agretha, number: PhoneNumber(e164: "+1" + agretha)!, name: "Agretha", region: .northAmerica,
            reputation: .fail),
    ]) { people[$0] }

    // Users of Pre-Fill: passes, needs no client, has no challenge, is in bad standing.
    static let marcia = "2001001693"
    static let milo = "2001001695"
    static let benji = "2001004009"
    static let agretha = "2001001687"

    static let people: [PhoneNumber: Person] = Dictionary(
        uniqueKeysWithValues: [
            (marcia, "Marcia", "Longo"), (milo, "Milo", "Pinson"), (benji, "Benji", "Harper"),
            (agretha, "Agretha", "Chene"),
        ].map { digits, first, last in
            (
                PhoneNumber(e164: "+1" + digits)!,
                Person(
                    firstName: first, lastName: last, dob: "1982-07-19", ssn: "470806227",
                    emailAddresses: ["mlongok@amazonaws.com"],
                    addresses: [
                        Person.Address(
                            address: "00 Mallard Park", city: "New Orleans", region: "LA", postalCode: "70165")
                    ])
            )
        })

    private static func user(_ digits: String, _ name: String, withoutClient: Bool = false) -> SandboxUser {
        user(digits, "+1" + digits, name, withoutClient: withoutClient, product: .prefill)
    }

    private static func user(
        _ digits: String, _ number: String, _ name: String, withoutClient: Bool = false,
        product: SandboxProduct = .unify
    ) -> SandboxUser {
        SandboxUser(
            digits: digits, number: PhoneNumber(e164: number)!, name: name, region: .northAmerica,
            withoutClient: withoutClient, product: product)
    }

    struct Options: Sendable {
        var isSandbox = true
        var platform = PlatformSurface.Settings()
        var limits = Possession.Limits()
        /// Clock of the loop; `nil`: the machine's.
        var manualClock: ManualClock? = ManualClock()
        /// Users that have the numbers; `nil`: the server knows no sandbox user.
        var users: SandboxUsers? = World.users
        var unknownNumbers = SandboxNumbers.UnknownNumbers.refuse
        /// Which e-mail addresses it writes to: none.
        var emails: any EmailDirectory = WorldEmails { false }
        /// `nil`: the server has no source for the standing of numbers.
        var reputation: ReputationCheck? = ReputationCheck(ScriptedReputation(World.users))
        /// `nil`: the server has no source for SIM swaps.
        var simSwaps: (any SIMSwapSource)?
        var people = FakePeople(all: World.people)
        var products: [ClientID: Set<SandboxProduct>] = [:]
        var app: AppSurface.Settings? = World.appSettings()
        var audit: any AuditLog = NoAudit()
        var applications: any ApplicationKeyStore = NoApplicationKeys()
        var texts = MessageTexts.english
        /// Servers that use the stores.
        var servers = 1
        /// URLs of servers for which no statement is made.
        var reservedAudiences: [String] = []
        /// Regions of numbers, by the digits that they begin with; other numbers have none.
        var regions: [String: String] = [:]
        /// Likewise.
        var kinds: [String: NumberKind] = [:]
        var rules = TenantRules(
            allowPhoneChange: true, mobileAuth: true, finalTargetHosts: ["app.example"],
            mobileAuthReturnURLs: ["https://app.example/back", "https://app.example/back?step=2"],
            allowedOrigins: ["https://app.example"],
            appHashes: ["AAAAAAAAAAA"])
    }

    init(_ options: Options = Options()) async throws {
        let clock = clock
        let reports = reports
        let waits = waits
        watchers = SessionWatchers(waits)
        let counter = Locked<UInt64>(0)
        let keyed = KeyedDigests(
            otp: { OTPDigest(Array("\($0.text)|\($1.text)|\($2.canonical)".utf8)) },
            secret: { SecretDigest(Array("\($0)|\($1.text)".utf8)) },
            apiKey: { SecretDigest(Array($0.utf8)) },
            body: { BodyDigest($0) }, link: { LinkDigest(Array($0.utf8)) }, ticket: { TicketDigest(Array($0.utf8)) },
            flow: { FlowDigest(Array($0.utf8)) }, exchange: { ExchangeDigest(World.digest(Array($0.utf8))) },
            challenge: { CodeChallenge(World.digest(Array($0.utf8))) },
            codeLink: { Array(World.digest($0.bytes).prefix(16)) },
            receipt: { Array(($0.bytes + $1.bytes + Array($2.utf8)).reversed().prefix(16)) },
            result: { Array(World.digest($0.bytes + Array($1.text.utf8)).prefix(16)) },
            appState: { Array(World.digest([0] + $0 + Array($1.text.utf8)).prefix(16)) },
            subject: { Array(World.digest(Array("\($0.canonical)|\($1.text)".utf8)).prefix(16)) },
            identification: { said, network, client in
                let text =
                    said.entries.map { "\($0.name)=\($0.value)" } + [client.text, String(describing: network)]
                return Array(World.digest(Array(text.joined(separator: "|").utf8)).prefix(16))
            },
            hook: { World.digest($0.bytes + Array($1.text.utf8)) },
            text: { FakeKey.encoded($0) }, bytes: { FakeKey.decoded($0) })
        let world = PlannedNumbers(
            refusesKinds: options.limits.overSessions != nil,
            abroad: { $0.hasPrefix("011") ? PhoneNumber(e164: "+" + $0.dropFirst(3)) : nil },
            plan: { text in
                PhoneNumber(e164: text).map { number in
                    PlannedNumber(
                        number, kind: options.kinds.first { text.hasPrefix($0.key) }?.value,
                        region: options.regions.first { text.hasPrefix($0.key) }?.value)
                }
            })
        let numbers: any NumberDirectory =
            options.users.map {
                SandboxNumbers($0, unknown: options.unknownNumbers, products: options.products, world: world)
            } ?? world
        var settings = Engine.Settings(linkURL: World.publicURL)
        settings.codes = options.users.map { .scripted($0) } ?? .random
        settings.texts = { options.texts }
        settings.servers = { options.servers }
        settings.testNumbers = { [testNumbers] in testNumbers.withLock { $0 } }
        settings.closedPrefixes = { [closedPrefixes] in closedPrefixes.withLock { $0 } }
        engine = Engine(
            rules: Rules(
                limits: options.limits, capabilities: .init(mobileAuth: true, testMode: options.isSandbox),
                standingStopsSends: options.reputation?.stopsSends ?? false),
            settings,
            stores: Engine.Stores(
                store, lists: lists, brands: brands, apiKeys: apiKeys, applications: options.applications),
            crypto: Engine.Cryptography(
                keyed: keyed, tokens: FakeTokens(), proofs: FakeProofs(), mobileAuthTokens: FakeMobileAuthTokens(),
                randomBytes: { count throws(EntropyFault) in
                    let value = counter.withLock { counter -> UInt64 in
                        counter += 1
                        return counter &* 0x9E37_79B9_7F4A_7C15
                    }
                    return (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64($0 % 8 * 8)) }
                },
                reservedAudiences: ReservedAudiences(urls: options.reservedAudiences)),
            network: Engine.Network(
                numbers: numbers, emails: options.emails, gateway: gateway, sending: WorkInCall(),
                operators: options.users == nil ? carrier : SimulatedConnections(carrier, numbers: numbers),
                simSwaps: options.simSwaps, people: options.people, reputation: options.reputation),
            reports: Engine.Reports(
                log: { line in reports.withLock { $0.append(line) } }, audit: options.audit,
                announce: { [announced] id in
                    announced.withLock { $0.append(id) }
                    waits.publish(id.text)
                },
                recordLimit: { [hits] limit, _ in hits.withLock { $0.append(limit) } },
                recordNews: { [testNumberUses] news in
                    if case .testNumber(_, let use, _) = news { testNumberUses.withLock { $0.append(use) } }
                }),
            now: { clock.now() })
        let operations = OperationsSurface(
            engine: engine, notReady: { nil }, metrics: { "up 1\n" }, sha256: { World.digest($0) })
        let platform = PlatformSurface(engine: engine, settings: options.platform, systemNow: { clock.now() })
        let client = ClientSurface(
            engine: engine, products: ProductName.ofPlatform,
            settings: .init(
                publicURL: World.publicURL, isSandbox: options.isSandbox,
                trustedProxies: try AddressRanges(list: "192.0.2.9")), callers: platform.callers, watchers: watchers,
            isOriginListed: { ["https://app.example", "https://other.example"].contains($0) },
            systemNow: { clock.now() })
        let sandbox = SandboxSurface(
            engine: engine, inbox: inbox, clock: clock, keepClock: {}, users: World.users,
            applications: [World.application],
            successCalls: [
                ProductName(known: "prelude"): "its check",
                ProductName(known: "onboarding"): "POST /pa/v3/activation/create",
            ], waits: waits)
        let links = LinkSurface(
            engine: engine, products: ProductName.ofPlatform, trustedProxies: AddressRanges(),
            callers: platform.callers, sha256: { $0 })
        let mobileAuth = MobileAuthSurface(engine: engine, trustedProxies: AddressRanges(), callers: platform.callers)
        let engine = engine
        let inbox = inbox
        let consents = consents
        let erasure = Erasure(
            store: store, announce: { waits.publish($0.text) }, forgetMessages: { inbox.forget($0, of: $1) })
        let app = options.app.map { AppSurface(engine: engine, settings: $0, callers: platform.callers).routes } ?? []
        self.client = try InProcessClient(
            platform.routes + app + client.routes + links.routes + mobileAuth.routes + sandbox.routes
                + operations.routes + IdentitySurface(gate: platform.gate, erasure: erasure).routes
                + AuthSurface(gate: platform.gate).routes
                + WebhookSurface(
                    gate: platform.gate,
                    webhooks: WebhookManager(
                        store: store, tenants: store, rule: WebhookURLRule(allowsLoopback: options.isSandbox),
                        signing: .fake, now: { clock.now() }, randomBytes: engine.crypto.randomBytes,
                        ask: { url, _ in consents.withLock { $0[url] } ?? .withheld })
                ).routes,
            manualClock: options.manualClock)
        for name in ["sandbox", "sandbox-2"] {
            let id = ClientID(name)!
            try await store.add(
                Tenant(
                    id: id, rules: options.rules, secretDigests: [keyed.secret("\(name)-secret", id)],
                    createdAt: clock.now()))
            for (kind, text) in [(APIKey.Kind.api, "hf_test_\(name)"), (.sdk, "sdk_\(name)")] {
                let key = APIKey(
                    id: APIKeyID(at: clock.now(), random: UInt128(text.utf8.count)), kind: kind, client: id,
                    digest: keyed.apiKey(text), name: "", ending: APIKey.ending(of: text), createdAt: clock.now())
                _ = try await apiKeys.add(key)
            }
        }
    }

    static func appSettings(
        tenant: String = "sandbox", isSandbox: Bool = true, acceptsAuthID: Bool = true, publicURL: String = publicURL
    ) -> AppSurface.Settings {
        AppSurface.Settings(
            tenant: ClientID(tenant)!, allowedOrigins: ["https://shop.example"], acceptsLoopbackOrigins: isSandbox,
            acceptsAuthID: acceptsAuthID, publicURL: publicURL, trustedProxies: try! AddressRanges(list: "192.0.2.9"))
    }

    // MARK: calls of a backend

    static func bearer(_ client: String = "sandbox", life: Int64 = 40_000_000) -> (name: String, value: String) {
        ("Authorization", "Bearer access|\(client)|\(FixedClock.start.adding(.seconds(life)).milliseconds)")
    }

    func post(_ path: String, _ body: String, as client: String = "sandbox") async -> Response {
        await self.client.send(World.request(.post, path, body, [World.bearer(client)]))
    }

    func get(_ path: String, query: String = "") async -> Response {
        await client.send(Request(method: .get, path: path, rawQuery: query, id: "q"))
    }

    static func request(
        _ method: Method, _ path: String, _ body: String, _ headers: [(name: String, value: String)] = [],
        contentType: String? = "application/json"
    ) -> Request {
        let type = contentType.map { [(name: "Content-Type", value: $0)] } ?? []
        return Request(method: method, path: path, headers: Headers(headers + type), body: Array(body.utf8), id: "q")
    }

    /// Starts a session and tells its two ids and token.
    func start(_ body: String, as client: String = "sandbox") async -> Started {
        let answer = await post("/v3/unify", body, as: client).json
        let token = answer["authToken"]?.string ?? ""
        return Started(correlationID: answer["correlationId"]?.string ?? "", token: token)
    }

    func status(_ started: Started, as client: String = "sandbox", more: String = "") async -> Response {
        await post("/v3/unify-status", #"{"correlationId":"\#(started.correlationID)"\#(more)}"#, as: client)
    }

    /// Starts a Pre-Fill run, and lets its client prove the number where it has one.
    func startPrefill(
        _ number: String, _ more: String = "", as client: String = "sandbox", proves: Bool = true
    ) async -> Started {
        let answer = await post(
            "/v3/start", #"{"flowType":"mobile","phoneNumber":"\#(number)"\#(more)}"#, as: client
        ).json
        let started = Started(
            correlationID: answer["correlationId"]?.string ?? "", token: answer["authToken"]?.string ?? "")
        if proves { await prove(started) }
        return started
    }

    /// As a client that gets its code and types it.
    func prove(_ started: Started) async {
        let app = App(self, started)
        _ = await app.redeem()
        _ = await app.post("/otp")
        let code = gateway.sent.last?.code?.text ?? "1234"
        _ = await app.post("/otp/verify", #"{"code":"\#(code)"}"#)
    }

    /// A later step of a Pre-Fill run.
    func step(_ step: String, _ started: Started, _ more: String = "", as client: String = "sandbox") async -> Response
    {
        await post("/v3/\(step)", #"{"correlationId":"\#(started.correlationID)"\#(more)}"#, as: client)
    }

    /// Starts a Possession session by the server calls of Auth.
    func startAuth(_ subjects: String) async -> Started {
        let answer = await post("/v1/server/auth/start", #"{"requestId":"r-1","subjects":{\#(subjects)}}"#)
        return Started(correlationID: "", token: answer.json["authToken"]?.string ?? "")
    }

    struct Started: Sendable {
        let correlationID: String
        let token: String
        var authID: String { token.split(separator: "|").dropFirst().first.map(String.init) ?? "" }
    }
}

/// The people a test knows.
struct FakePeople: IdentitySource {
    var all: [PhoneNumber: Person] = [:]
    /// The source does not answer.
    var isDown = false
    /// Takes the place of `all`.
    var look: (@Sendable (PhoneNumber) async throws(IdentityFault) -> Person?)?

    func person(_ number: PhoneNumber) async throws(IdentityFault) -> Person? {
        if isDown { throw .unavailable(reason: "down") }
        if let look { return try await look(number) }
        return all[number]
    }
}

/// Messages a test puts in by hand.
final class FakeInbox: SandboxInbox {
    private let all = Locked<[SandboxMessage]>([])

    func add(_ message: SandboxMessage) {
        all.withLock { $0.append(message) }
    }

    func forget(_ target: Target, of sessions: Set<CorrelationID>?) -> Int {
        all.withLock { all in
            let before = all.count
            all.removeAll { $0.to == target && sessions?.contains($0.correlationID) != false }
            return before - all.count
        }
    }

    func messages(to target: Target?, after id: String?) -> [SandboxMessage] {
        all.withLock { all in
            let start = id.flatMap { id in all.firstIndex { $0.id == id } }.map { $0 + 1 } ?? 0
            return all[start...].filter { target == nil || $0.to == target }
        }
    }
}

/// One client app with a session key: every call carries a fresh proof.
struct App: Sendable {
    let world: World
    let token: String
    var key: FakeKey? = FakeKey(1)
    /// The session's, out of the token.
    var authID: String { token.split(separator: "|").dropFirst().first.map(String.init) ?? "" }
    private let counter = Locked(0)

    init(_ world: World, _ started: World.Started, key: FakeKey? = FakeKey(1)) {
        self.world = world
        token = started.token
        self.key = key
    }

    func headers(_ method: String, _ path: String, jti: String? = nil) -> [(name: String, value: String)] {
        guard let key else { return [("Authorization", "Bearer \(token)")] }
        let number = counter.withLock { counter -> Int in
            counter += 1
            return counter
        }
        let proof = key.dpop(method, World.publicURL + path, token: token, jti: jti ?? "\(key.number)-\(number)")
        return [("Authorization", "DPoP \(token)"), ("DPoP", proof)]
    }

    func post(_ call: String, _ body: String = "{}", jti: String? = nil) async -> Response {
        let path = "/client/v1/session\(call)"
        return await world.client.send(World.request(.post, path, body, headers("POST", path, jti: jti)))
    }

    func read(_ query: String = "") async -> Response {
        let path = "/client/v1/session"
        return await world.client.send(
            Request(method: .get, path: path, rawQuery: query, headers: Headers(headers("GET", path)), id: "q"))
    }

    func redeem(fallback: String = "otp", deviceKey: Bool = false) async -> Response {
        await post("", #"{"platform":"web","sdk":"t","fallback":"\#(fallback)","deviceKey":\#(deviceKey)}"#)
    }
}

/// Steps that the client may take next, by the state in an answer or in its error.
func allowed(by response: Response) -> [String] {
    let state = response.json["state"]?.object ?? response.json
    return state["allowed"]?.array?.compactMap(\.string) ?? []
}

/// The stable name of a refused call (client protocol 4.11).
func refusal(of response: Response) -> String? { response.json["error"]?.string }
