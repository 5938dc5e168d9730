import Engine
import Possession
import Testing

/// The contract of every store of signing keys.
@Suite struct SigningKeyStoreContractTests {
    /// The port gives them in any order.
    private static func stored(_ keys: any SigningKeyStore) async throws -> [StoredSigningKey] {
        try await keys.signingKeys().sorted { $0.kid < $1.kid }
    }

    @Test(arguments: DurableStore.allCases)
    func `keeps every key that was added`(store: DurableStore) async throws {
        let keys = try await store.make().signingKeys
        let added = StoredSigningKey.Purpose.allCases.enumerated().map { index, purpose in
            StoredSigningKey(
                kid: "k-\(index)", purpose: purpose, createdAt: Timestamp(seconds: Int64(index)),
                activatesAt: Timestamp(seconds: 9), half: .sealedPrivate([1, 2]))
        }
        #expect(try await keys.signingKeys() == [])
        for key in added { try await keys.add(key) }
        #expect(try await Self.stored(keys) == added)
        await #expect(throws: StorageFault.duplicate) { try await keys.add(added[0]) }
    }

    private func key(_ kid: String, from seconds: Int64, _ half: StoredSigningKey.Half) -> StoredSigningKey {
        StoredSigningKey(
            kid: kid, purpose: .auth, createdAt: Timestamp(seconds: 1), activatesAt: Timestamp(seconds: seconds),
            half: half)
    }

    @Test(arguments: DurableStore.allCases)
    func `replaces a private half, keeps the last one, and removes only what is public`(store: DurableStore)
        async throws
    {
        let keys = try await store.make().signingKeys
        for (kid, seconds) in [("a", Int64(1)), ("b", 2), ("c", 3)] {
            try await keys.add(key(kid, from: seconds, .sealedPrivate([7])))
        }
        // All three at once, as a wrong clock might ask for.
        try await keys.retire(
            [
                key("a", from: 1, .sealedPublic([8])), key("b", from: 2, .sealedPublic([8])),
                key("c", from: 3, .sealedPublic([8])),
            ], removing: ["a", "c"])
        #expect(
            try await Self.stored(keys) == [
                key("b", from: 2, .sealedPublic([8])), key("c", from: 3, .sealedPrivate([7])),
            ])
    }

    @Test(arguments: DurableStore.allCases)
    func `a key of another purpose replaces none`(store: DurableStore) async throws {
        let keys = try await store.make().signingKeys
        let own = key("a", from: 1, .sealedPrivate([7]))
        try await keys.add(own)
        try await keys.add(
            StoredSigningKey(
                kid: "b", purpose: .access, createdAt: Timestamp(seconds: 2), activatesAt: Timestamp(seconds: 2),
                half: .sealedPrivate([7])))
        try await keys.retire([key("a", from: 1, .sealedPublic([8]))], removing: ["a", "unknown"])
        #expect(try await Self.stored(keys).first == own)
    }

    @Test(arguments: DurableStore.allCases)
    func `the next process has the same keys`(store: DurableStore) async throws {
        let stores = try await store.make()
        for (kid, seconds) in [("a", Int64(1)), ("b", 2)] {
            try await stores.signingKeys.add(key(kid, from: seconds, .sealedPrivate([7])))
        }
        try await stores.signingKeys.retire([key("a", from: 1, .sealedPublic([8]))], removing: [])
        let left = [key("a", from: 1, .sealedPublic([8])), key("b", from: 2, .sealedPrivate([7]))]
        #expect(try await Self.stored(stores.next().signingKeys) == left)
    }

    @Test(arguments: DurableStore.allCases)
    func `of two that make the first key of a purpose at the same time, one does`(store: DurableStore) async throws {
        let keys = try await store.pair().map(\.signingKeys)
        let added = try await keys.callAtOnce(2) { keys, number in
            try await keys.addFirst(key("k-\(number)", from: 1, .sealedPrivate([7])))
        }
        #expect(added.count { $0 } == 1)
        #expect(try await keys.first.signingKeys().count == 1)
    }

    @Test(arguments: DurableStore.allCases)
    func `two that retire each other's key leave one that signs`(store: DurableStore) async throws {
        let keys = try await store.pair().map(\.signingKeys)
        let kids = ["a", "b"]
        for kid in kids { try await keys.first.add(key(kid, from: 1, .sealedPrivate([7]))) }
        try await keys.callAtOnce(kids.count) { keys, number in
            try await keys.retire([key(kids[number], from: 1, .sealedPublic([8]))], removing: [])
        }
        #expect(try await keys.first.signingKeys().count { $0.half == .sealedPrivate([7]) } == 1)
    }
}
