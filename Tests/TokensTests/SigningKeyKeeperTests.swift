import Locks
import Possession
import Synchronization
import Testing
import Tokens

/// Keeps keys in memory.
private final class MemoryStore: SigningKeyStore {
    let keys = Mutex<[StoredSigningKey]>([])
    func signingKeys() async throws(StorageFault) -> [StoredSigningKey] { keys.withLock { $0 } }
    func add(_ key: StoredSigningKey) async throws(StorageFault) { keys.withLock { $0.append(key) } }
}

@Suite struct SigningKeyKeeperTests {
    private let store = MemoryStore()
    private let master: MasterKey
    private let keeper: SigningKeyKeeper

    init() throws {
        master = try #require(MasterKey([UInt8](repeating: 1, count: 32)))
        keeper = SigningKeyKeeper(store: store, sealer: try Self.sealer(master))
    }

    private static func sealer(_ master: MasterKey) throws -> Sealer {
        try Sealer(key: master.subkey(.signingKeySeal), randomBytes: SystemRandom().randomBytes)
    }

    @Test func `makes one key for each purpose and finds them after a restart`() async throws {
        let first = try await keeper.load(at: Fixture.now)
        #expect(Set(first.keys.map(\.purpose)) == Set(SigningKeyRecord.Purpose.allCases))
        let second = try await SigningKeyKeeper(store: store, sealer: Self.sealer(master)).load(
            at: Fixture.now.adding(.seconds(5)))
        #expect(Set(second.keys.map(\.kid)) == Set(first.keys.map(\.kid)))
        let token = try ES256TokenService(publicURL: "https://a", ring: first)
            .issueAccessToken(for: Fixture.clientID(), jti: Fixture.jti, at: Fixture.now)
        #expect(
            ES256TokenService(publicURL: "https://a", ring: second).verifyAccessToken(token, at: Fixture.now) != nil)
    }

    @Test func `gives an older store the key it lacks and leaves the others`() async throws {
        _ = try await keeper.load(at: Fixture.now)
        store.keys.withLock { $0.removeAll { $0.purpose == .assertion } }
        let before = store.keys.withLock { Set($0.map(\.kid)) }
        let ring = try await keeper.load(at: Fixture.now)
        #expect(Set(ring.keys.map(\.purpose)) == Set(SigningKeyRecord.Purpose.allCases))
        #expect(before.isSubset(of: ring.keys.map(\.kid)))
    }

    @Test func `stores the successor before it serves it`() async throws {
        _ = try await keeper.load(at: Fixture.now)
        let ring = try await keeper.rotate(.auth, at: Fixture.now.adding(.seconds(10)))
        let count = SigningKeyRecord.Purpose.allCases.count + 1
        #expect(ring.keys.count == count)
        #expect(store.keys.withLock { $0.count } == count)
        #expect(store.keys.withLock { $0.last?.activatesAt } == Fixture.now.adding(.seconds(310)))
    }

    @Test func `stores no private key in the clear`() async throws {
        let ring = try await keeper.load(at: Fixture.now)
        for key in ring.keys {
            let stored = try #require(store.keys.withLock { $0.first { $0.kid == key.kid } })
            // The DER of a key holds its public half too: neither may show.
            #expect(!contains(stored.sealedPrivateKey, key.key.publicKey.x))
        }
    }

    @Test func `refuses keys under another master key, another purpose or another kid`() async throws {
        _ = try await keeper.load(at: Fixture.now)
        let other = try #require(MasterKey([UInt8](repeating: 2, count: 32)))
        await #expect(throws: SigningKeyFault.self) {
            try await SigningKeyKeeper(store: store, sealer: Self.sealer(other)).load(at: Fixture.now)
        }
        let key = try #require(store.keys.withLock { $0.first })
        let sealer = try Self.sealer(master)
        #expect(throws: TokenFault.self) {
            try SigningKeyRecord(changed(key, purpose: key.purpose == .auth ? .access : .auth), openedWith: sealer)
        }
        #expect(throws: TokenFault.self) { try SigningKeyRecord(changed(key, kid: "x"), openedWith: sealer) }
    }

    private func changed(
        _ key: StoredSigningKey, kid: String? = nil, purpose: StoredSigningKey.Purpose? = nil
    ) -> StoredSigningKey {
        StoredSigningKey(
            kid: kid ?? key.kid, purpose: purpose ?? key.purpose, createdAt: key.createdAt,
            activatesAt: key.activatesAt,
            sealedPrivateKey: key.sealedPrivateKey)
    }

    private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        bytes.indices.contains { bytes[$0...].starts(with: part) }
    }
}
