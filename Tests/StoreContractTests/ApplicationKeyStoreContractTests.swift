import Engine
import Possession
import TestSupport
import Testing
import Text

/// The promises of every store of application keys.
@Suite struct ApplicationKeyStoreContractTests {
    private static func keys(_ byte: UInt8, sealed: [UInt8] = [1, 2, 3]) -> ApplicationKeys {
        let half = [UInt8](repeating: byte, count: 32)
        return ApplicationKeys(
            applicationKey: Base64.encode([UInt8](repeating: byte, count: 16)), sealed: sealed + [byte],
            masterPublicKey: PublicKey(x: half, y: half)!)
    }

    private static let (client, other) = (Sample.client, Sample.other)
    private static let month = Duration.seconds(30 * 86_400)

    @Test(arguments: TestedStore.allCases)
    func `finds keys by their text and by their client`(tested: TestedStore) async throws {
        let store = try tested.make().applications
        #expect(try await store.add(Self.keys(1), to: Self.client))
        #expect(try await store.add(Self.keys(2), to: Self.other))
        let stored = Application(client: Self.client, keys: ApplicationKeyRing(current: Self.keys(1)))
        #expect(try await store.application(of: Self.client) == stored)
        // The second time it is remembered.
        for _ in 0..<2 { #expect(try await store.application(Self.keys(1).applicationKey) == stored) }
        #expect(try await store.application(Self.keys(2).applicationKey)?.client == Self.other)
        #expect(try await store.application(Self.keys(3).applicationKey) == nil)
        #expect(try await store.application(of: ClientID("nobody")!) == nil)
    }

    @Test(arguments: TestedStore.allCases)
    func `finds nothing by a text that is no key`(tested: TestedStore) async throws {
        let store = try tested.make().applications
        #expect(try await store.add(Self.keys(0), to: Self.client))
        let right = Self.keys(0).applicationKey
        #expect(right == "AAAAAAAAAAAAAAAAAAAAAA==")
        for text in [
            "", "A", String(right.dropLast(2)), right + right, "AAAAAAAAAAAAAAAAAAAAAB==", "aAAAAAAAAAAAAAAAAAAAAA==",
            "AAAAAAAAAAAAAAAAAAAAAA=\u{301}", String(repeating: "A", count: 24),
        ] {
            #expect(try await store.application(text) == nil, "\(text)")
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `gives a client its first keys once, and no key twice`(tested: TestedStore) async throws {
        let store = try tested.make().applications
        #expect(try await store.add(Self.keys(1), to: Self.client))
        #expect(try await !store.add(Self.keys(2), to: Self.client))
        #expect(try await store.application(of: Self.client)?.keys.current == Self.keys(1))
        await #expect(throws: StorageFault.duplicate) { try await store.add(Self.keys(1), to: Self.other) }
        #expect(try await store.application(of: Self.other) == nil)
    }

    @Test(arguments: TestedStore.allCases)
    func `lets one of racing first keys win`(tested: TestedStore) async throws {
        let added = try await tested.pair().race(16) { stores, number in
            try await stores.applications.add(Self.keys(UInt8(number)), to: Self.client)
        }
        #expect(added == 1)
    }

    @Test(arguments: TestedStore.allCases)
    func `a rotation keeps the keys before until the overlap ends`(tested: TestedStore) async throws {
        let store = try tested.make().applications
        #expect(
            try await store.rotate(Self.client, to: Self.keys(1), at: Sample.now, overlap: Self.month) == nil,
            "there is nothing to rotate")
        #expect(try await store.add(Self.keys(1), to: Self.client))
        // Asked for before, so that a store that remembers has to forget.
        #expect(try await store.application(Self.keys(1).applicationKey) != nil)
        let rotated = try #require(
            try await store.rotate(Self.client, to: Self.keys(2), at: Sample.now, overlap: Self.month))
        let end = Sample.now.adding(Self.month)
        #expect(
            rotated.keys
                == ApplicationKeyRing(current: Self.keys(2), previous: .init(keys: Self.keys(1), endsAt: end)))
        for byte: UInt8 in [1, 2] {
            let name = Self.keys(byte).applicationKey
            let found = try await store.application(name)
            #expect(found == rotated)
            #expect(found?.keys.keys(named: name, at: end.adding(.milliseconds(-1))) == Self.keys(byte))
        }
        #expect(rotated.keys.keys(named: Self.keys(1).applicationKey, at: end) == nil)
        #expect(rotated.keys.keys(named: Self.keys(2).applicationKey, at: end) == Self.keys(2))
    }

