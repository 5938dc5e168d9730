import Dispatch
import Engine
import Locks
import PostgresStorage
import PostgresTestSupport
import Storage
import TestSupport
import Testing

@testable import Possession

/// Several servers on one PostgreSQL. What a change of one says holds at each other one when its call returns.
@Suite(.enabled(if: TestedPostgres.address != nil, "scripts/with-postgres starts the PostgreSQL"))
struct ServersTests {
    /// A server, and the tables of which it keeps rows in memory.
    fileprivate struct Server: Sendable {
        let postgres: PostgresDatabase
        let tenants: TenantsTable
        let apiKeys: APIKeysTable
        let lists: ListedNumbersTable
        let testNumbers: TestNumbersTable
        let closedPrefixes: ClosedPrefixesTable
        let webhooks: WebhookEndpointsTable
        let duties: DutiesTable
        let sessions: SessionsTable

        init(_ postgres: PostgresDatabase) async throws {
            self.postgres = postgres
            let database = postgres.database
            tenants = TenantsTable(database)
            apiKeys = APIKeysTable(database)
            lists = ListedNumbersTable(database, sealing: .fake)
            testNumbers = TestNumbersTable(database, sealing: .fake)
            closedPrefixes = ClosedPrefixesTable(database)
            webhooks = WebhookEndpointsTable(database, sealing: .fake)
            duties = DutiesTable(database, server: postgres.server)
            sessions = SessionsTable(database, sealing: .fake, holder: postgres.server)
            let caches = CacheVersions()
            caches.onChange(of: .tenants, tenants.readAgain)
            caches.onChange(of: .apiKeys, apiKeys.readAgain)
            caches.onChange(of: .listedNumbers, lists.readAgain)
            caches.onChange(of: .testNumbers, testNumbers.load)
            caches.onChange(of: .closedPrefixes, closedPrefixes.load)
            caches.onChange(of: .webhookEndpoints, webhooks.learn)
            try await postgres.follow(caches)
        }
    }

    private let first: Server
    private let second: Server

    init() async throws {
        let servers = try TestedPostgres.makeServers(2)
        first = try await Server(servers[0])
        second = try await Server(servers[1])
    }

    @Test func `a revoked tenant and a removed key are refused at each server`() async throws {
        let tenant = Tenant(id: Sample.client, rules: TenantRules(), secretDigests: [], createdAt: Sample.now)
        try await first.tenants.add(tenant)
        #expect(try await second.tenants.tenant(tenant.id)?.revokedAt == nil)
        #expect(try await first.tenants.revokeTenant(tenant.id, at: Sample.now))
        #expect(try await second.tenants.tenant(tenant.id)?.revokedAt == Sample.now)

        let digest = SecretDigest([UInt8](repeating: 1, count: 32))
        let key = APIKey(
            id: Sample.id(), kind: .api, client: tenant.id, digest: digest, name: "a", ending: "1234",
            isConfigured: false, createdAt: Sample.now)
        #expect(try await first.apiKeys.add(key))
        #expect(try await second.apiKeys.key(digest) == key)
        #expect(try await first.apiKeys.removeKey(key.id) == key)
        #expect(second.apiKeys.rememberedKey(digest) == nil)
        #expect(try await second.apiKeys.key(digest) == nil)
    }

    @Test func `lists, test numbers, closed prefixes and endpoints of one server hold at each`() async throws {
        #expect(try await !second.lists.contains(Sample.number, .blocked, of: Sample.client))
        #expect(try await first.lists.add(Sample.number, to: .blocked, of: Sample.client, at: Sample.now))
        #expect(try await second.lists.contains(Sample.number, .blocked, of: Sample.client))

        let entry = TestNumber(
            number: Sample.number, code: OTP("987654")!, tenant: nil, createdAt: Sample.now,
            endsAt: Sample.now.adding(.seconds(60)))
        #expect(try await first.testNumbers.add(entry, at: Sample.now))
        #expect(second.testNumbers.testNumbers == [entry])

        let closed = ClosedPrefix(prefix: NumberPrefix("+1650")!, until: Sample.now.adding(.seconds(60)))
        _ = try await first.closedPrefixes.close(closed, at: Sample.now)
        #expect(second.closedPrefixes.closedPrefixes == [closed])

        let endpoint = try WebhookStoreContractTests.endpoint()
        #expect(try await first.webhooks.add(endpoint, most: 5))
        #expect(second.webhooks.subscriptions(of: endpoint.clientID).map(\.endpoint) == [endpoint.id])
        #expect(try await first.webhooks.removeWebhookEndpoint(endpoint.id, of: nil, at: Sample.now))
        #expect(second.webhooks.subscriptions(of: endpoint.clientID).isEmpty)
    }

    @Test func `one server has a duty until it ends`() async throws {
        #expect(try await first.duties.take(.sweep))
        #expect(try await !second.duties.take(.sweep))
        #expect(try await second.duties.take(.webhooks))
        #expect(try await first.duties.take(.sweep))
        await first.postgres.close()
        #expect(try await second.duties.take(.sweep))
    }

