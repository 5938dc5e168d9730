import Engine
import Possession

/// The signature algorithm of a purpose's keys.
enum SigningAlgorithm: Sendable {
    /// Tokens (RFC 7518 section 3.4).
    case es256
    /// RSASSA-PSS with SHA-256: webhooks in the formats of vendors whose customers check with an RSA key.
    case rsaPSS
    /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518 section 3.3): tokens for libraries that accept nothing else.
    case rs256

    /// `alg` of the tokens (RFC 7515 section 4.1.1).
    var name: String {
        switch self {
        case .es256: "ES256"
        case .rsaPSS: "PS256"
        case .rs256: "RS256"
        }
    }

    /// The padding of RSA keys; `nil`: not an RSA algorithm.
    var padding: RSAPadding? {
        switch self {
        case .es256: nil
        case .rsaPSS: .pss
        case .rs256: .pkcs1
        }
    }
}

/// A key pair, or only its public half, by algorithm.
enum SigningKeyPair: Sendable {
    case es256(SigningKey?, VerifyingKey)
    case rsa(RSAKey?, RSAPublicKey)

    /// Generates a new pair.
    static func generate(_ algorithm: SigningAlgorithm) throws(TokenFault) -> SigningKeyPair {
        guard let padding = algorithm.padding else {
            let key = try SigningKey.generate()
            return .es256(key, key.verifyingKey)
        }
        let key = try RSAKey.generate(padding)
        return .rsa(key, key.publicKey)
    }

    init(_ algorithm: SigningAlgorithm, privateDER der: [UInt8]) throws(TokenFault) {
        if let padding = algorithm.padding {
            let key = try RSAKey(privateDER: der, padding)
            self = .rsa(key, key.publicKey)
        } else {
            let key = try SigningKey(privateDER: der)
            self = .es256(key, key.verifyingKey)
        }
    }

    /// - Parameter bytes: as written by `publicBytes`.
    init(_ algorithm: SigningAlgorithm, publicBytes bytes: [UInt8]) throws(TokenFault) {
        if let padding = algorithm.padding {
            self = .rsa(nil, try RSAPublicKey(der: bytes, padding))
            return
        }
        guard let key = PublicKey(x: Array(bytes.prefix(32)), y: Array(bytes.dropFirst(32))) else {
            throw TokenFault("a stored public key has another size")
        }
        self = .es256(nil, try VerifyingKey(key))
    }

    /// The private half in DER, which the caller seals at once; `nil`: it was deleted.
    func privateDER() throws(TokenFault) -> SecretBytes? {
        switch self {
        case .es256(let key, _): try key?.privateDER()
        case .rsa(let key, _): try key?.privateDER()
        }
    }

    /// The stored form of the public half: x and y of a point, 64 bytes, or the DER of an RSA key.
    var publicBytes: [UInt8] {
        switch self {
        case .es256(_, let key): key.publicKey.x + key.publicKey.y
        case .rsa(_, let key): key.der
        }
    }

    var hasPrivateHalf: Bool {
        switch self {
        case .es256(let key, _): key != nil
        case .rsa(let key, _): key != nil
        }
    }

    var publicOnly: SigningKeyPair {
        switch self {
        case .es256(_, let key): .es256(nil, key)
        case .rsa(_, let key): .rsa(nil, key)
        }
    }

    /// RFC 7638, of the public half.
    var thumbprint: Thumbprint {
        switch self {
        case .es256(_, let key): key.publicKey.thumbprint
        case .rsa(_, let key): key.thumbprint
        }
    }
}

extension StoredSigningKey.Purpose {
    var algorithm: SigningAlgorithm {
        switch self {
        case .auth, .access, .assertion, .statement: .es256
        case .webhook: .rsaPSS
        case .idToken: .rs256
        }
    }

    /// `typ` of the tokens (RFC 8725 section 3.11); `nil`: the purpose signs no tokens.
    var tokenType: String? {
        switch self {
        case .auth: "client-auth+jwt"
        case .access: "at+jwt"
        // RFC 7523 defines none; operators that compare it expect the usual one.
        case .assertion: "JWT"
        case .statement: "possession+jwt"
        case .webhook: nil
        // The vendor's tokens have the same.
        case .idToken: "JWT"
        }
    }
}

extension TokenLimits {
    /// How long a signature by a key must remain verifiable.
    func lifetime(of purpose: StoredSigningKey.Purpose) -> Duration {
        switch purpose {
        case .auth: authTokenLifetime
        case .access: accessTokenLifetime
        case .assertion: assertionLifetime
        case .statement: statementLifetime
        case .webhook: webhookSignatureLifetime
        case .idToken: idTokenLifetime
        }
    }

    /// How long a key is published before it signs.
    func lead(of purpose: StoredSigningKey.Purpose) -> Duration {
        switch purpose {
        case .auth, .access, .assertion, .statement, .idToken: publicationLead
        case .webhook: webhookKeyLead
        }
    }
}
