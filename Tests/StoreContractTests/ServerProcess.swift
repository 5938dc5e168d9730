import Locks
import TestSupport

@testable import Engine
@testable import Possession

/// One server process on a store that outlives it: an engine with a carrier that notes what it is handed.
struct ServerProcess: Sendable {
    let engine: Engine
    let gateway: FakeGateway
    let reports = Locked<[String]>([])
    private let finishNotes: @Sendable () async throws -> Void

    /// - Parameter outbox: as this process has it.
    init(
        _ stores: Stores, _ outbox: any Outbox, _ clock: FixedClock, gateway: (any MessageGateway)? = nil,
        damaged: Set<CorrelationID> = [],
        fault: @escaping @Sendable () -> StorageFault? = { .corrupt(what: "sessions.record_sealed") }
    ) {
        let reports = reports
        let counter = Locked<UInt64>(UInt64.random(in: 0...UInt64.max))
        let own = FakeGateway()
        self.gateway = own
        finishNotes = stores.finishNotes
        let keyed = KeyedDigests(
            otp: { OTPDigest(Array("\($0.text)|\($1.text)|\($2.canonical)".utf8)) },
            secret: { SecretDigest(Array("\($0)|\($1.text)".utf8)) },
            apiKey: { SecretDigest(Array($0.utf8)) },
            body: { BodyDigest($0) }, link: { LinkDigest(Array($0.utf8)) },
            ticket: { TicketDigest(Array($0.utf8)) }, flow: { FlowDigest(Array($0.utf8)) },
            exchange: { ExchangeDigest(Array($0.utf8)) }, challenge: { CodeChallenge(Array($0.utf8)) },
            codeLink: { $0.bytes.reversed() },
            receipt: { Array(($0.bytes + $1.bytes + Array($2.utf8)).reversed().prefix(16)) },
            result: { Array(($0.bytes + Array($1.text.utf8)).reversed().prefix(16)) },
            appState: { Array(($0 + Array($1.text.utf8)).reversed().prefix(16)) },
            subject: { Array(Array("\($0.canonical)|\($1.text)".utf8).reversed().prefix(16)) },
            identification: { said, _, client in
                let text = said.entries.map { "\($0.name)=\($0.value)" } + [client.text]
                return Array(text.joined(separator: "|").utf8.reversed().prefix(16))
            },
            hook: { $0.bytes + Array($1.text.utf8) },
            text: { FakeKey.encoded($0) }, bytes: { FakeKey.decoded($0) })
        let lists = InMemoryLists()
        engine = Engine(
            rules: Sample.rules, Engine.Settings(linkURL: "https://holdfast.example"),
            stores: Engine.Stores(
                sessions: damaged.isEmpty
                    ? stores.sessions : DamagedSessions(base: stores.sessions, damaged: damaged, fault: fault),
                outbox: outbox, deviceKeys: stores.deviceKeys, activations: stores.activations,
                deviceTokens: stores.tokens, identities: stores.identities, limitCounts: stores.limits,
                webhooks: stores.webhooks, notices: stores.notices, refusedStarts: stores.refusedStarts,
                clients: Engine.ClientStores(
                    tenants: stores.tenants, apiKeys: stores.apiKeys, applications: stores.applications,
                    brands: stores.brands, domains: InMemoryStore(), numberLists: stores.lists,
                    senderNames: stores.senders, testNumbers: lists)),
            crypto: Engine.Cryptography(
                keyed: keyed, tokens: FakeTokens(), proofs: FakeProofs(), mobileAuthTokens: FakeMobileAuthTokens(),
                randomBytes: { (count) throws(EntropyFault) in
                    let value = counter.withLock { counter -> UInt64 in
                        counter &+= 1
                        return counter &* 0x9E37_79B9_7F4A_7C15
                    }
                    return (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64($0 % 8 * 8)) }
                }),
            network: Engine.Network(
                numbers: PlannedNumbers { _ in nil }, emails: WorldEmails { false }, gateway: gateway ?? own,
                sending: WorkInCall(), operators: FakeOperator(), simSwaps: nil, people: Nobody(), reputation: nil),
            reports: Engine.Reports(log: { report in reports.withLock { $0.append(report) } }),
            now: { clock.now() })
    }

    var recovery: MessageRecovery { MessageRecovery(engine) }

    /// Everything that is in nobody's hands.
    func recover() async -> MessageRecovery.Outcome {
        var sum = MessageRecovery.Outcome()
        while true {
            let outcome = await recovery.deliverSome()
            try? await finishNotes()
            if outcome.isNothing { return sum }
            sum.sent += outcome.sent
            sum.failed += outcome.failed
            sum.expired += outcome.expired
            sum.unreadable += outcome.unreadable
            if let fault = outcome.fault {
                sum.fault = fault
                return sum
            }
        }
    }

    /// A session whose client is about to ask for a code, stored.
    func session() async throws -> Session {
        let session = try Sample.redeemed(.otp, at: engine.now())
        try await engine.stores.sessions.insert(session)
        return session
    }

    static let retry = RetryKey(path: "/otp", requestID: "r-1", body: BodyDigest([1]))

    /// A client's whole call.
    func call(
        _ command: SessionCommand, _ session: Session, retry: RetryKey? = nil
    ) async throws -> OperationReply {
        let reply = try await ClientAdmission(engine, in: .all).perform(
            command, for: .init(authID: session.authID, credential: .bearer, retry: retry))
        try await finishNotes()
        return reply
    }

    func sendCode(
        _ session: Session, _ order: MessageRequest.Order = .first(nil), retry: RetryKey? = nil
    ) async throws -> OperationReply {
        try await call(try SessionCommands(engine).sendCode(order, from: nil), session, retry: retry)
    }

    func verify(_ code: OTP?, _ session: Session) async throws -> OperationReply {
        try await call(SessionCommands(engine).checkCode(code ?? OTP("0000")!), session)
    }

    /// Takes a call as far as its commit: the process ends there, and nothing is sent.
    @discardableResult
    func promise(
        _ session: Session, _ order: MessageRequest.Order = .first(nil)
    ) async throws -> OutboundMessage? {
        let command = try SessionCommands(engine).sendCode(order, from: nil)
        let now = engine.now()
        let context = engine.context
        var lookup = command.inputs(in: context, at: now)
        lookup.retry = Self.retry
        let changed = try await engine.change(
            .auth(session.authID), by: .caller(.all), lookup, at: now,
            append: { change, _ in
                change.reply = KeptReply(
                    requestBody: Self.retry.body, reply: OperationReply(refusal: nil, session: change.session), at: now)
            }
        ) { (change) throws(StepRefusal) in
            _ = try change.apply(command, by: .bearer, in: context, at: now)
            change.message?.retry = Self.retry
            return change.message
        }
        if case .made(let message, _) = changed { return message }
        return nil
    }

    func stored(_ session: Session) async throws -> Session? {
        try await engine.stores.sessions.session(.auth(session.authID))
    }
}

