package import Possession
import StrictJSON

/// A token-signing key in use: what it signs, and from when.
package final class SigningKeyRecord: Sendable {
    package typealias Purpose = StoredSigningKey.Purpose

    package let kid: String
    package let purpose: Purpose
    package let createdAt: Timestamp
    package let activatesAt: Timestamp
    package let key: SigningKey
    /// The header part of its tokens, encoded once.
    let encodedHeader: [UInt8]

    package init(key: SigningKey, purpose: Purpose, createdAt: Timestamp, activatesAt: Timestamp) {
        kid = Base64URL.encode(key.publicKey.thumbprint.bytes)
        self.purpose = purpose
        self.createdAt = createdAt
        self.activatesAt = activatesAt
        self.key = key
        let header: JSONObject = ["alg": "ES256", "typ": .string(purpose.tokenType), "kid": .string(kid)]
        encodedHeader = Array(Base64URL.encode(header.serialized()).utf8)
    }

    /// Opens a stored key.
    ///
    /// - Throws: `TokenFault` when it was not sealed by this sealer for this `kid` and purpose, or is not the key
    ///   of its `kid`.
    package convenience init(_ stored: StoredSigningKey, openedWith sealer: Sealer) throws(TokenFault) {
        var der = try sealer.open(stored.sealedPrivateKey, context: Self.sealContext(stored.kid, stored.purpose))
        defer { der.wipe() }
        self.init(
            key: try SigningKey(privateDER: der), purpose: stored.purpose, createdAt: stored.createdAt,
            activatesAt: stored.activatesAt)
        guard kid == stored.kid else { throw TokenFault("a stored signing key has another kid") }
    }

    /// The form for storage.
    package func stored(sealedWith sealer: Sealer) throws(TokenFault) -> StoredSigningKey {
        var der = try key.privateDER().withBytes { Array($0) }
        defer { der.wipe() }
        let sealed = try sealer.seal(der, context: Self.sealContext(kid, purpose))
        return StoredSigningKey(
            kid: kid, purpose: purpose, createdAt: createdAt, activatesAt: activatesAt, sealedPrivateKey: sealed)
    }

    private static func sealContext(_ kid: String, _ purpose: Purpose) -> [UInt8] {
        Array("signing-key/\(purpose.rawValue)/\(kid)".utf8)
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
        }
    }
}
