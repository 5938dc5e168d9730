package import Engine
package import Possession
import StrictJSON
internal import Text

/// All signing keys, and the rules that decide which one signs, verifies and is published at a time (TOK-08). A value
/// type: rotation makes a new ring.
///
///     created            activates          successor activates      + token lifetime + leeway
///        |--- published ----|---- published, signs ----|--- published, verifies ---|  gone
///        |------------- private half ------------------|
package struct SigningKeyRing: Sendable {
    private let limits: TokenLimits
    /// Newest activation first.
    private let records: [SigningKeyRecord.Purpose: [SigningKeyRecord]]
    private let byKid: [ByteText: (record: SigningKeyRecord, retiresAt: Timestamp?)]

    package init(_ keys: [SigningKeyRecord], limits: TokenLimits = TokenLimits()) {
        self.limits = limits
        records = Dictionary(grouping: keys, by: \.purpose).mapValues { keys in
            keys.sorted { ($1.activatesAt, $1.kid) < ($0.activatesAt, $0.kid) }
        }
        var byKid: [ByteText: (record: SigningKeyRecord, retiresAt: Timestamp?)] = [:]
        for (purpose, keys) in records {
            for (index, record) in keys.enumerated() {
                let successor = index == 0 ? nil : keys[index - 1]
                let retiresAt = successor?.activatesAt.adding(limits.lifetime(of: purpose)).adding(limits.leeway)
                byKid[ByteText(record.kid)] = (record, retiresAt)
            }
        }
        self.byKid = byKid
    }

    package var keys: [SigningKeyRecord] { records.values.flatMap { $0 } }

    /// The newest active key. If the machine's clock was set back before the first activation, the key that became
    /// active first and can still sign: a token that everyone can verify is better than none. `nil` without any key.
    package func signer(for purpose: SigningKeyRecord.Purpose, at now: Timestamp) -> SigningKeyRecord? {
        let keys = records[purpose, default: []]
        return keys.first { $0.activatesAt <= now && $0.canSign } ?? keys.last { $0.canSign }
    }

    /// The key with exactly this name and purpose, while its tokens may be valid.
    package func verifier(kid: String, for purpose: SigningKeyRecord.Purpose, at now: Timestamp) -> SigningKeyRecord? {
        guard Self.isKid(kid), let entry = byKid[ByteText(kid)], entry.record.purpose == purpose,
            isAlive(entry.retiresAt, now)
        else { return nil }
        return entry.record
    }

    /// The keys whose tokens may be valid now or soon, oldest first.
    package func published(at now: Timestamp) -> [SigningKeyRecord] {
        byKid.values.filter { isAlive($0.retiresAt, now) }.map(\.record)
            .sorted { ($0.createdAt, $0.kid) < ($1.createdAt, $1.kid) }
    }

    /// When the last token of a key has expired; `nil` while it has no successor.
    package func retirement(of key: SigningKeyRecord) -> Timestamp? { byKid[ByteText(key.kid)]?.retiresAt }

    /// A JWK set (RFC 7517 section 5) of the keys that sign tokens, with public members only (TOK-09). It contains no
    /// other kind of key for readers that check ES256 tokens.
    package func publicKeySet(at now: Timestamp) -> [UInt8] {
        let keys = published(at: now).compactMap { record -> JSONObject? in
            guard record.purpose.algorithm == .es256, var jwk = record.verifyingKey?.publicKey.jwk else { return nil }
            jwk.set("use", "sig")
            jwk.set("alg", "ES256")
            jwk.set("kid", record.kid)
            return jwk
        }
        var set = JSONObject()
        set.set("keys", keys)
        return set.serialized()
    }

    /// A JWK set of the keys that sign ID tokens. The key that signs at `now` comes first: some libraries take the
    /// first key regardless of its name. `nil`: there is none yet.
    package func idTokenKeySet(at now: Timestamp) -> [UInt8]? {
        guard let signing = signer(for: .idToken, at: now) else { return nil }
        let others = published(at: now).filter { $0.purpose == .idToken && $0 !== signing }
        let keys = ([signing] + others).compactMap { record -> JSONObject? in
            guard var jwk = record.rsaPublicKey?.jwk else { return nil }
            jwk.set("use", "sig")
            jwk.set("alg", record.purpose.algorithm.name)
            jwk.set("kid", record.kid)
            return jwk
        }
        var set = JSONObject()
        set.set("keys", keys)
        return set.serialized()
    }

    /// The key that takes over next; `nil`: the newest one already signs.
    package func coming(for purpose: SigningKeyRecord.Purpose, at now: Timestamp) -> SigningKeyRecord? {
        let signing = signer(for: purpose, at: now)
        return records[purpose, default: []].last { $0.activatesAt > now && $0 !== signing }
    }

    /// A new key for `purpose`. The first one signs at once; later ones sign after receivers had time to load them.
    package func successor(
        for purpose: SigningKeyRecord.Purpose, at now: Timestamp
    ) throws(TokenFault) -> SigningKeyRecord {
        let isFirst = records[purpose, default: []].isEmpty
        return SigningKeyRecord(
            try SigningKeyPair.generate(purpose.algorithm), purpose: purpose, createdAt: now,
            activatesAt: isFirst ? now : now.adding(limits.lead(of: purpose)))
    }

    /// The ring with one more key. A server that watches the stored keys may have this key already. A second copy would
    /// count as the successor of the first one, and end it.
    package func adding(_ record: SigningKeyRecord) -> SigningKeyRing {
        byKid[ByteText(record.kid)] == nil ? SigningKeyRing(keys + [record], limits: limits) : self
    }

    /// Keys and private halves that can be deleted.
    package struct Outlived: Sendable {
        /// Keys that can never sign again but still have their private half.
        package var privateHalves: [SigningKeyRecord] = []
        /// Keys whose last token has expired.
        package var keys: [SigningKeyRecord] = []

        package var isEmpty: Bool { privateHalves.isEmpty && keys.isEmpty }
    }

    /// The keys older than the one that signs at `now`: those whose private half is never needed again, and those whose
    /// last token has expired. The newest key that can sign is never among them, regardless of `now`.
    package func outlived(at now: Timestamp) -> Outlived {
        var outlived = Outlived()
        for keys in records.values {
            guard let signing = keys.firstIndex(where: { $0.activatesAt <= now && $0.canSign }) else { continue }
            for key in keys[(signing + 1)...] {
                if key.canSign { outlived.privateHalves.append(key) }
                if !isAlive(retirement(of: key), now) { outlived.keys.append(key) }
            }
        }
        return outlived
    }

    /// The ring without outlived keys and private halves.
    package func retired(at now: Timestamp) -> SigningKeyRing {
        let outlived = outlived(at: now)
        let gone = Set(outlived.keys.map { ByteText($0.kid) })
        let halved = Set(outlived.privateHalves.map { ByteText($0.kid) })
        let kept = keys.filter { !gone.contains(ByteText($0.kid)) }
        return SigningKeyRing(kept.map { halved.contains(ByteText($0.kid)) ? $0.publicOnly : $0 }, limits: limits)
    }

    /// Key names are RFC 7638 thumbprints: exactly 43 characters of base64url.
    private static func isKid(_ text: String) -> Bool {
        text.utf8.count == 43
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "_"): true
                default: false
                }
            }
    }

    private func isAlive(_ retiresAt: Timestamp?, _ now: Timestamp) -> Bool {
        retiresAt.map { now < $0 } ?? true
    }
}
