package import Engine
package import Possession
internal import Secrets
import StrictJSON
internal import Text

/// A signing key, its purpose, and its times. When it can no longer sign, only its public half is left.
package final class SigningKeyRecord: Sendable {
    package typealias Purpose = StoredSigningKey.Purpose

    package let kid: String
    package let purpose: Purpose
    package let createdAt: Timestamp
    package let activatesAt: Timestamp
    private let pair: SigningKeyPair
    /// The header part of its tokens, encoded once; empty: it signs no tokens.
    let encodedHeader: [UInt8]

    package convenience init(key: SigningKey, purpose: Purpose, createdAt: Timestamp, activatesAt: Timestamp) {
        precondition(purpose.algorithm == .es256, "a key of the purpose's algorithm")
        self.init(
            .es256(key, key.verifyingKey), purpose: purpose, createdAt: createdAt, activatesAt: activatesAt)
    }

    init(_ pair: SigningKeyPair, purpose: Purpose, createdAt: Timestamp, activatesAt: Timestamp) {
        let kid = Base64URL.encode(pair.thumbprint.bytes)
        self.kid = kid
        self.purpose = purpose
        self.createdAt = createdAt
        self.activatesAt = activatesAt
        self.pair = pair
        encodedHeader =
            purpose.tokenType.map { type in
                let header: JSONObject = [
                    "alg": .string(purpose.algorithm.name), "typ": .string(type), "kid": .string(kid),
                ]
                return Array(Base64URL.encode(header.serialized()).utf8)
            } ?? []
    }

    /// Opens a stored key.
    ///
    /// - Throws: `TokenFault` when it was not sealed by this sealer for this `kid` and purpose, or its thumbprint is
    ///   not its `kid`.
    package convenience init(_ stored: StoredSigningKey, openedWith sealer: Sealer) throws(TokenFault) {
        self.init(
            try Self.opened(stored, sealer), purpose: stored.purpose, createdAt: stored.createdAt,
            activatesAt: stored.activatesAt)
        guard kid == stored.kid else { throw TokenFault("a stored signing key has another kid") }
    }

    private static func opened(_ stored: StoredSigningKey, _ sealer: Sealer) throws(TokenFault) -> SigningKeyPair {
        switch stored.half {
        case .sealedPrivate(let sealed):
            var der = try sealer.open(sealed, context: sealContext(stored.kid, stored.purpose))
            defer { der.wipe() }
            return try SigningKeyPair(stored.purpose.algorithm, privateDER: der)
        case .sealedPublic(let sealed):
            let bytes = try sealer.open(sealed, context: publicSealContext(stored.kid, stored.purpose))
            return try SigningKeyPair(stored.purpose.algorithm, publicBytes: bytes)
        }
    }

    /// Signs with ES256; `nil`: the private half was deleted, or it is an RSA key.
    package var key: SigningKey? {
        guard case .es256(let key, _) = pair else { return nil }
        return key
    }

    /// Verifies ES256 signatures; `nil`: it is an RSA key.
    package var verifyingKey: VerifyingKey? {
        guard case .es256(_, let key) = pair else { return nil }
        return key
    }

    /// Signs webhooks or ID tokens; `nil`: the private half was deleted, or it is an ES256 key.
    package var rsaKey: RSAKey? {
        guard case .rsa(let key, _) = pair else { return nil }
        return key
    }

    /// Verifies webhooks or ID tokens; `nil`: it is an ES256 key.
    package var rsaPublicKey: RSAPublicKey? {
        guard case .rsa(_, let key) = pair else { return nil }
        return key
    }

    /// Whether it still has its private half.
    package var canSign: Bool { pair.hasPrivateHalf }

    /// The form for storage.
    package func stored(sealedWith sealer: Sealer) throws(TokenFault) -> StoredSigningKey {
        let half: StoredSigningKey.Half
        if let secret = try pair.privateDER() {
            var der = secret.withBytes { Array($0) }
            defer { der.wipe() }
            half = .sealedPrivate(try sealer.seal(der, context: Self.sealContext(kid, purpose)))
        } else {
            // Sealed, so that a key that an attacker writes into the database verifies nothing.
            half = .sealedPublic(try sealer.seal(pair.publicBytes, context: Self.publicSealContext(kid, purpose)))
        }
        return StoredSigningKey(
            kid: kid, purpose: purpose, createdAt: createdAt, activatesAt: activatesAt, half: half)
    }

    /// The same key without its private half.
    package var publicOnly: SigningKeyRecord {
        SigningKeyRecord(pair.publicOnly, purpose: purpose, createdAt: createdAt, activatesAt: activatesAt)
    }

    /// The sealing context of a key's private half in storage.
    package static func sealContext(_ kid: String, _ purpose: Purpose) -> [UInt8] {
        Array("signing-key/\(purpose.rawValue)/\(kid)".utf8)
    }

    /// The sealing context of a key's public half in storage.
    package static func publicSealContext(_ kid: String, _ purpose: Purpose) -> [UInt8] {
        Array("signing-key-public/\(purpose.rawValue)/\(kid)".utf8)
    }
}
