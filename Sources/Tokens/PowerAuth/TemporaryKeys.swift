internal import Locks
import Engine
import Possession
internal import Secrets

/// Keys that phones encrypt for, in protocol 3.3. Each lives 300 s, even across a restart: an app keeps a key for the
/// time in the answer, and does not fetch another one if the server has forgotten it.
///
/// Anyone with the app may request temporary keys, because every copy contains the application's secret. A stranger
/// could fill a table of live keys: then either memory grows, or keys of honest phones end early. So a private key is
/// derived from its ID, the application and the activation, by HMAC with a secret of its period. A flood of requests
/// costs only the work of each one and leaves nothing stored.
///
/// A derived key must end like a stored one, because that is its purpose: an attacker who later takes the server's
/// memory and files opens no older call. So each period of 300 s has its own secret. It is created when the first key
/// that ends in the period is requested, and stored sealed before the key is returned. After the period it is
/// overwritten in memory and erased in the store. There are at most three secrets at a time.
///
/// All servers of a store use the same secret of a period: the first one that was stored. A server reads the store once
/// in each period, and when it meets a key of a period whose secret it does not know.
///
/// The ID contains its end, 28 random bits and a MAC under the same secret, which also covers application and
/// activation. The MAC makes it cheap to refuse an unknown key, and the refusal is the same whether the key has ended,
/// belongs to another caller or never existed. Security does not depend on the MAC: the public key of an ID that was
/// not issued is unknown.
final class TemporaryKeys: Sendable {
    /// Maximum life of a key, in seconds.
    static let life: Int64 = 300

    /// The caller to which a key belongs.
    struct Owner: Sendable {
        let applicationKey: String
        /// `nil`: the key belongs to the application itself.
        let activation: ActivationID?
    }

    struct Issued: Sendable {
        let id: TemporaryKeyID
        let publicKey: PublicKey
    }

    private struct Known: Sendable {
        var secrets: [Int64: KeyedHash] = [:]
        /// The period in which the store was read last.
        var readIn: Int64?
    }

    /// Reads of the store for keys of a period that this server does not know.
    private struct Looks: Sendable {
        /// Strangers can name such keys, so there are ten reads a second at most. A phone whose call is refused between
        /// two reads may repeat it.
        private static let interval = Duration.milliseconds(100)

        private var lastAt: Timestamp?
        private var isUnderWay = false
        /// Calls that came during the read. They get its fault.
        private var waiters: [CheckedContinuation<StorageFault?, Never>] = []

        /// - Returns: whether the caller reads.
        mutating func begin(at now: Timestamp) -> Bool {
            guard !isUnderWay else { return false }
            if let lastAt, lastAt <= now, now < lastAt.adding(Self.interval) { return false }
            (lastAt, isUnderWay) = (now, true)
            return true
        }

        /// - Returns: `false`: no read is under way.
        mutating func wait(_ waiter: CheckedContinuation<StorageFault?, Never>) -> Bool {
            if isUnderWay { waiters.append(waiter) }
            return isUnderWay
        }

        mutating func end() -> [CheckedContinuation<StorageFault?, Never>] {
            defer { (isUnderWay, waiters) = (false, []) }
            return waiters
        }
    }

    private let known = Locked(Known())
    private let looks = Locked(Looks())
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

    /// The private key; `nil`: it has ended, or was not issued to this owner.
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

    /// Generates candidates until one is in range (FIPS 186-5 appendix A.2.2): one in 2^32 is not.
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

    /// Number of secrets in memory.
    var secretCount: Int { known.withLock { $0.secrets.count } }

    /// Loads the secrets that an earlier process or another server has stored, and erases those that have ended or do
    /// not open.
    func load(at now: Timestamp) async throws(StorageFault) {
        let periods = Self.periods(at: now)
        let stored = try await store.temporarySecrets()
        for secret in stored where periods.contains(secret.period) {
            try? hold(secret, at: now)
        }
        let held = live(at: now) { Set($0.keys) }
        let unusable = stored.filter { secret in
            // Another server, whose clock is ahead, may use the secret of a later period.
            guard secret.period <= periods.upperBound else { return false }
            guard periods.contains(secret.period) else { return true }
            return !held.contains(secret.period) && !sealer.isOfUnknownGeneration(secret.sealed)
        }
        if !unusable.isEmpty { try await store.removeTemporarySecrets(unusable.map(\.period)) }
        known.withLock { $0.readIn = periods.lowerBound }
    }

    /// Loads the secret of the period in which a key ends, if this server does not have it: another server may have
    /// stored one. Calls with such keys wait for the same read.
    func learnSecret(of id: TemporaryKeyID, at now: Timestamp) async throws(StorageFault) {
        let period = id.endSecond / Self.life
        guard now < Timestamp(seconds: id.endSecond), Self.periods(at: now).contains(period),
            live(at: now, { $0[period] }) == nil
        else { return }
        guard looks.withLock({ $0.begin(at: now) }) else { return try await waitForLook() }
        let fault: StorageFault?
        do throws(StorageFault) {
            try await load(at: now)
            fault = nil
        } catch { fault = error }
        for waiter in looks.withLock({ $0.end() }) { waiter.resume(returning: fault) }
        if let fault { throw fault }
    }

    private func waitForLook() async throws(StorageFault) {
        let fault = await withCheckedContinuation { (waiter: CheckedContinuation<StorageFault?, Never>) in
            if !looks.withLock({ $0.wait(waiter) }) { waiter.resume(returning: nil) }
        }
        if let fault { throw fault }
    }

    /// Creates the secret of the period in which keys end that are issued now, unless it exists. It is durable when
    /// this returns.
    func makeReady(at now: Timestamp) async throws(EngineFault) {
        let period = (now.seconds + Self.life) / Self.life
        guard live(at: now, { $0[period] }) == nil else { return }
        do {
            var bytes = try random(32)
            defer { bytes.wipe() }
            let sealed = try sealer.seal(bytes, context: TemporarySecret.context(ofPeriod: period))
            // Another call or server may have stored one in the meantime: then that one is used.
            try hold(try await store.add(TemporarySecret(period: period, sealed: sealed)), at: now)
        } catch { throw EngineFault(error) }
    }

    /// Erases the secrets of past periods, in memory and in the store. Reads the store once in each period, for those
    /// of other servers, too.
    func forgetEnded(at now: Timestamp) async throws(StorageFault) {
        live(at: now) { _ in }
        if known.withLock(\.readIn) != now.seconds / Self.life { try await load(at: now) }
    }

    private func hold(_ secret: TemporarySecret, at now: Timestamp) throws(TokenFault) {
        var bytes = try sealer.open(secret.sealed, context: TemporarySecret.context(ofPeriod: secret.period))
        defer { bytes.wipe() }
        hold(KeyedHash(key: SecretBytes(bytes)), of: secret.period, at: now)
    }

    /// Sets the secret from which keys that end in this period are derived.
    func hold(_ secret: KeyedHash, of period: Int64, at now: Timestamp) {
        live(at: now) { if $0[period] == nil { $0[period] = secret } }
    }

    /// Periods in which a key may end. One more than keys need: the time may differ slightly between threads.
    private static func periods(at now: Timestamp) -> ClosedRange<Int64> {
        let current = now.seconds / life
        return current...current + 2
    }

    /// Passes the secrets of periods that are not over to `body`, and erases the others.
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
