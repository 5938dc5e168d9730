internal import Locks
import Possession
internal import Secrets

/// Keys that phones encrypt for, in protocol 3.3. Each lives 300 s, also over a restart: an app keeps a key as long as its
/// answer says, and does not fetch another one when the server has forgotten it.
///
/// Anybody who has the app may ask for temporary keys, because the application's secret is in every copy. A table of live keys
/// would let a stranger fill it: then either memory grows, or keys of honest phones end early. So a private key is derived from
/// its id, the application and the activation, by HMAC with a secret of its period. A flood of requests costs the work of each
/// one, and nothing that stays.
///
/// A derived key must end like a stored one, because its end is the reason why it exists: who takes the server's memory and
/// files later opens no older call. So each period of 300 s has a secret of its own. It is made when the first key that ends in
/// the period is asked for, and stored sealed before that key is answered. After the period it is overwritten in memory and
/// erased in the store. There are at most three secrets at a time.
///
/// The id carries its end, 28 random bits and a MAC under the same secret, over application and activation too. The MAC makes
/// the answer to an unknown key cheap, and the same whether the key has ended, belongs to somebody else or never was. Security
/// does not rest on it: for an id that was not issued nobody knows the public key.
final class TemporaryKeys: Sendable {
    /// Life of a key, at most, in seconds.
    static let life: Int64 = 300

    /// The caller that a key is for.
    struct Owner: Sendable {
        let applicationKey: String
        /// `nil`: of the application itself.
        let activation: ActivationID?
    }

    struct Issued: Sendable {
        let id: TemporaryKeyID
        let publicKey: PublicKey
    }

    private struct Known: Sendable {
        var secrets: [Int64: KeyedHash] = [:]
        /// Periods that the store has a secret of.
        var stored: Set<Int64> = []
    }

    private let known = Locked(Known())
    private let store: any TemporarySecretStore
    private let sealer: Sealer
    private let randomBytes: RandomBytes

    init(_ store: any TemporarySecretStore, _ sealer: Sealer, randomBytes: @escaping RandomBytes) {
        self.store = store
        self.sealer = sealer
        self.randomBytes = randomBytes
    }

    // MARK: Keys

    /// - Throws: `TokenFault` when the generator or OpenSSL refuses, or `makeReady` was not called for this time.
    func issue(to owner: Owner, at now: Timestamp) throws(TokenFault) -> Issued {
        let end = now.seconds + Self.life
        guard let draft = TemporaryKeyID(endingAt: end, random: try random(4)) else {
            throw TokenFault("the clock is past the end of temporary keys")
        }
        guard let secret = live(at: now, { $0[end / Self.life] }) else {
            throw TokenFault("there is no secret to derive a temporary key from")
        }
        let id = draft.authenticated(by: Self.mac(of: draft, owner, secret))
        return Issued(id: id, publicKey: try Self.key(of: id, owner, secret).publicKey())
    }

    /// The private key; `nil`: it has ended, or was not issued here to this owner.
    func key(_ id: TemporaryKeyID, of owner: Owner, at now: Timestamp) throws(TokenFault) -> KeyHandle? {
        guard now < Timestamp(seconds: id.endSecond),
            let secret = live(at: now, { $0[id.endSecond / Self.life] }),
            constantTimeEqual(id.authenticated(by: Self.mac(of: id, owner, secret)).bytes, id.bytes)
        else { return nil }
        return try Self.key(of: id, owner, secret)
    }

    private static func mac(of id: TemporaryKeyID, _ owner: Owner, _ secret: KeyedHash) -> [UInt8] {
        secret.digest(fields: [Array("id".utf8), id.unauthenticated] + owner.fields)
    }

