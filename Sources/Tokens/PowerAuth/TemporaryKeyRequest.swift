import Engine
import Possession
import StrictJSON
internal import Text

/// A request for a temporary key: a JWT with HS256, keyed with a secret that the app or the activation shares with the
/// server.
struct TemporaryKeyRequest: Sendable {
    /// Bytes; 18 random ones in Base64 have 24.
    private static let longestChallenge = 128

    let claims: TemporaryKeyClaims
    /// Returned in the answer.
    let challenge: String
    private let signed: [UInt8]
    private let code: [UInt8]

    /// `nil` unless it is three canonical base64url parts, `alg` is HS256, `typ` is JWT or missing, no member `crit` or
    /// `zip` is present, and the claims have an application, a challenge and at most one activation.
    init?(_ text: String) {
        guard text.utf8.count <= JWS.maxBytes else { return nil }
        let bytes = Array(text.utf8)
        let dot = UInt8(ascii: ".")
        guard let first = bytes.firstIndex(of: dot), let second = bytes[(first + 1)...].firstIndex(of: dot),
            let code = Base64URL.decode(bytes[(second + 1)...]), code.count == 32,
            let header = JWS.object(bytes[..<first]), header.hasString("alg", "HS256"),
            header["typ"] == nil || header.hasType("JWT"), header["crit"] == nil, header["zip"] == nil,
            let members = JWS.object(bytes[(first + 1)..<second]),
            let applicationKey = members["applicationKey"]?.string,
            let challenge = members["challenge"]?.string, (1...Self.longestChallenge).contains(challenge.utf8.count)
        else { return nil }
        let activationID = members["activationId"]?.string
        guard activationID != nil || members["activationId"] == nil else { return nil }
        claims = TemporaryKeyClaims(applicationKey: applicationKey, activationID: activationID)
        self.challenge = challenge
        signed = Array(bytes[..<second])
        self.code = code
    }

    /// - Parameter key: 16 bytes.
    func isSigned(by key: BriefSecret) -> Bool {
        constantTimeEqual(code, MessageCode.hmac(.sha256, key: key.bytes, signed))
    }

    /// Whether it was made by this caller.
    func isOf(_ caller: DeviceCaller) -> Bool {
        guard claims.applicationKey.isSame(as: caller.application.applicationKey) else { return false }
        switch (claims.activationID, caller.activation) {
        case (nil, nil): return true
        case (let text?, let activation?): return ActivationID(text) == activation.id
        default: return false
        }
    }

    /// The answer: a JWT with ES256.
    func answer(_ issued: TemporaryKeys.Issued, at now: Timestamp, key: SigningKey) throws(TokenFault) -> String {
        let header: JSONObject = ["alg": "ES256", "typ": "JWT"]
        let end = issued.id.endSecond
        var members: JSONObject = [
            "sub": .string(issued.id.text), "applicationKey": .string(claims.applicationKey),
            "challenge": .string(challenge), "publicKey": .string(Base64.encode(issued.publicKey.uncompressed)),
            "iat": .integer(now.seconds), "exp": .integer(end), "iat_ms": .integer(now.milliseconds),
            "exp_ms": .integer(Timestamp(seconds: end).milliseconds),
        ]
        members.set("activationId", claims.activationID)
        return try JWS.make(
            header: Array(Base64URL.encode(header.serialized()).utf8), claims: members.serialized(), key: key
        ).token
    }
}