    @Test(arguments: TestedStore.allCases)
    func `a second rotation removes the oldest keys`(tested: TestedStore) async throws {
        let store = try tested.make().applications
        #expect(try await store.add(Self.keys(1), to: Self.client))
        for byte: UInt8 in [2, 3] {
            let rotated = try await store.rotate(
                Self.client, to: Self.keys(byte), at: Sample.now, overlap: Self.month)
            #expect(rotated?.keys.current == Self.keys(byte))
        }
        #expect(try await store.application(Self.keys(1).applicationKey) == nil)
        #expect(try await store.application(of: Self.client)?.keys.previous?.keys == Self.keys(2))
        // Its name is free, so another may have it.
        #expect(try await store.add(Self.keys(1), to: Self.other))
    }

    @Test(arguments: TestedStore.allCases)
    func `a rotation to keys of another client changes nothing`(tested: TestedStore) async throws {
        let store = try tested.make().applications
        #expect(try await store.add(Self.keys(1), to: Self.client))
        #expect(try await store.add(Self.keys(2), to: Self.other))
        await #expect(throws: StorageFault.duplicate) {
            try await store.rotate(Self.client, to: Self.keys(2), at: Sample.now, overlap: Self.month)
        }
        #expect(
            try await store.application(of: Self.client)?.keys == ApplicationKeyRing(current: Self.keys(1)))
    }

    @Test(arguments: TestedStore.allCases)
    func `makes configured keys those of the file`(tested: TestedStore) async throws {
        let store = try tested.make().applications
        let third = ClientID("third")!
        #expect(try await store.add(Self.keys(9), to: third))
        try await store.setConfigured([(Self.client, Self.keys(1)), (Self.other, Self.keys(2))])
        #expect(try await store.application(of: Self.client)?.isConfigured == true)
        #expect(try await store.application(Self.keys(2).applicationKey)?.client == Self.other)
        // One is gone, one has moved, and one takes the place of an operator's.
        try await store.setConfigured([(Self.client, Self.keys(2)), (third, Self.keys(3))])
        #expect(try await store.application(of: Self.other) == nil)
        #expect(try await store.application(Self.keys(2).applicationKey)?.client == Self.client)
        #expect(try await store.application(of: third)?.keys == ApplicationKeyRing(current: Self.keys(3)))
        for byte: UInt8 in [1, 9] { #expect(try await store.application(Self.keys(byte).applicationKey) == nil) }
        // The same name with another secret.
        try await store.setConfigured([(Self.client, Self.keys(2, sealed: [7]))])
        #expect(try await store.application(Self.keys(2).applicationKey)?.keys.current.sealed == [7, 2])
        #expect(try await store.application(of: third) == nil)
    }

    @Test(arguments: TestedStore.allCases)
    func `configured keys are not rotated, and take no second ones`(tested: TestedStore) async throws {
        let store = try tested.make().applications
        try await store.setConfigured([(Self.client, Self.keys(1))])
        let stored = try await store.application(of: Self.client)
        #expect(
            try await store.rotate(Self.client, to: Self.keys(2), at: Sample.now, overlap: Self.month) == stored)
        #expect(try await !store.add(Self.keys(2), to: Self.client))
        #expect(try await store.application(of: Self.client) == stored)
    }
}
