import Locks
import Engine
import Possession
import Synchronization
import Testing
import Tokens

/// Keeps keys in memory.
private final class MemoryStore: SigningKeyStore {
    let keys = Mutex<[StoredSigningKey]>([])
    func signingKeys() async throws(StorageFault) -> [StoredSigningKey] { keys.withLock { $0 } }
    func add(_ key: StoredSigningKey) async throws(StorageFault) { keys.withLock { $0.append(key) } }
    func addFirst(_ key: StoredSigningKey) async throws(StorageFault) -> Bool {
        keys.withLock { keys in
            guard !keys.contains(where: { $0.purpose == key.purpose }) else { return false }
            keys.append(key)
            return true
        }
    }
    func retire(_ retired: [StoredSigningKey], removing outlived: [String]) async throws(StorageFault) {
        keys.withLock { keys in
            keys = keys.map { key in retired.first { $0.kid == key.kid } ?? key }.filter { !outlived.contains($0.kid) }
        }
    }
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
        try Sealer(
            key: master.subkey(.signingKeySeal), now: { Timestamp(seconds: 1_800_000_000) },
            randomBytes: SystemRandom().randomBytes)
    }

    @Test func `makes one key for each purpose and finds them after a restart`() async throws {
        let first = try await keeper.load(at: Fixture.now)
        #expect(Set(first.keys.map(\.purpose)) == Set(SigningKeyRecord.Purpose.ofTokens))
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
        #expect(Set(ring.keys.map(\.purpose)) == Set(SigningKeyRecord.Purpose.ofTokens))
        #expect(before.isSubset(of: ring.keys.map(\.kid)))
    }

    @Test func `stores the successor before it serves it`() async throws {
        _ = try await keeper.load(at: Fixture.now)
        let key = try await keeper.rotate(.auth, at: Fixture.now.adding(.seconds(10)))
        let count = SigningKeyRecord.Purpose.ofTokens.count + 1
        #expect(store.keys.withLock { $0.last?.kid } == key.kid)
        #expect(store.keys.withLock { $0.count } == count)
        #expect(store.keys.withLock { $0.last?.activatesAt } == Fixture.now.adding(.seconds(310)))
    }

    @Test func `stores no private key in the clear`() async throws {
        let ring = try await keeper.load(at: Fixture.now)
        for key in ring.keys {
            let stored = try #require(store.keys.withLock { $0.first { $0.kid == key.kid } })
            // The DER of a key holds its public half too: neither may show.
            guard case .sealedPrivate(let sealed) = stored.half else { throw TokenFault("no private half") }
            let point = try #require(key.verifyingKey).publicKey.x
            #expect(!contains(sealed, point))
        }
    }

    @Test func `deletes the private half once the successor signs, and the key with its last token`() async throws {
        let old = try #require(try await keeper.load(at: Fixture.now).signer(for: .auth, at: Fixture.now))
        let new = try await keeper.rotate(.auth, at: Fixture.now)
        // Published 300 seconds ahead; the last token of the old key lives 900 more, and 30 of leeway.
        #expect(try await keeper.retire(at: Fixture.now.adding(.seconds(299))).isEmpty)
        let outlived = try await keeper.retire(at: Fixture.now.adding(.seconds(300)))
        #expect(outlived.privateHalves.map(\.kid) == [old.kid] && outlived.keys.isEmpty)
        let half = store.keys.withLock { $0.first { $0.kid == old.kid }?.half }
        guard case .sealedPublic = half else { throw TokenFault("the private half is still there") }

        // A restart: the old key verifies what it signed, and signs nothing.
        let now = Fixture.now.adding(.seconds(1229))
        let token = try Fixture.service([old]).issueAuthToken(
            for: Fixture.authID, nonce: Fixture.nonce, jti: Fixture.jti, at: Fixture.now.adding(.seconds(299)))
        let ring = try await keeper.load(at: now)
        let service = ES256TokenService(publicURL: Fixture.publicURL, ring: ring)
        #expect(service.verifyAuthToken(token, at: Fixture.now.adding(.seconds(1198))) != nil)
        #expect(ring.published(at: now).contains { $0.kid == old.kid })
        #expect(ring.signer(for: .auth, at: Fixture.now)?.kid == new.kid)

        #expect(try await keeper.retire(at: now).isEmpty)
        #expect(try await keeper.retire(at: Fixture.now.adding(.seconds(1230))).keys.map(\.kid) == [old.kid])
        #expect(!store.keys.withLock { $0.contains { $0.kid == old.kid } })
    }

    @Test(arguments: [-1 << 40, -1, 0, 1, 1 << 40])
    func `never deletes the only key, whatever the clock says`(seconds: Int) async throws {
        let before = Set(try await keeper.load(at: Fixture.now).keys.map(\.kid))
        #expect(try await keeper.retire(at: Fixture.now.adding(.seconds(seconds))).isEmpty)
        for _ in 0..<3 { _ = try await keeper.rotate(.auth, at: Fixture.now) }
        _ = try await keeper.retire(at: Fixture.now.adding(.seconds(seconds)))
        // Back to the right time: every purpose still has a key that signs.
        let ring = try await keeper.load(at: Fixture.now)
        #expect(SigningKeyRecord.Purpose.ofTokens.allSatisfy { ring.signer(for: $0, at: Fixture.now)?.canSign == true })
        #expect(before.count == SigningKeyRecord.Purpose.ofTokens.count)
        #expect(ES256TokenService(publicURL: "https://a", ring: ring).signs(at: Fixture.now))
    }

    @Test func `takes no public half that was not sealed here, or was sealed as another's`() async throws {
        let record = try Fixture.record(.auth).publicOnly
        let sealer = try Self.sealer(master)
        let stored = try record.stored(sealedWith: sealer)
        let key = try #require(record.verifyingKey).publicKey
        #expect(try SigningKeyRecord(stored, openedWith: sealer).verifyingKey?.publicKey == key)
        let bare = StoredSigningKey(
            kid: record.kid, purpose: .auth, createdAt: Fixture.now, activatesAt: Fixture.now,
            half: .sealedPublic(key.x + key.y))
        #expect(throws: TokenFault.self) { try SigningKeyRecord(bare, openedWith: sealer) }
        #expect(throws: TokenFault.self) { try SigningKeyRecord(changed(stored, purpose: .access), openedWith: sealer) }
    }

    @Test func `a key of webhooks is made once, when it is needed, and comes back`() async throws {
        #expect(try await keeper.load(at: Fixture.now).signer(for: .webhook, at: Fixture.now) == nil)
        let record = try #require(try await keeper.first(.webhook, at: Fixture.now))
        #expect(try await keeper.first(.webhook, at: Fixture.now) == nil)
        let again = try #require(try await keeper.load(at: Fixture.now).signer(for: .webhook, at: Fixture.now))
        #expect(again.kid == record.kid && again.key == nil && again.verifyingKey == nil)
        let key = try #require(record.rsaPublicKey)
        #expect(key.verifies(try #require(again.rsaKey).sign([1]), of: [1]))
        guard case .sealedPrivate(let sealed) = store.keys.withLock({ $0.last })?.half else {
            throw TokenFault("no private half")
        }
        // The end of the public half is the modulus, which the private one has too.
        #expect(!contains(sealed, Array(key.der.suffix(64).prefix(32))))
    }

    @Test func `a key of ID tokens is made once, and comes back for its purpose only`() async throws {
        #expect(try await keeper.load(at: Fixture.now).idTokenKeySet(at: Fixture.now) == nil)
        let record = try #require(try await keeper.first(.idToken, at: Fixture.now))
        #expect(try await keeper.first(.idToken, at: Fixture.now) == nil)
        let ring = try await keeper.load(at: Fixture.now)
        let again = try #require(ring.signer(for: .idToken, at: Fixture.now))
        #expect(again.kid == record.kid && ring.signer(for: .webhook, at: Fixture.now) == nil)
        #expect(try #require(again.rsaKey).sign([1]) == #require(record.rsaKey).sign([1]))
        let stored = try #require(store.keys.withLock { $0.last })
        let sealer = try Self.sealer(master)
        #expect(throws: TokenFault.self) {
            try SigningKeyRecord(changed(stored, purpose: .webhook), openedWith: sealer)
        }
        _ = try await keeper.rotate(.idToken, at: Fixture.now)
        let later = Fixture.now.adding(.seconds(300))
        #expect(try await keeper.retire(at: later).privateHalves.map(\.kid) == [record.kid])
        #expect(try await keeper.retire(at: later.adding(.seconds(330))).keys.map(\.kid) == [record.kid])
    }

    @Test func `of a key of webhooks the public half is left in the end, sealed for its purpose`() async throws {
        let record = try #require(try await keeper.first(.webhook, at: Fixture.now))
        let sealer = try Self.sealer(master)
        let half = try record.publicOnly.stored(sealedWith: sealer)
        let opened = try SigningKeyRecord(half, openedWith: sealer)
        #expect(opened.rsaPublicKey?.der == record.rsaPublicKey?.der && opened.kid == record.kid && !opened.canSign)
        #expect(throws: TokenFault.self) { try SigningKeyRecord(changed(half, purpose: .access), openedWith: sealer) }
        let week = Fixture.now.adding(.seconds(7 * 24 * 3600))
        _ = try await keeper.rotate(.webhook, at: Fixture.now)
        #expect(try await keeper.retire(at: week.adding(.seconds(-1))).isEmpty)
        #expect(try await keeper.retire(at: week).privateHalves.map(\.kid) == [record.kid])
        #expect(try await keeper.retire(at: week.adding(.seconds(3630))).keys.map(\.kid) == [record.kid])
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
            activatesAt: key.activatesAt, half: key.half)
    }

    private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        bytes.indices.contains { bytes[$0...].starts(with: part) }
    }
}
