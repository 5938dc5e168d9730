import Engine
import Possession
import TestSupport
import Testing

/// Rules for every store of API keys.
@Suite struct APIKeyStoreContractTests {
    private static func digest(_ byte: Int) -> SecretDigest { SecretDigest([UInt8](repeating: UInt8(byte), count: 32)) }

    private static func key(
        _ byte: Int, _ kind: APIKey.Kind = .api, of client: ClientID = Sample.client, isConfigured: Bool = false
    ) -> APIKey {
        let now = Sample.now.adding(.seconds(Int64(byte)))
        return APIKey(
            id: Sample.id(at: now), kind: kind, client: client, digest: digest(byte), name: "name \(byte)",
            ending: "end\(byte % 10)", isConfigured: isConfigured, createdAt: now)
    }

    @Test(arguments: TestedStore.allCases)
    func `finds a key by its text and by its tenant`(tested: TestedStore) async throws {
        let store = try tested.make().apiKeys
        let (one, two, other) = (Self.key(2), Self.key(1, .sdk), Self.key(3, of: Sample.other))
        for key in [one, two, other] { #expect(try await store.add(key)) }
        #expect(try await store.key(Self.digest(2)) == one)
        #expect(store.rememberedKey(Self.digest(2)) == one, "it was asked for")
        #expect(try await store.key(Self.digest(9)) == nil)
        #expect(try await store.keys(of: Sample.client) == [two, one])
        #expect(try await store.keys(of: Sample.other) == [other])
    }

    @Test(arguments: TestedStore.allCases)
    func `lets no key in that was removed`(tested: TestedStore) async throws {
        let store = try tested.make().apiKeys
        let key = Self.key(1)
        #expect(try await store.add(key))
        #expect(try await store.key(key.digest) == key)
        #expect(try await store.removeKey(key.id) == key)
        #expect(try await store.key(key.digest) == nil)
        #expect(store.rememberedKey(key.digest) == nil)
        #expect(try await store.removeKey(key.id) == nil)
    }

    @Test(arguments: TestedStore.allCases)
    func `keeps twenty keys of each kind for a tenant, and no text twice`(tested: TestedStore) async throws {
        let store = try tested.make().apiKeys
        for index in 0..<APIKey.most { #expect(try await store.add(Self.key(index))) }
        #expect(try await !store.add(Self.key(100)))
        #expect(try await store.add(Self.key(101, .sdk)))
        #expect(try await store.add(Self.key(102, of: Sample.other)))
        await #expect(throws: StorageFault.duplicate) { try await store.add(Self.key(102, of: Sample.other)) }
    }

    @Test(arguments: TestedStore.allCases)
    func `counts exactly in a race of adds`(tested: TestedStore) async throws {
        let keys = try tested.pair().map(\.apiKeys)
        let added = try await keys.race(60) { keys, number in try await keys.add(Self.key(number)) }
        #expect(added == APIKey.most)
        #expect(try await keys.first.keys(of: Sample.client).count == APIKey.most)
    }

    @Test(arguments: TestedStore.allCases)
    func `makes configured keys those of the file`(tested: TestedStore) async throws {
        let store = try tested.make().apiKeys
        let added = Self.key(1)
        let (kept, gone) = (Self.key(2, isConfigured: true), Self.key(3, isConfigured: true))
        #expect(try await store.add(added))
        try await store.setConfigured([kept, gone])
        #expect(try await store.key(gone.digest) == gone)
        // The same text, of another tenant now.
        let moved = Self.key(3, of: Sample.other, isConfigured: true)
        try await store.setConfigured([Self.key(2, isConfigured: true), moved])
        #expect(try await store.keys(of: Sample.client) == [added, kept], "a key that stays keeps its id")
        #expect(try await store.key(gone.digest) == moved)
    }
}