/// Knows no person.
private struct Nobody: IdentitySource {
    func person(_ number: PhoneNumber) async throws(IdentityFault) -> Person? { nil }
}

/// An outbox whose notes are lost with the process.
struct ForgetfulOutbox: Outbox {
    let base: any Outbox

    func noteSent(
        _ message: OutboundMessage, _ acceptance: Acceptance, keeps: Bool, webhooks: [NewWebhookEvent]
    ) {}
    func release(_ message: OutboundMessage) {}
    func keepsMessages() async -> Bool { await base.keepsMessages() }
    var surelyKeepsMessages: Bool { base.surelyKeepsMessages }
    func takeQueued(limit: Int) async throws(StorageFault) -> QueuedMessages { try await base.takeQueued(limit: limit) }
    func overdue(at now: Timestamp, limit: Int) async throws(StorageFault) -> [OverdueReceipt] {
        try await base.overdue(at: now, limit: limit)
    }
    func standings(of session: CorrelationID) async throws(StorageFault) -> [MessageStanding] {
        try await base.standings(of: session)
    }
}

/// The outbox of a process whose messages another one may have taken.
struct LostOutbox: Outbox {
    let base: any Outbox
    /// Whether the process loses them only while a carrier has one.
    var isLate = false

    func keepsMessages() async -> Bool { isLate }
    var surelyKeepsMessages: Bool { false }

    func noteSent(
        _ message: OutboundMessage, _ acceptance: Acceptance, keeps: Bool, webhooks: [NewWebhookEvent]
    ) { base.noteSent(message, acceptance, keeps: keeps, webhooks: webhooks) }
    func release(_ message: OutboundMessage) { base.release(message) }
    func takeQueued(limit: Int) async throws(StorageFault) -> QueuedMessages { try await base.takeQueued(limit: limit) }
    func overdue(at now: Timestamp, limit: Int) async throws(StorageFault) -> [OverdueReceipt] {
        try await base.overdue(at: now, limit: limit)
    }
    func standings(of session: CorrelationID) async throws(StorageFault) -> [MessageStanding] {
        try await base.standings(of: session)
    }
}
