import Foundation
import Locks
import Engine
import Possession
import Records
import TestSupport
import Testing

@testable import SQLiteStorage
@testable import Storage

@Suite struct ErasuresTests {
    private static let other = ClientID("other")!
    private static let number = Fixture.number
    private static let neighbour = PhoneNumber(e164: "+12001004015")!
    private let database: Database
    private let sessions: SessionsTable
    private let erasures: Erasures

    init() async throws {
        // Pages of three, so that a look goes over several.
        var limits = SQLiteLimits()
        limits.storage.rowsPerSweep = 3
        database = try Fixture.database(limits: limits)
        sessions = Fixture.sessions(database)
        erasures = Erasures(database, sealing: Fixture.sealing)
        try await Self.addTenants(to: database)
    }

    private static func addTenants(to database: Database) async throws {
        for id in [Fixture.client, other] {
            try await TenantsTable(database).add(
                Tenant(id: id, rules: TenantRules(), secretDigests: [], createdAt: Fixture.now))
        }
    }

    /// A session of the number that has proven it, bound a key and noted a send.
    private static func prove(
        _ number: PhoneNumber, at client: ClientID, key byte: UInt8, in sessions: SessionsTable
    ) async throws -> Session {
        let session = Fixture.session(number: number, client: client)
        try await sessions.insert(session)
        _ = try await sessions.update(session) { change in
            change.session.complete(success: true, numberIfUnknown: nil, at: Fixture.now, rules: Fixture.rules)
            change.countSend(to: number)
            var key = Fixture.key(byte, client: client)
            key.number = number
            change.deviceKey = key
        }
        return session
    }

    private func prove(_ number: PhoneNumber, at client: ClientID, key byte: UInt8) async throws -> Session {
        try await Self.prove(number, at: client, key: byte, in: sessions)
    }

    private func rows(_ table: Statement) async throws -> Int {
        try await database.transaction { (connection) throws(StorageFault) in
            Int(try connection.first(table) { (row) throws(StorageFault) in try row.integer("count") } ?? 0)
        }
    }

    private func rows() async throws -> [Int] {
        [
            try await rows("SELECT count(*) FROM sessions"), try await rows("SELECT count(*) FROM session_events"),
            try await rows("SELECT count(*) FROM identities"), try await rows("SELECT count(*) FROM device_keys"),
            try await rows("SELECT count(*) FROM limit_counts"),
        ]
    }

    private static func data(_ sessions: Int, _ identities: Int, _ deviceKeys: Int, limits: Int = 0) -> ErasedData {
        var data = ErasedData()
        data.sessions = sessions
        data.identities = identities
        data.deviceKeys = deviceKeys
        data.limitEntries = limits
        return data
    }

    @Test func `removes all rows of a number everywhere, and says how many of each kind`() async throws {
        _ = try await prove(Self.neighbour, at: Fixture.client, key: 1)
        let before = try await rows()
        var proven: Set<CorrelationID> = []
        for byte: UInt8 in 2..<10 {
            let client = byte % 2 == 0 ? Fixture.client : Self.other
            proven.insert(try await prove(Self.number, at: client, key: byte).correlationID)
        }
        let erased = try await erasures.erase(.number(Self.number), at: nil)
        #expect(erased.data == Self.data(8, 2, 8, limits: 2))
        #expect(Set(erased.sessions.map(\.correlationID)) == proven)
        #expect(try await rows() == before)
        #expect(try await erasures.erase(.number(Self.number), at: nil).data.isNothing)
    }

    @Test func `removes the events of a session from before its number was known, also once the session is gone`()
        async throws
    {
        let webhooks = WebhookEndpointsTable(database, sealing: Fixture.sealing)
        func event(_ number: Int, _ client: ClientID, _ session: UInt64, _ known: PhoneNumber?) -> NewWebhookEvent {
            let news = WebhookNews(
                .sessionCreated, at: Fixture.now, session: CorrelationID(high: 1, low: session),
                of: known.map(Target.number), [])
            return NewWebhookEvent(
                WebhookEvent(id: WebhookEventID(bits: UInt128(number)), clientID: client, news: news), to: [])
        }
        try await webhooks.addEvents([
            event(1, Fixture.client, 1, nil), event(2, Fixture.client, 1, Self.number),
            event(3, Fixture.client, 2, nil), event(4, Self.other, 3, nil), event(5, Self.other, 3, Self.number),
        ])
        _ = try await erasures.erase(.number(Self.number), at: Fixture.client)
        #expect(try await rows("SELECT count(*) FROM webhook_events") == 3)
        _ = try await erasures.erase(.number(Self.number), at: nil)
        #expect(try await rows("SELECT count(*) FROM webhook_events") == 1)
    }

    // MARK: Requests in flight

    @Test func `a change of a session with the number is not stored while the erasure is under way`() async throws {
        let session = Fixture.session(number: Self.number)
        let stranger = Fixture.session(number: Self.neighbour)
        for session in [session, stranger] { try await sessions.insert(session) }
        database.erasing.begin([ErasureOrder(target: .number(Self.number), client: Fixture.client)])
        let complete: @Sendable (inout SessionChange) -> Bool = { change in
            change.session.complete(success: true, numberIfUnknown: nil, at: Fixture.now, rules: Fixture.rules)
            change.deviceKey = Fixture.key(1)
            return true
        }
        #expect(try await sessions.update(session, ChangeInputs(), complete) == nil)
        #expect(try await sessions.update(stranger, ChangeInputs(), complete) == true)
        #expect(try await rows("SELECT count(*) FROM device_keys") == 1)
        database.erasing.begin([ErasureOrder(target: .number(Self.number), client: Self.other)])
        #expect(try await sessions.update(session) { _ in true } == true, "another tenant's erasure")
        database.erasing.end()
        #expect(try await sessions.update(session) { _ in true } == true)
    }

