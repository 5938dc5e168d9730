import Testing

@testable import Engine
@testable import Possession

/// The contract of every audit log: an entry is in the transaction of what it records, and the entries are one chain
/// (OPS-04).
@Suite struct AuditStoreContractTests {
    private static func entry(_ event: AuditEvent = .clientAdded, at seconds: Int64 = 0) -> AuditEntry {
        AuditEntry(event, by: .operator, at: Sample.now.adding(.seconds(seconds)))
    }

    private static func texts(_ log: any AuditStore) async throws -> [String] {
        try await log.lines(after: 0, limit: 100).map { String(decoding: $0.text, as: UTF8.self) }
    }

    private static let tenant = Tenant(
        id: Sample.client, rules: TenantRules(), secretDigests: [SecretDigest([UInt8](repeating: 1, count: 32))],
        createdAt: Sample.now)

    @Test(arguments: DurableStore.allCases)
    func `each line has the hash of the one before`(store: DurableStore) async throws {
        let stores = try await store.make()
        for _ in 0..<3 { try await stores.audit.add(Self.entry()) }
        let lines = try await stores.audit.lines(after: 0, limit: 100)
        #expect(lines.map(\.number) == [1, 2, 3])
        for (line, next) in zip(lines, lines.dropFirst()) {
            #expect(String(decoding: next.text, as: UTF8.self).hasSuffix("\(line.hash.prefix(2))"))
        }
        let (ends, isAuthentic) = try await stores.audit.ends()
        #expect(ends.last == 3 && ends.lastHash == lines[2].hash && ends.before == 0 && isAuthentic)
        #expect(try await stores.audit.lines(after: 1, limit: 1).map(\.number) == [2])
    }

    @Test(arguments: DurableStore.allCases)
    func `an entry is stored with the first transaction that changes something, once`(store: DurableStore) async throws
    {
        let stores = try await store.make()
        let (_, isStored) = await stores.audit.auditing(Self.entry()) {
            _ = try? await stores.tenants.tenants()
            try? await stores.tenants.add(Self.tenant)
            _ = try? await stores.tenants.revokeTenant(Sample.client, at: Sample.now)
        }
        #expect(isStored)
        #expect(try await Self.texts(stores.audit).count == 1)
    }

    @Test(arguments: DurableStore.allCases)
    func `a change of an API client that is not there leaves no entry`(store: DurableStore) async throws {
        let stores = try await store.make()
        let (_, isStored) = await stores.audit.auditing(Self.entry(.clientRevoked)) {
            _ = try? await stores.tenants.revokeTenant(Sample.client, at: Sample.now)
        }
        #expect(!isStored)
        #expect(try await Self.texts(stores.audit).isEmpty)
    }

    @Test(arguments: DurableStore.allCases)
    func `an erasure that finds nothing leaves no entry`(store: DurableStore) async throws {
        let stores = try await store.make()
        let (erased, isStored) = await stores.audit.auditing(Self.entry()) {
            try? await stores.erasures.erase(.number(Sample.number), at: nil).data
        }
        #expect(erased?.isNothing == true && !isStored)
        #expect(try await Self.texts(stores.audit).isEmpty)
    }

    @Test(arguments: DurableStore.allCases)
    func `what is taken back leaves no entry, and its refusal gets one of its own`(store: DurableStore) async throws {
        let stores = try await store.make()
        try await stores.tenants.add(Self.tenant)
        let result = await stores.audit.recording(
            Self.entry(), result: { (isAdded: Bool) in isAdded ? .done : .refused }
        ) {
            do throws(StorageFault) { try await stores.tenants.add(Self.tenant) } catch { return false }
            return true
        }
        #expect(!result)
        let texts = try await Self.texts(stores.audit)
        #expect(texts.count == 1 && texts[0].hasPrefix("1 client_added refused"))
    }

    @Test(arguments: DurableStore.allCases)
    func `an order that changes nothing has an entry as well`(store: DurableStore) async throws {
        let stores = try await store.make()
        await stores.audit.recording(Self.entry(), result: { .done }) {}
        #expect(try await Self.texts(stores.audit).map { $0.hasPrefix("1 client_added done") } == [true])
    }

    @Test(arguments: DurableStore.allCases)
    func `of many orders at once each has its entry, and the chain is whole`(store: DurableStore) async throws {
        let pair = try await store.pair()
        try await pair.callAtOnce(50) { stores, number in
            guard let id = ClientID("client-\(number)") else { return }
            let tenant = Tenant(
                id: id, rules: TenantRules(), secretDigests: Self.tenant.secretDigests, createdAt: Sample.now)
            await stores.audit.recording(Self.entry(), result: { .done }) {
                try? await stores.tenants.add(tenant)
            }
        }
        let lines = try await pair.first.audit.lines(after: 0, limit: 100)
        #expect(lines.map(\.number) == Array(1...50))
        for (line, next) in zip(lines, lines.dropFirst()) {
            #expect(String(decoding: next.text, as: UTF8.self).hasSuffix("\(line.hash.prefix(2))"))
        }
    }

