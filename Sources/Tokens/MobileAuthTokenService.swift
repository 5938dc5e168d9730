package import Engine
package import Possession
import StrictJSON
internal import Text

/// The Mobile Auth values that pass through the client (client protocol 4.7). Each has its own key, so that one cannot
/// be used as another.
package struct MobileAuthTokenService: MobileAuthTokens {
    /// Longest fingerprint that is read, in bytes; ours have about 330.
    private static let maxFingerprintBytes = 1024
    private static let version = "v1."
    /// Part of the signed bytes, to name their kind.
    private static let fingerprintContext = "vfp."
    private static let codeContext = "code."

    private let stateHash: KeyedHash
    private let verifierHash: KeyedHash
    private let fingerprintHash: KeyedHash
    private let addressHash: KeyedHash

    /// - Throws: `TokenFault` when a key cannot be derived.
    package init(_ master: MasterKey) throws(TokenFault) {
        stateHash = KeyedHash(key: try master.subkey(.mobileAuthState))
        verifierHash = KeyedHash(key: try master.subkey(.mobileAuthVerifier))
        fingerprintHash = KeyedHash(key: try master.subkey(.mobileAuthFingerprint))
        addressHash = KeyedHash(key: try master.subkey(.clientAddress))
    }

    // MARK: State

    /// base64url of the attempt, a dot, base64url of its MAC: 66 characters.
    package func state(of attempt: AttemptID) -> String {
        Base64URL.encode(attempt.bytes) + "." + Base64URL.encode(stateHash.digest(attempt.bytes))
    }

    package func attempt(inState text: String) -> AttemptID? {
        guard text.utf8.count == 66, let (name, code) = Self.halves(of: text.utf8[...]),
            let bytes = Base64URL.decode(name), let attempt = AttemptID(bytes),
            let code = Base64URL.decode(code), stateHash.authenticates(code, of: bytes)
        else { return nil }
        return attempt
    }

    // MARK: PKCE

    /// 43 characters, the fewest that RFC 7636 section 4.1 allows; 256 bits.
    package func verifier(of attempt: AttemptID) -> String {
        Base64URL.encode(verifierHash.digest(Array("pkce".utf8) + attempt.bytes))
    }

    package func codeChallenge(of attempt: AttemptID) -> String {
        Base64URL.encode(SHA256.digest(verifier(of: attempt)))
    }

    // MARK: Fingerprint

    /// `v1.P.MAC`. Its times are whole seconds: fractions are dropped.
    package func fingerprint(_ fingerprint: Fingerprint) -> String {
        let claims: JSONObject = [
            "a": .string(Base64URL.encode(fingerprint.attempt.bytes)),
            "s": .string(fingerprint.authID.text),
            "j": fingerprint.sessionKey.map { .string(Base64URL.encode($0.bytes)) },
            "r": .string(Base64URL.encode(fingerprint.result)),
            "iat": .integer(fingerprint.issuedAt.seconds),
            "exp": .integer(fingerprint.expiresAt.seconds),
        ]
        let signed = Self.version + Base64URL.encode(claims.serialized())
        return signed + "." + Base64URL.encode(fingerprintHash.digest(Self.message(signed)))
    }

    package func fingerprint(in text: String) -> Fingerprint? {
        guard text.utf8.count <= Self.maxFingerprintBytes, text.begins(with: Self.version),
            let (payload, code) = Self.halves(of: text.utf8.dropFirst(Self.version.utf8.count)),
            let code = Base64URL.decode(code),
            fingerprintHash.authenticates(code, of: Self.message(Self.version + payload)),
            let bytes = Base64URL.decode(payload), let claims = try? JSONObject.parse(bytes)
        else { return nil }
        return Self.fingerprint(claims)
    }

    private static func message(_ signed: String) -> [UInt8] { Array((fingerprintContext + signed).utf8) }

    /// `nil` unless all members are present and there are no others.
    private static func fingerprint(_ claims: JSONObject) -> Fingerprint? {
        guard let attempt = claims["a"]?.string.flatMap({ Base64URL.decode($0) }).flatMap({ AttemptID($0) }),
            let authID = claims["s"]?.string.flatMap({ AuthID($0) }),
            let result = claims["r"]?.string.flatMap({ Base64URL.decode($0) }), !result.isEmpty,
            let issuedAt = time(claims["iat"]), let expiresAt = time(claims["exp"])
        else { return nil }
        var sessionKey: Thumbprint?
        if let text = claims["j"] {
            guard let bytes = text.string.flatMap({ Base64URL.decode($0) }), let key = Thumbprint(bytes) else {
                return nil
            }
            sessionKey = key
        }
        guard claims.count == (sessionKey == nil ? 5 : 6) else { return nil }
        return Fingerprint(
            attempt: attempt, authID: authID, sessionKey: sessionKey, result: result, issuedAt: issuedAt,
            expiresAt: expiresAt)
    }

    private static func time(_ value: JSONValue?) -> Timestamp? {
        NumericDate.whole(value).map { Timestamp(seconds: $0) }
    }

    /// The first eight bytes of the digest, modulo the power of ten. With 2^64 values and at most ten digits, the
    /// probabilities of two codes differ by at most one in a thousand million.
    package func code(of attempt: AttemptID, _ result: [UInt8], length: Int) -> OTP {
        precondition((4...10).contains(length), "an OTP has 4 to 10 digits")
        let digest = fingerprintHash.digest(Array(Self.codeContext.utf8) + attempt.bytes + result)
        var rest = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        var digits = [UInt8](repeating: 48, count: length)
        for place in digits.indices.reversed() {
            digits[place] += UInt8(rest % 10)
            rest /= 10
        }
        guard let code = OTP(String(decoding: digits, as: UTF8.self)) else { preconditionFailure("digits are a code") }
        return code
    }

    // MARK: Addresses

    package func address(_ address: String) -> AddressDigest {
        AddressDigest(addressHash.digest(Array(address.utf8)))
    }

    /// The texts before and after the only dot.
    private static func halves(of text: Substring.UTF8View) -> (String, String)? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        return (String(Substring(parts[0])), String(Substring(parts[1])))
    }
}