    @Test func `a message stays with its server until that ends`() async throws {
        let session = try Sample.waiting()
        try await first.sessions.insert(session)
        let pending = Session.PendingMessage(
            to: .number(Sample.number), content: .code(OTP("1234")!, digest: Sample.right, after: .idle),
            place: .again, usefulUntil: Sample.now.adding(.seconds(60)), sendsLeft: 1, triesLeft: 1)
        let message = OutboundMessage(id: Sample.id(), correlationID: session.correlationID, pending: pending)
        _ = try await first.sessions.update(session) { $0.message = message }
        #expect(try await second.sessions.outbox.takeQueued(limit: 10).isEmpty)
        await first.postgres.close()
        #expect(try await second.sessions.outbox.takeQueued(limit: 10).messages == [message])
    }

    @Test(.timeLimit(.minutes(60)))
    func `a server that was paused sends messages after a heartbeat, and none once it is removed`() async throws {
        let time = Locked<UInt64>(0)
        let servers = try TestedPostgres.makeServers(2) { time.withLock(\.self) }
        let (paused, other) = (try await Server(servers[0]), try await Server(servers[1]))
        let lifetime: UInt64 = 20_000_000_000
        #expect(await paused.sessions.outbox.keepsMessages())
        time.withLock { $0 += 2 * lifetime }
        #expect(await paused.sessions.outbox.keepsMessages())
        try await other.postgres.database.transaction { (connection) throws(StorageFault) in
            try connection.run("DELETE FROM servers WHERE number = ?1") { $0.integer(paused.postgres.server) }
        }
        time.withLock { $0 += 2 * lifetime }
        #expect(!paused.sessions.outbox.surelyKeepsMessages)
        #expect(await !paused.sessions.outbox.keepsMessages())
        #expect(await other.sessions.outbox.keepsMessages())
        #expect(other.sessions.outbox.surelyKeepsMessages)
    }

    @Test(.timeLimit(.minutes(60)))
    func `a change that waits too long for another server is stored, and its caller may ask again`() async throws {
        let time = Locked<UInt64>(0)
        let servers = try TestedPostgres.makeServers(1, silent: 1) { time.withLock(\.self) }
        let heard = try await Server(servers[0])
        // The silent server has caches, and never reads them again.
        try await servers[1].database.transaction { (connection) throws(StorageFault) in
            try connection.run("UPDATE servers SET caches_seen = 0 WHERE number = ?1") { $0.integer(servers[1].server) }
        }
        let tenant = Tenant(id: Sample.client, rules: TenantRules(), secretDigests: [], createdAt: Sample.now)
        let hasEnded = Locked(false)
        let adding = Task {
            defer { hasEnded.withLock { $0 = true } }
            await #expect(throws: StorageFault.overloaded) { try await heard.tenants.add(tenant) }
        }
        while !hasEnded.withLock(\.self) {
            time.withLock { $0 += 40_000_000_000 }
            await Task.yield()
        }
        await adding.value
        #expect(try await heard.tenants.tenant(tenant.id) == tenant)
    }

    @Test(.timeLimit(.minutes(60))) func `a silent server is removed, and changes nothing more`() async throws {
        let servers = try TestedPostgres.makeServers(1, silent: 1, lifetime: 200)
        let (heard, silent) = (try await Server(servers[0]), try await Server(servers[1]))
        while try await heard.others() > 0 { await Task.yield() }
        await #expect(throws: StorageFault.self) { try await silent.sessions.insert(Sample.session()) }
        await #expect(throws: StorageFault.self) { _ = try await silent.duties.take(.receipts) }
        #expect(try await heard.duties.take(.receipts))
        try await heard.sessions.insert(Sample.session())
    }
}

extension ServersTests {
    /// As when the process is stopped while a transaction is under way.
    @Test(.timeLimit(.minutes(60)))
    func `a silent server in the middle of a transaction is removed, and stores nothing of it`() async throws {
        let servers = try TestedPostgres.makeServers(1, silent: 1, lifetime: 200)
        let (heard, silent) = (try await Server(servers[0]), try await Server(servers[1]))
        let tenant = Tenant(id: Sample.client, rules: TenantRules(), secretDigests: [], createdAt: Sample.now)
        try await heard.tenants.add(tenant)
        let (isOpen, end) = (Locked(false), DispatchSemaphore(value: 0))
        let transaction = Task {
            try await silent.postgres.database.transaction { (connection) throws(StorageFault) in
                try connection.run("UPDATE tenants SET created_at_ms = 0")
                _ = try connection.first("SELECT count(*) FROM tenants") { (row) throws(StorageFault) in
                    try row.integer("count")
                }
                isOpen.withLock { $0 = true }
                end.wait()
            }
        }
        while !isOpen.withLock(\.self) { await Task.yield() }
        while try await heard.others() > 0 { await Task.yield() }
        end.signal()
        await #expect(throws: StorageFault.self) { try await transaction.value }
        #expect(try await heard.tenants.tenant(tenant.id) == tenant)
    }
}

extension ServersTests.Server {
    /// Other servers of the database.
    fileprivate func others() async throws -> Int {
        try await postgres.database.read { (connection) throws(StorageFault) in
            let count = try connection.first("SELECT count(*) FROM servers") { (row) throws(StorageFault) in
                try row.integer("count")
            }
            return Int(count ?? 0) - 1
        }
    }
}
