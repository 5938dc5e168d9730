import Foundation
import Locks
import Logging
import TestSupport
import Testing

@testable import Administration
@testable import Engine
@testable import Possession
@testable import SQLiteStorage
@testable import Storage
@testable import Tokens
@testable import Wiring

/// A change of the sealing key over everything that is stored (DAT-03).
@Suite struct SealingRotationTests {
    private let directory = ServerFixture.freshDirectory()
    private let client = ClientID("shop")!
    private static let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

    /// Opens the store, and ends it.
    private func withStore<Result>(_ body: (Store) async throws -> Result) async throws -> Result {
        let store = try await Store.open(try ServerFixture.configuration(directory))
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body(store)) } catch { result = .failure(error) }
        await store.close()
        return try result.get()
    }

    private func resealer(_ store: Store) -> Resealer {
        var resealer = store.resealer
        resealer.pause = {}
        return resealer
    }

    /// The first bytes of every sealed value, by column.
    private func generations(_ store: Store) async throws -> [String: Set<UInt8>] {
        var found: [String: Set<UInt8>] = [:]
        for column in SealedColumn.all {
            var next: [SealedColumn.KeyPart]?
            repeat {
                let page = try await SealedRows(store.database).values(of: column, after: next)
                found["\(column.name)", default: []].formUnion(page.values.map { $0.sealed[0] })
                next = page.next
            } while next != nil
        }
        return found
    }

    private static let number = PhoneNumber(e164: "+12015550123")!
    private static let said = Identification([.init("clientNumber", "4711")])!

    private func session(_ now: Timestamp, _ number: UInt128) -> Session {
        Session(
            correlationID: CorrelationID(at: now, random: number), authID: AuthID(at: now, random: number),
            clientID: client,
            request: SessionRequest(
                flow: .mobile, policy: .standard(), subject: .init(), options: .init(),
                references: .init(clientRequestID: "r-\(number)")),
            at: now, limits: Limits())
    }

    private static let activationID = ActivationID(bits: 1)
    private static let tokenID = DeviceTokenID(bits: 2)

    /// Stores an activation and a token with secrets as the cryptography of phones seals them.
    private func activate(_ store: Store, _ session: Session) async throws {
        let id = Self.activationID
        let sealer = store.keysets.sealer
        let secrets = ActivationSecrets(
            keys: try sealer.seal([1], context: SealedKeys.activation.context(of: id.bytes)),
            counter: try sealer.seal([2], context: SealedKeys.counter.context(of: id.bytes)))
        let activation = DeviceActivation(
            id: id, clientID: client, applicationKey: "a", target: .number(Self.number),
            sessionID: session.correlationID, details: .init(name: "Ada's phone"), secrets: secrets, at: store.now())
        _ = try await store.sessions.update(
            .correlation(session.correlationID), ChangeInputs(), freshHolderID: HolderID(bits: 1)
        ) { $0.activation = activation }
        let token = DeviceToken(
            id: Self.tokenID, activationID: id,
            sealedSecret: try sealer.seal([3], context: SealedKeys.token.context(of: id.bytes)), factors: .possession,
            createdAt: store.now())
        #expect(try await store.deviceTokens.add(token))
    }

    /// Something in every sealed column.
    private func fill(_ store: Store) async throws -> Session {
        let now = store.now()
        let session = session(now, 1)
        let holder = HolderID(at: now, random: 1)
        let event = WebhookEvent(
            id: WebhookEventID(at: now, random: 1), clientID: client,
            news: WebhookNews(.sessionCreated, at: now, session: session.correlationID, of: .number(Self.number)))
        let endpoint = WebhookEndpoint(
            id: WebhookEndpointID(bits: 1), clientID: client, url: "https://shop.example/h",
            filter: try WebhookFilter(["*"]), keys: .init(secret: [1], seed: nil), createdAt: now)
        #expect(try await store.webhooks.add(endpoint, most: 9))
        try await store.sessions.insert(
            session, freshHolderID: holder, webhooks: [NewWebhookEvent(event, to: [endpoint.id])])
        var lookup = ChangeInputs()
        lookup.retry = RetryKey(path: "/p", requestID: "r", body: BodyDigest([1]))
        let key = DeviceKey(
            id: DeviceID(at: now, random: 1), clientID: client,
            thumbprint: Thumbprint([UInt8](repeating: 1, count: 32))!,
            publicKey: PublicKey(x: [UInt8](repeating: 1, count: 32), y: [UInt8](repeating: 1, count: 32))!,
            platform: .ios, createdAt: now, number: Self.number, status: .active, boundAt: now, lastUsedAt: now,
            clientCustomerID: "c-1")
        _ = try await store.sessions.update(
            .correlation(session.correlationID), lookup, freshHolderID: holder
        ) { change in
            change.deviceKey = key
            change.message = OutboundMessage(
                id: MessageID(at: now, random: 1), correlationID: session.correlationID,
                pending: Session.PendingMessage(
                    to: .number(Self.number), content: .code(OTP("1234")!, digest: OTPDigest([1]), after: .idle),
                    place: .again, usefulUntil: now.adding(.seconds(60)), sendsLeft: 1, triesLeft: 1))
            change.reply = KeptReply(
                requestBody: BodyDigest([1]), reply: OperationReply(refusal: nil, session: change.session), at: nil)
        }
        try await activate(store, session)
        // Another one that is sent, and may have to be sent again.
        let sent = OutboundMessage(
            id: MessageID(at: now, random: 2), correlationID: session.correlationID,
            pending: Session.PendingMessage(
                to: .number(Self.number), content: .code(OTP("1234")!, digest: OTPDigest([1]), after: .idle),
                place: .again, usefulUntil: now.adding(.seconds(60)), sendsLeft: 0, triesLeft: 1))
        _ = try await store.sessions.update(
            .correlation(session.correlationID), ChangeInputs(), freshHolderID: holder
        ) { $0.message = sent }
        store.sessions.outbox.noteSent(sent, Acceptance(), keeps: true)
        _ = try await store.identities.enrol(
            [Enrolment(.number(Self.number), references: .init(clientCustomerID: "c-1"), attributes: [])],
            of: client, fresh: [holder], at: now)
        _ = try await store.people.save([
            NumberedPerson(
                Self.number,
                Person(firstName: "Ada", lastName: "B", dob: nil, ssn: nil, emailAddresses: [], addresses: []),
                credentials: Self.said)
        ])
        #expect(
            try await store.testNumbers.add(
                TestNumber(
                    number: Self.number, code: OTP("987654")!, tenant: nil, createdAt: now,
                    endsAt: now.adding(.seconds(99))), at: now))
        #expect(try await store.listedNumbers.add(Self.number, to: .blocked, of: client, at: now))
        try await store.refusedStarts.note(Self.refused(at: now), of: client)
        _ = try await store.keeper.load(at: now)
        #expect(try await store.applicationKeys.add(try store.devices.makeApplicationKeys(), to: client))
        try await store.devices.temporaryKeys.makeReady(at: now)
        let administrator = store.administrator { _ in }
        try await administrator.rotateKeys()
        _ = try await administrator.retireKeys(at: now.adding(.seconds(900)))
        return session
    }

    private static func refused(at now: Timestamp) -> RefusedStart {
        RefusedStart(
            id: CorrelationID(at: now, random: 7), product: ProductName(known: "prelude"), number: number,
            reason: "in_blocklist")
    }

    /// Reads what `fill` has stored, by those who read it for callers.
    private func check(_ store: Store, _ session: Session) async throws {
        #expect(try await store.sessions.session(.auth(session.authID))?.request == session.request)
        var lookup = ChangeInputs()
        lookup.message = MessageID(at: session.createdAt, random: 2)
        lookup.wantsKeptMessage = true
        let kept = try await store.sessions.update(
            .correlation(session.correlationID), lookup, freshHolderID: HolderID(bits: 1)
        ) { $0.keptMessage }
        #expect(kept??.pending.number == Self.number)
        let activation = try #require(try await store.activations.activation(Self.activationID))
        #expect(activation.details.name == "Ada's phone")
        let (sealer, id) = (store.keysets.sealer, activation.id.bytes)
        let keys = try sealer.open(activation.secrets.keys, context: SealedKeys.activation.context(of: id))
        let counter = try sealer.open(activation.secrets.counter, context: SealedKeys.counter.context(of: id))
        #expect(keys == [1] && counter == [2])
        let token = try #require(try await store.deviceTokens.token(Self.tokenID))
        #expect(try sealer.open(token.sealedSecret, context: SealedKeys.token.context(of: id)) == [3])
        #expect(store.devices.temporaryKeys.secretCount == 1)
        #expect(try await store.people.person(Self.number)?.firstName == "Ada")
        #expect(try await store.people.match(Self.said) == .one(Self.number))
        #expect(
            try await store.identities.identity(Self.number, of: client)?.references
                == .init(clientCustomerID: "c-1"))
        #expect(try await store.webhooks.webhookEndpoints(of: nil).endpoints.count == 1)
        try await store.testNumbers.load()
        #expect(store.testNumbers.testNumbers.count == 1)
        #expect(try await store.listedNumbers.numbers(.blocked, of: client).map(\.number) == [Self.number])
        let refused = Self.refused(at: session.createdAt)
        #expect(
            try await store.refusedStarts.refusedStart(refused.id, of: client, product: refused.product) == refused)
        let application = try #require(try await store.applicationKeys.application(of: client)).keys.current
        // By its name too, which calls go by, and which is remembered.
        let named = try #require(try await store.applicationKeys.application(application.applicationKey)).keys.current
        for keys in [application, named] {
            #expect(try store.devices.credentials(of: keys).applicationKey == application.applicationKey)
        }
        #expect(try await store.keeper.load(at: store.now()).keys.count > StoredSigningKey.Purpose.ofTokens.count)
    }

    @Test func `every sealed value gets the new key, and is read as before`() async throws {
        let session = try await withStore { (store) async throws in
            let session = try await fill(store)
            let before = try await generations(store)
            #expect(before.count == SealedColumn.all.count)
            for (column, generations) in before { #expect(generations == [1], "\(column)") }
            // Values that are remembered from before the rotation must not outlive the key that sealed them.
            try await check(store, session)
            try await store.administrator { _ in }.rotateSealing()
            let resealer = resealer(store)
            let count = try await resealer.count()
            let pass = try await resealer.pass()
            #expect(pass?.resealed == count && pass?.left == 0 && pass?.unread == [])
            #expect(try await resealer.pass() == Resealer.Pass())
            for (column, generations) in try await self.generations(store) { #expect(generations == [2], "\(column)") }
            #expect(try await store.keysets.retireSealing(before: 2, keeping: []) == [1])
            try await check(store, session)
            return session
        }
        try await withStore { try await check($0, session) }
    }

    @Test func `goes on in the middle after a restart`() async throws {
        let count = try await withStore { (store) async throws in
            for number in 2..<300 {
                try await store.sessions.insert(
                    session(store.now(), UInt128(number)), freshHolderID: HolderID(at: store.now(), random: 1),
                    webhooks: [])
            }
            try await store.administrator { _ in }.rotateSealing()
            let resealer = resealer(store)
            let steps = Locked(0)
            let task = Task {
                try await resealer.pass { _ in
                    steps.withLock { $0 += 1 }
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }
            #expect(try await task.value == nil)
            #expect(steps.withLock { $0 } == 1)
            return try await resealer.count()
        }
        let left = try #require(count)
        #expect(left > 200 && left < 298)
        try await withStore { (store) async throws in
            #expect(try store.keysets.standing().olderGenerations == [1])
            let worker = ResealingWorker(
                store.keysets, store.duties, waitForServers: nil, resealer(store), ResealProgress(), Self.logger,
                store.audit)
            var round = ResealingWorker.Round(generation: 2)
            #expect(await worker.round(&round) == .zero)
            #expect(try store.keysets.standing().olderGenerations == [1])
            // A process that has never used the old key has no value of it in hand.
            _ = await worker.round(&round)
            #expect(try store.keysets.standing().olderGenerations == [])
            #expect(try await generations(store)["sessions.record_sealed"] == [2])
        }
    }

    @Test func `keeps the old key until a minute after its last use`() async throws {
        try await withStore { (store) async throws in
            let uptime = Locked(ContinuousClock.now)
            let progress = ResealProgress()
            let worker = ResealingWorker(
                store.keysets, store.duties, waitForServers: nil, resealer(store), progress, Self.logger, store.audit
            ) {
                uptime.withLock { $0 }
            }
            _ = try await store.keeper.load(at: store.now())
            var round = ResealingWorker.Round(generation: 1)
            #expect(await worker.round(&round) == .seconds(60))
            #expect(progress.figures == ResealProgress.Figures())
            // Sealed by a request that is on its way.
            let late = try store.keysets.sealer.seal([7], context: [])
            try await store.administrator { _ in }.rotateSealing()
            #expect(await worker.round(&round) == .zero)
            #expect(progress.figures.resealed == StoredSigningKey.Purpose.ofTokens.count)
            #expect(await worker.round(&round) == .seconds(60))
            #expect(throws: Never.self) { try store.keysets.sealer.open(late, context: []) }
            uptime.withLock { $0 += .seconds(59) }
            #expect(await worker.round(&round) == .seconds(1))
            uptime.withLock { $0 += .seconds(1) }
            _ = await worker.round(&round)
            #expect(try store.keysets.standing().olderGenerations == [])
            #expect(throws: TokenFault.self) { try store.keysets.sealer.open(late, context: []) }
            let lines = try await store.audit.lines(after: 0, limit: 100).map {
                String(decoding: $0.text, as: UTF8.self)
            }
            let ends = lines.filter { $0.contains("sealing_key_ended") }
            #expect(ends.count == 1 && ends[0].contains(#""generations":"1""#) && ends[0].contains(#""now":"2""#))
        }
    }

    /// The other server seals with the old key as long as it has not read the keyset again.
    @Test func `keeps the old key until a minute after all servers have the new one`() async throws {
        try await withStore { (store) async throws in
            let (uptime, isBehind) = (Locked(ContinuousClock.now), Locked(true))
            let worker = ResealingWorker(
                store.keysets, store.duties,
                waitForServers: { () async throws(StorageFault) in
                    if isBehind.withLock(\.self) { throw .overloaded }
                }, resealer(store), ResealProgress(), Self.logger, store.audit
            ) {
                uptime.withLock { $0 }
            }
            _ = try await store.keeper.load(at: store.now())
            var round = ResealingWorker.Round(generation: 1)
            let late = try store.keysets.sealer.seal([7], context: [])
            try await store.administrator { _ in }.rotateSealing()
            #expect(await worker.round(&round) == .zero, "values are sealed again meanwhile")
            uptime.withLock { $0 += .seconds(3600) }
            #expect(await worker.round(&round) == .seconds(60))
            #expect(try store.keysets.standing().olderGenerations == [1])
            isBehind.withLock { $0 = false }
            #expect(await worker.round(&round) == .seconds(60))
            uptime.withLock { $0 += .seconds(59) }
            #expect(await worker.round(&round) == .seconds(1))
            #expect(throws: Never.self) { try store.keysets.sealer.open(late, context: []) }
            uptime.withLock { $0 += .seconds(1) }
            _ = await worker.round(&round)
            #expect(try store.keysets.standing().olderGenerations == [])
        }
    }

    @Test func `a damaged value stops nothing, is told, and keeps its key`() async throws {
        try await withStore { (store) async throws in
            _ = try await fill(store)
            try await store.database.transaction { (connection) throws(StorageFault) in
                try connection.run("UPDATE people SET person_sealed = CAST(x'0101' || zeroblob(60) AS BLOB)")
            }
            try await store.administrator { _ in }.rotateSealing()
            let progress = ResealProgress()
            let worker = ResealingWorker(
                store.keysets, store.duties, waitForServers: nil, resealer(store), progress, Self.logger, store.audit)
            var round = ResealingWorker.Round(generation: 2)
            #expect(await worker.round(&round) == .zero)
            #expect(await worker.round(&round) == .seconds(3600))
            #expect(progress.figures.left == 1 && progress.figures.unreadable == 1)
            #expect(try store.keysets.standing().olderGenerations == [1])
            var found = try await generations(store)
            #expect(found.removeValue(forKey: "people.person_sealed") == [1])
            for (column, generations) in found { #expect(generations == [2], "\(column)") }
            // Once the row has gone, so does the key.
            try await store.database.transaction { (connection) throws(StorageFault) in
                try connection.run("DELETE FROM people")
            }
            _ = await worker.round(&round)
            #expect(try store.keysets.standing().olderGenerations == [])
            #expect(progress.figures.left == 0)
        }
    }

    @Test func `no change of a caller is lost or fails beside it`() async throws {
        try await withStore { (store) async throws in
            let now = store.now()
            let all = (2..<202).map { session(now, UInt128($0)) }
            for session in all {
                try await store.sessions.insert(session, freshHolderID: HolderID(at: now, random: 1), webhooks: [])
            }
            let resealer = resealer(store)
            try await withThrowingTaskGroup { group in
                for part in 0..<4 {
                    group.addTask {
                        for round in 0..<5 {
                            for session in all where session.correlationID.bits % 4 == UInt128(part) {
                                let tries = try await store.sessions.update(
                                    .correlation(session.correlationID), ChangeInputs(),
                                    freshHolderID: HolderID(at: now, random: 1)
                                ) { change in
                                    change.session.enteredNumber = Self.number
                                    return round
                                }
                                #expect(tries == round)
                            }
                        }
                    }
                }
                for _ in 0..<3 {
                    try await store.administrator { _ in }.rotateSealing()
                    while try await resealer.pass()?.isClean == false {}
                }
                try await group.waitForAll()
            }
            while try await resealer.pass()?.isClean == false {}
            #expect(try await generations(store)["sessions.record_sealed"] == [4])
            #expect(try await store.keysets.retireSealing(before: 4, keeping: []) == [1, 2, 3])
            for session in all {
                #expect(try await store.sessions.session(.auth(session.authID))?.enteredNumber == Self.number)
            }
        }
    }

    // MARK: From before keysets

    /// A data directory as a build without keysets leaves it: all keys come from the master key.
    private func makeOldDirectory() async throws -> Session {
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let configuration = try ServerFixture.configuration(directory)
        let random = SystemRandom().randomBytes
        let master = try MasterKey.create(configuration.keys.masterKeyFile, randomBytes: random)
        let database = try SQLiteDatabase(
            .directory(DataDirectory(directory)), migrations: configuration.data.migrations,
            now: Timestamp(seconds: 1_800_000_000), onFatal: { _ in })
        let keyset = try Keyset.inherited(from: master, at: Timestamp(seconds: 1_800_000_000))
            .sealed(under: master, random)
        try await KeysetsTable(database.database).replaceKeysets(
            [],
            with: [
                StoredKeyset(
                    masterID: try master.keyID(), number: 1, createdAt: Timestamp(seconds: 1_800_000_000),
                    sealed: keyset)
            ])
        await database.close()
        return try await withStore { (store) async throws in
            let session = try await fill(store)
            let standing = try store.keysets.standing()
            #expect(standing.generation == 1)
            try await store.database.transaction { (connection) throws(StorageFault) in
                try connection.run("DELETE FROM keysets")
            }
            return session
        }
    }

    @Test func `a directory from before keysets opens as before, and parts from its master key`() async throws {
        let session = try await makeOldDirectory()
        let old = try MasterKey.load(directory + "/master.key")
        try await withStore { (store) async throws in
            #expect(store.keysets.startNotes == [.inherited])
            try await check(store, session)
            let administrator = store.administrator { _ in }
            _ = try await administrator.rotateMaster(newKeyFile: nil)
            try await administrator.rotateSealing()
            while try await resealer(store).pass()?.isClean == false {}
            _ = try await store.keysets.retireSealing(before: 2, keeping: [])
            try await check(store, session)
        }
        try await withStore { (store) async throws in
            #expect(store.keysets.startNotes == [])
            try await check(store, session)
            let sealer = try Sealer(
                keys: try Keyset.inherited(from: old, at: store.now()).sealingKeys(.seal), now: store.now,
                randomBytes: store.random.randomBytes)
            let other = Resealer(SealedRows(store.database), sealer, sealer)
            #expect(try await other.opensAny() == false, "the old master key still opens something")
        }
    }

    @Test func `a wrong key is not written down as that of a directory from before`() async throws {
        let session = try await makeOldDirectory()
        let key = directory + "/master.key"
        let good = try #require(FileManager.default.contents(atPath: key))
        try FileManager.default.removeItem(atPath: key)
        _ = FileManager.default.createFile(
            atPath: key, contents: Data(repeating: 7, count: 32), attributes: [.posixPermissions: 0o600])
        await #expect { try await self.withStore { _ in } } throws: { error in
            "\(error)".contains("is the master key the one that this database was made with?")
        }
        try FileManager.default.removeItem(atPath: key)
        _ = FileManager.default.createFile(
            atPath: key, contents: good, attributes: [.posixPermissions: 0o600])
        try await withStore { try await check($0, session) }
    }
}