    /// Draws candidates until one is in range (FIPS 186-5 appendix A.2.2): one in 2^32 is not.
    private static func key(
        of id: TemporaryKeyID, _ owner: Owner, _ secret: KeyedHash
    ) throws(TokenFault) -> KeyHandle {
        for attempt in UInt8(0)...3 {
            var candidate = secret.digest(fields: [Array("key".utf8), id.bytes, [attempt]] + owner.fields)
            defer { candidate.wipe() }
            if ECDSASignature.isInRange(candidate[...]) { return try KeyHandle(scalar: candidate) }
        }
        throw TokenFault("no candidate for a private key is in range")
    }

    // MARK: Secrets

    /// Secrets that are kept in memory.
    var secretCount: Int { known.withLock { $0.secrets.count } }

    /// Learns the secrets that an earlier process has stored, and erases those that have ended or do not open.
    func load(at now: Timestamp) async throws(StorageFault) {
        let all = try await store.temporarySecrets()
        for secret in all where Self.periods(at: now).contains(secret.period) {
            try? hold(secret, at: now)
        }
        let stored = Set(all.map(\.period))
        known.withLock { $0.stored.formUnion(stored) }
        try await erase(stored.subtracting(live(at: now) { Set($0.keys) }))
    }

    /// Makes the secret of the period in which keys end that are issued now, unless there is one. It is durable when this
    /// returns.
    func makeReady(at now: Timestamp) async throws(EngineFault) {
        let period = (now.seconds + Self.life) / Self.life
        guard live(at: now, { $0[period] }) == nil else { return }
        do {
            var bytes = try random(32)
            defer { bytes.wipe() }
            let sealed = try sealer.seal(bytes, context: TemporarySecret.context(ofPeriod: period))
            // Another call may have stored one in the meantime: then that one counts.
            let stored = try await store.add(TemporarySecret(period: period, sealed: sealed))
            known.withLock { _ = $0.stored.insert(period) }
            try hold(stored, at: now)
        } catch { throw EngineFault(error) }
    }

    /// Erases the secrets of periods that are over, here and in the store.
    func forgetEnded(at now: Timestamp) async throws(StorageFault) {
        live(at: now) { _ in }
        let periods = Self.periods(at: now)
        try await erase(known.withLock { known in known.stored.filter { !periods.contains($0) } })
    }

    private func erase(_ ended: Set<Int64>) async throws(StorageFault) {
        guard !ended.isEmpty else { return }
        try await store.removeTemporarySecrets(ended.sorted())
        known.withLock { $0.stored.subtract(ended) }
    }

    private func hold(_ secret: TemporarySecret, at now: Timestamp) throws(TokenFault) {
        var bytes = try sealer.open(secret.sealed, context: TemporarySecret.context(ofPeriod: secret.period))
        defer { bytes.wipe() }
        hold(KeyedHash(key: SecretBytes(bytes)), of: secret.period, at: now)
    }

    /// Keys that end in this period are derived from the secret from now on.
    func hold(_ secret: KeyedHash, of period: Int64, at now: Timestamp) {
        live(at: now) { if $0[period] == nil { $0[period] = secret } }
    }

    /// Periods in which a key may end. One more than keys have: threads may differ in the time by a little.
    private static func periods(at now: Timestamp) -> ClosedRange<Int64> {
        let current = now.seconds / life
        return current...current + 2
    }

    /// Hands out the secrets of periods that are not over.
    private func live<Result: Sendable>(at now: Timestamp, _ body: (inout [Int64: KeyedHash]) -> Result) -> Result {
        let periods = Self.periods(at: now)
        return known.withLock { known in
            if known.secrets.keys.contains(where: { !periods.contains($0) }) {
                known.secrets = known.secrets.filter { periods.contains($0.key) }
            }
            return body(&known.secrets)
        }
    }

    private func random(_ count: Int) throws(TokenFault) -> [UInt8] {
        do { return try randomBytes(count) } catch { throw TokenFault("no random bytes for a temporary key") }
    }
}

extension TemporaryKeys.Owner {
    fileprivate var fields: [[UInt8]] { [Array(applicationKey.utf8), activation?.bytes ?? []] }
}
