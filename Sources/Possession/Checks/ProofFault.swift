/// Why a signed text of a client was refused: a DPoP proof, a device proof or a client assertion.
///
/// Its description is sent to the client and logged. It reveals only what the signed text shows.
package enum ProofFault: Error, Sendable, Equatable, CustomStringConvertible {
    case missing
    case repeated
    /// A proof came with a bearer token, which needs none. The client would wrongly expect the token to be bound to its
    /// key.
    case besideBearer
    /// It is not a JWT of the right type, signed with ES256, with its public key if one is required.
    case form
    case claim(Claim)
    /// The signature is in DER, which many libraries produce, and not `r` and `s` in 64 bytes (RFC 7518 section 3.4).
    case encodedSignature
    /// A time is outside the window. Positive: ahead of the server's clock, in seconds.
    case clock(Claim, secondsAhead: Int64)
    case signature
    case used

    /// The claims that are compared, by their names.
    package enum Claim: String, Sendable {
        case htm, htu, ath, nonce, jti, iat, exp, nbf, iss, aud, sub, op, cnf, scope
    }

    package var description: String {
        switch self {
        case .missing: "it is missing"
        case .repeated: "it stands more than once"
        case .besideBearer: "the token came as Bearer, and is bound to no key so"
        case .form: "it is no JWT of its type with ES256 and a P-256 key"
        case .encodedSignature: "its signature is in DER; it must be r and s in 64 bytes (RFC 7518, 3.4)"
        case .claim(let claim): "\(claim.rawValue) \(claim.rule)"
        case .clock(let claim, let seconds) where seconds > 0:
            "\(claim.rawValue) is \(seconds) s ahead of the server's clock"
        case .clock(let claim, let seconds): "\(claim.rawValue) is \(-seconds) s behind the server's clock"
        case .signature: "it is not signed by the key"
        case .used: "it was used before"
        }
    }
}

extension ProofFault.Claim {
    fileprivate var rule: String {
        switch self {
        case .htm: "is not the method of this call"
        case .htu: "is not the URL of this call"
        case .ath: "is not the digest of this access token"
        case .nonce: "is not the one that is due: each is good once, for a time"
        case .jti: "must be a text of 1 to 128 bytes"
        case .iat, .exp, .nbf: "must be a NumericDate: seconds since 1970"
        case .iss: "must name the API client"
        case .aud: "does not name this server"
        case .sub: "does not name who it must"
        case .op: "must be register or authenticate"
        case .cnf: "must have jkt, the thumbprint of the key of the DPoP proof, and be absent without one"
        case .scope: "must be a text"
        }
    }
}