    @Test func `an order of another server refuses changes of its number until it is forgotten`() async throws {
        let session = Fixture.session(number: Self.number)
        try await sessions.insert(session)
        func order(_ number: PhoneNumber, at client: ClientID?) -> StoredErasureOrder {
            StoredErasureOrder(server: 2, number: 0, targetIndex: Fixture.sealing.blindIndex(number), client: client)
        }
        for order in [order(Self.neighbour, at: nil), order(Self.number, at: Self.other)] {
            database.erasing.replaceOrdersOfOthers([order])
            #expect(try await sessions.update(session) { _ in true } == true)
        }
        for order in [order(Self.number, at: nil), order(Self.number, at: Fixture.client)] {
            database.erasing.replaceOrdersOfOthers([order])
            #expect(try await sessions.update(session) { _ in true } == nil)
            database.erasing.forget([order])
            #expect(try await sessions.update(session) { _ in true } == true)
        }
    }

    @Test func `nothing of a number is left by proofs that race its erasure`() async throws {
        let folder = try TemporaryFolder()
        let sqlite = try Fixture.sqlite(.directory(try DataDirectory(folder.path)))
        let database = sqlite.database
        try await Self.addTenants(to: database)
        let (sessions, erasures) = (Fixture.sessions(database), Erasures(database, sealing: Fixture.sealing))
        for round: UInt8 in 0..<20 {
            let open = (0..<8).map { _ in Fixture.session(number: Self.number) }
            for session in open { try await sessions.insert(session) }
            try await withThrowingTaskGroup(of: Void.self) { racers in
                for (index, session) in open.enumerated() {
                    racers.addTask {
                        _ = try await sessions.update(session) { change in
                            change.session.complete(
                                success: true, numberIfUnknown: nil, at: Fixture.now, rules: Fixture.rules)
                            var key = Fixture.key(round &* 8 &+ UInt8(index))
                            key.number = Self.number
                            change.deviceKey = key
                        }
                    }
                }
                racers.addTask { _ = try await erasures.erase(.number(Self.number), at: Fixture.client) }
                try await racers.waitForAll()
            }
            let left = try await database.read { (connection) throws(StorageFault) in
                try connection.first(
                    """
                    SELECT (SELECT count(*) FROM sessions) + (SELECT count(*) FROM identities)
                      + (SELECT count(*) FROM device_keys)
                    """
                ) { (row) throws(StorageFault) in try row.integer("count") }
            }
            #expect(left == 0, "round \(round)")
        }
        await sqlite.close()
    }

    @Test func `erasures that wait share the next round, and each gets its own count`() async throws {
        let rounds = ErasureRounds()
        let started = Locked<[Int]>([])
        let run: @Sendable ([ErasureOrder]) async -> ErasureRounds.Outcome = { orders in
            let isFirst = started.withLock { started in
                started.append(orders.count)
                return started.count == 1
            }
            // The first round goes on until all others have asked; some may have been in time for it.
            if isFirst { while rounds.waitingCount + orders.count < 10 { await Task.yield() } }
            return .success(orders.map { _ in ErasedRows(data: Self.data(orders.count, 0, 0), sessions: []) })
        }
        try await withThrowingTaskGroup(of: Int.self) { callers in
            for _ in 0..<10 {
                callers.addTask {
                    try await rounds.erase(ErasureOrder(target: .number(Self.number), client: nil), run).get().data
                        .sessions
                }
            }
            let counts = try await callers.reduce(into: []) { $0.append($1) }
            let sizes = started.withLock { $0 }
            #expect(sizes.count == (sizes[0] == 10 ? 1 : 2) && sizes.reduce(0, +) == 10)
            #expect(counts.sorted() == sizes.flatMap { [Int](repeating: $0, count: $0) }.sorted())
        }
    }

    // MARK: Files

    /// DAT-05, DAT-10.
    @Test func `leaves no byte of a number's rows in any file`() async throws {
        let folder = try TemporaryFolder()
        let sqlite = try Fixture.sqlite(.directory(try DataDirectory(folder.path)))
        let database = sqlite.database
        try await Self.addTenants(to: database)
        let (sessions, erasures) = (Fixture.sessions(database), Erasures(database, sealing: Fixture.sealing))
        for byte: UInt8 in 1..<40 {
            _ = try await Self.prove(Self.neighbour, at: Fixture.client, key: byte, in: sessions)
        }
        _ = try await Self.prove(Self.number, at: Fixture.client, key: 99, in: sessions)
        // The number under the toy cipher, its blind index, and the key's public half.
        let traces = [
            Self.number.e164.utf8.map { $0 ^ 0x5A }, Fixture.sealing.blindIndex(Self.number),
            [UInt8](repeating: 99, count: 32),
        ]
        func found() throws -> [Bool] {
            let files = try folder.contents().values.map { Data($0) }
            return traces.map { trace in files.contains { $0.range(of: Data(trace)) != nil } }
        }
        #expect(try found() == [true, true, true])
        let erased = try await erasures.erase(.number(Self.number), at: nil)
        #expect(erased.data == Self.data(1, 1, 1, limits: 1))
        #expect(try found() == [false, false, false])
        await sqlite.close()
        #expect(try found() == [false, false, false])
    }
}
