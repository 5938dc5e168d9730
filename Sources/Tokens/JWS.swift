import Engine
import Possession
import StrictJSON
internal import Text

/// A JWS in compact form (RFC 7515 section 7.1), read strictly (TOK-06, TOK-07); the signature is not yet checked.
struct JWS {
    /// Longest token read, in bytes.
    static let maxBytes = 8192

    let header: JSONObject
    let claims: JSONObject
    let signature: ECDSASignature
    /// SHA-256 of the signed bytes.
    let digest: [UInt8]

    /// `nil` unless `text` is three canonical base64url parts, header and claims are objects with unique names, `alg`
    /// is ES256, `typ` is `type`, no member `crit` or `zip` is present, and the signature has its one valid form.
    /// - Parameter type: `nil`: no token is accepted.
    init?(_ text: String, type: String?) {
        guard let type else { return nil }
        self.init(text, types: [type], mayHaveNone: false)
    }

    /// The same for tokens of other issuers, whose `typ` is one of several, or missing.
    init?(_ text: String, types: [String], mayHaveNone: Bool) {
        guard text.utf8.count <= Self.maxBytes else { return nil }
        let bytes = Array(text.utf8)
        let dot = UInt8(ascii: ".")
        guard let first = bytes.firstIndex(of: dot), let second = bytes[(first + 1)...].firstIndex(of: dot),
            let rawSignature = Base64URL.decode(bytes[(second + 1)...]),
            let signature = ECDSASignature(raw: rawSignature),
            let header = Self.object(bytes[..<first]),
            header.hasString("alg", "ES256"),
            mayHaveNone && header["typ"] == nil || types.contains(where: { header.hasType($0) }),
            header["crit"] == nil,
            header["zip"] == nil,
            let claims = Self.object(bytes[(first + 1)..<second])
        else { return nil }
        self.header = header
        self.claims = claims
        self.signature = signature
        digest = SHA256.digest(bytes[..<second])
    }

    /// Why `init` refuses a token.
    static func fault(of text: String) -> ProofFault {
        let bytes = Array(text.utf8.prefix(maxBytes + 1))
        guard bytes.count <= maxBytes, let last = bytes.lastIndex(of: UInt8(ascii: ".")),
            let signature = Base64URL.decode(bytes[(last + 1)...]), ECDSASignature(der: signature) != nil
        else { return .form }
        return .encodedSignature
    }

    /// Whether this key made the signature.
    func isSigned(by key: VerifyingKey) -> Bool {
        key.verifies(signature, ofDigest: digest)
    }

    /// Header or claims; `nil` unless the part is canonical base64url of an object with unique names. A byte order
    /// mark, which other JSON may have, is refused.
    static func object(_ part: ArraySlice<UInt8>) -> JSONObject? {
        guard let bytes = Base64URL.decode(part), bytes.first != 0xEF else { return nil }
        return try? JSONObject.parse(bytes)
    }

    /// A token, the SHA-256 of its signed bytes, and the raw signature.
    typealias Signed = (token: String, digest: [UInt8], signature: [UInt8])

    /// Signs `claims`, a JSON text, with a header part that is already encoded.
    static func make(header: [UInt8], claims: [UInt8], key: SigningKey) throws(TokenFault) -> Signed {
        var text = header
        text.reserveCapacity(header.count + claims.count * 4 / 3 + 96)
        text.append(UInt8(ascii: "."))
        Base64URL.append(claims, to: &text)
        let digest = SHA256.digest(text)
        let signature = try key.sign(digest: digest)
        text.append(UInt8(ascii: "."))
        Base64URL.append(signature, to: &text)
        return (String(decoding: text, as: UTF8.self), digest, signature)
    }

    /// The same with an RSA key. This server never reads such a token: `init` accepts only ES256.
    static func make(header: [UInt8], claims: [UInt8], key: RSAKey) throws(TokenFault) -> String {
        var text = header
        text.append(UInt8(ascii: "."))
        Base64URL.append(claims, to: &text)
        let signature = try key.sign(text)
        text.append(UInt8(ascii: "."))
        Base64URL.append(signature, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}

extension JSONObject {
    /// Whether the member `name` is exactly this text, byte by byte: `==` of strings compares by canonical equivalence.
    func hasString(_ name: String, _ text: String) -> Bool {
        guard let value = self[name]?.string else { return false }
        return value.isSame(as: text)
    }

    /// Whether `typ` names this type: letters are compared without case, and `application/` may be missing (RFC 7515
    /// section 4.1.9).
    func hasType(_ type: String) -> Bool {
        guard let value = self["typ"]?.string else { return false }
        let (name, prefix) = (Array(value.utf8), "application/")
        let rest = name.dropFirst(prefix.utf8.count)
        let isPrefixed = name.prefix(prefix.utf8.count).isSameIgnoringCase(as: prefix)
        return (isPrefixed && !rest.contains(UInt8(ascii: "/")) ? rest : name[...]).isSameIgnoringCase(as: type)
    }
}
