package import Possession
internal import Secrets
import StrictJSON

/// A token-signing key: what it signs, and from when. Once it signs nothing more, only its public half is left.
package final class SigningKeyRecord: Sendable {
    package typealias Purpose = StoredSigningKey.Purpose

    package let kid: String
    package let purpose: Purpose
    package let createdAt: Timestamp
    package let activatesAt: Timestamp
    /// `nil` once it signs nothing more.
    package let key: SigningKey?
    package let verifyingKey: VerifyingKey
    /// The header part of its tokens, encoded once.
    let encodedHeader: [UInt8]

    package convenience init(key: SigningKey, purpose: Purpose, createdAt: Timestamp, activatesAt: Timestamp) {
        self.init(key, key.verifyingKey, purpose: purpose, createdAt: createdAt, activatesAt: activatesAt)
    }

    private init(
        _ key: SigningKey?, _ verifyingKey: VerifyingKey, purpose: Purpose, createdAt: Timestamp, activatesAt: Timestamp
    ) {
        kid = Base64URL.encode(verifyingKey.publicKey.thumbprint.bytes)
        self.purpose = purpose
        self.createdAt = createdAt
        self.activatesAt = activatesAt
        self.key = key
        self.verifyingKey = verifyingKey
        let header: JSONObject = ["alg": "ES256", "typ": .string(purpose.tokenType), "kid": .string(kid)]
        encodedHeader = Array(Base64URL.encode(header.serialized()).utf8)
    }

    /// Opens a stored key.
    ///
    /// - Throws: `TokenFault` when it was not sealed by this sealer for this `kid` and purpose, or is not the key
    ///   of its `kid`.
    package convenience init(_ stored: StoredSigningKey, openedWith sealer: Sealer) throws(TokenFault) {
        let (key, verifyingKey) = try Self.opened(stored, sealer)
        self.init(
            key, verifyingKey, purpose: stored.purpose, createdAt: stored.createdAt, activatesAt: stored.activatesAt)
        guard kid == stored.kid else { throw TokenFault("a stored signing key has another kid") }
    }

    private static func opened(
        _ stored: StoredSigningKey, _ sealer: Sealer
    ) throws(TokenFault) -> (SigningKey?, VerifyingKey) {
        switch stored.half {
        case .sealedPrivate(let sealed):
            var der = try sealer.open(sealed, context: sealContext(stored.kid, stored.purpose))
            defer { der.wipe() }
            let key = try SigningKey(privateDER: der)
            return (key, key.verifyingKey)
        case .sealedPublic(let sealed):
            let point = try sealer.open(sealed, context: publicSealContext(stored.kid, stored.purpose))
            guard let key = PublicKey(x: Array(point.prefix(32)), y: Array(point.dropFirst(32))) else {
                throw TokenFault("a stored public key has another size")
            }
            return (nil, try VerifyingKey(key))
        }
    }

    /// The form for storage.
    package func stored(sealedWith sealer: Sealer) throws(TokenFault) -> StoredSigningKey {
        let half: StoredSigningKey.Half
        if let key {
            var der = try key.privateDER().withBytes { Array($0) }
            defer { der.wipe() }
            half = .sealedPrivate(try sealer.seal(der, context: Self.sealContext(kid, purpose)))
        } else {
            let key = verifyingKey.publicKey
            // Sealed, so that a key which somebody writes into the database verifies nothing.
            half = .sealedPublic(try sealer.seal(key.x + key.y, context: Self.publicSealContext(kid, purpose)))
        }
        return StoredSigningKey(
            kid: kid, purpose: purpose, createdAt: createdAt, activatesAt: activatesAt, half: half)
    }

    /// The same key without its private half.
    package var publicOnly: SigningKeyRecord {
        SigningKeyRecord(nil, verifyingKey, purpose: purpose, createdAt: createdAt, activatesAt: activatesAt)
    }

    /// What the private half of a key is bound to where it is stored.
    package static func sealContext(_ kid: String, _ purpose: Purpose) -> [UInt8] {
        Array("signing-key/\(purpose.rawValue)/\(kid)".utf8)
    }

    /// What its public half is bound to.
    package static func publicSealContext(_ kid: String, _ purpose: Purpose) -> [UInt8] {
        Array("signing-key-public/\(purpose.rawValue)/\(kid)".utf8)
    }
}

extension StoredSigningKey.Purpose {
    /// `typ` of the tokens (RFC 8725 section 3.11).
    var tokenType: String {
        switch self {
        case .auth: "client-auth+jwt"
        case .access: "at+jwt"
        // RFC 7523 names none, and operators compare with the usual one if at all.
        case .assertion: "JWT"
        case .statement: "possession+jwt"
        }
    }
}
