import Engine
import Possession
import Testing

/// The contract of every store of keysets.
@Suite struct KeysetStoreContractTests {
    private static func keyset(_ number: Int, sealed: [UInt8] = [1, 2, 3]) -> StoredKeyset {
        StoredKeyset(
            masterID: [UInt8](repeating: UInt8(number), count: 8), number: number,
            createdAt: Sample.now.adding(.seconds(Int64(number))), sealed: sealed)
    }

    @Test(arguments: DurableStore.allCases)
    func `has no keysets at first, and then those that took their place, the newest last`(
        store: DurableStore
    ) async throws {
        let stores = try await store.make()
        #expect(try await stores.keysets.keysets() == [])
        try await stores.keysets.replaceKeysets([], with: [Self.keyset(2), Self.keyset(1)])
        #expect(try await stores.keysets.keysets() == [Self.keyset(1), Self.keyset(2)])
        try await stores.keysets.replaceKeysets([Self.keyset(1), Self.keyset(2)], with: [Self.keyset(2, sealed: [9])])
        #expect(try await stores.keysets.keysets() == [Self.keyset(2, sealed: [9])])
        #expect(try await stores.next().keysets.keysets() == [Self.keyset(2, sealed: [9])])
    }

    @Test(arguments: DurableStore.allCases)
    func `replaces only what is stored, else nothing changes`(store: DurableStore) async throws {
        let keysets = try await store.make().keysets
        try await keysets.replaceKeysets([], with: [Self.keyset(1)])
        for old in [[], [Self.keyset(2)], [Self.keyset(1, sealed: [9])], [Self.keyset(1), Self.keyset(2)]] {
            await #expect(throws: StorageFault.self) { try await keysets.replaceKeysets(old, with: [Self.keyset(3)]) }
        }
        #expect(try await keysets.keysets() == [Self.keyset(1)])
    }

    @Test(arguments: DurableStore.allCases)
    func `of sixteen that replace the same keyset at once, one does`(store: DurableStore) async throws {
        let keysets = try await store.pair().map(\.keysets)
        try await keysets.first.replaceKeysets([], with: [Self.keyset(1)])
        let replaced = try await keysets.callAtOnce(16) { keysets, number -> StoredKeyset? in
            let new = Self.keyset(2 + number)
            do throws(StorageFault) { try await keysets.replaceKeysets([Self.keyset(1)], with: [new]) } catch {
                return nil
            }
            return new
        }.compactMap { $0 }
        #expect(replaced.count == 1)
        #expect(try await keysets.first.keysets() == replaced)
    }
}
