internal import Locks
import Possession
internal import Secrets

/// Keys that phones encrypt for, in protocol 3.3. Each lives 300 s, and none is stored.
///
/// Anybody who has the app may ask for temporary keys, because the application's secret is in every copy. A table of live keys
/// would let a stranger fill it: then either memory grows, or keys of honest phones end early. So a private key is derived from
/// its id, the application and the activation, by HMAC with a secret of this process. A flood of requests costs the work of each
/// one, and nothing that stays.
///
/// A derived key must end like a stored one, because its end is the reason why it exists: who takes the server's memory later
/// opens no older call. So each period of 300 s has a secret of its own, made when the first key that ends in it is asked for.
/// The first call after the period overwrites it, and so ends the keys. There are at most three secrets at a time.
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

    private let secrets = Locked<[Int64: KeyedHash]>([:])
    private let randomBytes: RandomBytes

    init(randomBytes: @escaping RandomBytes) { self.randomBytes = randomBytes }

    /// - Throws: `TokenFault` when the generator or OpenSSL refuses.
    func issue(to owner: Owner, at now: Timestamp) throws(TokenFault) -> Issued {
        let end = now.seconds + Self.life
        guard let draft = TemporaryKeyID(endingAt: end, random: try random(4)) else {
            throw TokenFault("the clock is past the end of temporary keys")
        }
        let secret = try secret(ofPeriod: end / Self.life, at: now)
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

    /// Secrets that are kept.
    var secretCount: Int { secrets.withLock { $0.count } }

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

    private func secret(ofPeriod period: Int64, at now: Timestamp) throws(TokenFault) -> KeyedHash {
        if let secret = live(at: now, { $0[period] }) { return secret }
        var bytes = try random(32)
        defer { bytes.wipe() }
        let fresh = KeyedHash(key: SecretBytes(bytes))
        return live(at: now) { secrets in
            // Another thread may have made one in the meantime.
            let secret = secrets[period] ?? fresh
            secrets[period] = secret
            return secret
        }
    }

    /// Hands out the secrets of periods that are not over.
    private func live<Result: Sendable>(at now: Timestamp, _ body: (inout [Int64: KeyedHash]) -> Result) -> Result {
        let current = now.seconds / Self.life
        return secrets.withLock { secrets in
            // One period more than keys have: threads may differ in the time by a little.
            if secrets.keys.contains(where: { !(current...current + 2).contains($0) }) {
                secrets = secrets.filter { (current...current + 2).contains($0.key) }
            }
            return body(&secrets)
        }
    }

    private func random(_ count: Int) throws(TokenFault) -> [UInt8] {
        do { return try randomBytes(count) } catch { throw TokenFault("no random bytes for a temporary key") }
    }
}

extension TemporaryKeys.Owner {
    fileprivate var fields: [[UInt8]] { [Array(applicationKey.utf8), activation?.bytes ?? []] }
}