    private static let later = Sample.now.adding(.seconds(100))

    @Test(arguments: DurableStore.allCases)
    func `a line of a wrong clock does not keep all that follow`(store: DurableStore) async throws {
        let stores = try await store.make()
        for second in [0, 100_000, 100_001, 10, 100_000, 30, 100_000] {
            try await stores.audit.add(Self.entry(at: Int64(second)))
        }
        func sweep(before second: Int) async throws -> Int {
            try await stores.audit.sweepAudit(before: Sample.now.adding(.seconds(second)), at: Self.later)
        }
        #expect(try await sweep(before: 1) == 1)
        #expect(try await sweep(before: 10) == 0, "the next one is not old enough")
        #expect(try await sweep(before: 11) == 3)
        #expect(try await sweep(before: 99) == 2)
        #expect(try await stores.audit.lines(after: 0, limit: 100).map(\.number) == [7])
        #expect(try await stores.audit.ends().isAuthentic)
    }

    @Test(arguments: DurableStore.allCases)
    func `the sweep takes old lines from the start, and the chain goes on from there`(store: DurableStore) async throws
    {
        let stores = try await store.make()
        for second in [0, 10, 20, 5, 40] { try await stores.audit.add(Self.entry(at: Int64(second))) }
        let all = try await stores.audit.lines(after: 0, limit: 100)
        #expect(try await stores.audit.sweepAudit(before: Sample.now.adding(.seconds(20)), at: Self.later) == 2)
        // The fourth is older, and stays as the third does: a chain has no hole.
        #expect(try await stores.audit.lines(after: 0, limit: 100) == Array(all[2...]))
        let (ends, isAuthentic) = try await stores.audit.ends()
        #expect(ends.before == 2 && ends.beforeHash == all[1].hash && ends.last == 5 && isAuthentic)
        #expect(try await stores.audit.sweepAudit(before: Sample.now.adding(.seconds(20)), at: Self.later) == 0)
        try await stores.audit.add(Self.entry(at: 50))
        #expect(try await stores.audit.lines(after: 5, limit: 100).map(\.number) == [6])
    }

    @Test(arguments: DurableStore.allCases)
    func `a change that fails after its first part has a second entry`(store: DurableStore) async throws {
        let stores = try await store.make()
        let result = await stores.audit.recordingChange(Self.entry()) { () async -> Result<Void, StorageFault> in
            try? await stores.tenants.add(Self.tenant)
            return .failure(.overloaded)
        }
        #expect(throws: StorageFault.overloaded) { try result.get() }
        let texts = try await Self.texts(stores.audit)
        #expect(texts.map { $0.contains(" failed ") } == [false, true])
    }

    @Test(arguments: DurableStore.allCases)
    func `a closed prefix and a stopped check stand in the log with the change that closed them`(store: DurableStore)
        async throws
    {
        let stores = try await store.make()
        let key = LimitKey(.wrongCodesOfOwner, Sample.number, of: Sample.client)
        for _ in 0..<101 {
            try await stores.limits.count([key]) { $0.countFailure([key], by: .init(), at: Sample.now) }
        }
        let texts = try await Self.texts(stores.audit)
        #expect(texts.count == 1 && texts[0].hasPrefix("1 check_stopped done"))
    }

    @Test(arguments: DurableStore.allCases)
    func `the next process goes on with the chain`(store: DurableStore) async throws {
        let stores = try await store.make()
        for _ in 0..<2 { try await stores.audit.add(Self.entry()) }
        let first = try await stores.audit.lines(after: 0, limit: 100)
        let next = try await stores.next().audit
        #expect(try await next.ends() == stores.audit.ends())
        try await next.add(Self.entry())
        let lines = try await next.lines(after: 0, limit: 100)
        #expect(lines.map(\.number) == [1, 2, 3] && Array(lines.prefix(2)) == first)
        #expect(try await next.ends().isAuthentic)
    }

    @Test(arguments: DurableStore.allCases)
    func `a submitted entry is there with the next commit`(store: DurableStore) async throws {
        let stores = try await store.make()
        stores.audit.submit(Self.entry(.clientRevoked))
        try await stores.finishNotes()
        try await stores.tenants.add(Self.tenant)
        #expect(try await Self.texts(stores.audit).map { $0.hasPrefix("1 client_revoked done") } == [true])
    }

    @Test(arguments: DurableStore.allCases)
    func `an empty log has no lines, and its ends are authentic`(store: DurableStore) async throws {
        let log = try await store.make().audit
        #expect(try await log.ends() == (.none, isAuthentic: true))
        #expect(try await log.lines(after: 0, limit: 9) == [])
        #expect(try await log.sweepAudit(before: Self.later, at: Self.later) == 0)
    }
}
