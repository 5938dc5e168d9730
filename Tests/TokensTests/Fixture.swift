import Engine
import Possession
import StrictJSON
import Testing
import Text
import Tokens

/// Values that the tests of tokens and proofs share.
enum Fixture {
    static let now = Timestamp(seconds: 1_767_261_600)
    static let publicURL = "https://device.example"
    static let authID = AuthID(bits: 0x0198_0000_0000_7000_8000_0000_0000_0001)
    static let nonce = [UInt8](repeating: 7, count: 16)
    static let jti = [UInt8](repeating: 9, count: 16)

    static func clientID(_ text: String = "sandbox-client") throws -> ClientID {
        guard let id = ClientID(text) else { throw TokenFault("not a client ID") }
        return id
    }

    static func record(
        _ purpose: SigningKeyRecord.Purpose, createdAt: Timestamp = now, activatesAt: Timestamp = now
    ) throws -> SigningKeyRecord {
        SigningKeyRecord(
            key: try SigningKey.generate(), purpose: purpose, createdAt: createdAt, activatesAt: activatesAt)
    }

    static func service(_ records: [SigningKeyRecord], limits: TokenLimits = TokenLimits()) -> ES256TokenService {
        ES256TokenService(
            publicURL: publicURL, ring: SigningKeyRing(records, limits: limits), limits: limits)
    }

    static func bytes(hex: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var digits = hex.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }[...]
        while digits.count >= 2 { bytes.append(UInt8(digits.removeFirst() << 4 | digits.removeFirst())) }
        return bytes
    }
}

/// Makes tokens by hand: any header and claims, rightly signed, and then spoiled.
struct Forge {
    var key: SigningKey
    var header: JSONObject
    var claims: JSONObject

    /// A token as the service itself would issue it.
    init(_ record: SigningKeyRecord, at now: Timestamp = Fixture.now) {
        guard let key = record.key else { preconditionFailure("a key without its private half forges nothing") }
        self.key = key
        claims = [
            "iss": .string(Fixture.publicURL), "jti": "abcdefgh", "iat": .integer(now.seconds),
            "nbf": .integer(now.seconds),
        ]
        header = ["alg": "ES256", "kid": .string(record.kid)]
        switch record.purpose {
        case .auth:
            header["typ"] = "client-auth+jwt"
            claims["aud"] = .string(Fixture.publicURL + "/client/v1")
            claims["sub"] = .string(Fixture.authID.text)
            claims["nonce"] = "bm9uY2U"
            claims["exp"] = .integer(now.seconds + 900)
        case .access:
            header["typ"] = "at+jwt"
            claims["aud"] = .string(Fixture.publicURL + "/v3")
            claims["sub"] = "sandbox-client"
            claims["client_id"] = "sandbox-client"
            claims["exp"] = .integer(now.seconds + 3600)
        case .statement:
            header["typ"] = "possession+jwt"
            claims["aud"] = "https://partner.example"
            claims["exp"] = .integer(now.seconds + 900)
        case .assertion:
            header["typ"] = "JWT"
            claims["nbf"] = nil
            claims["iss"] = "holdfast-client"
            claims["sub"] = "holdfast-client"
            claims["aud"] = "https://operator.example/token"
            claims["exp"] = .integer(now.seconds + 120)
        case .webhook, .idToken: preconditionFailure("its key signs by RSA")
        }
    }

    var headerText: String { String(decoding: header.serialized(), as: UTF8.self) }
    var claimsText: String { String(decoding: claims.serialized(), as: UTF8.self) }

    func token() throws -> String { try token(header: headerText, claims: claimsText) }

    /// Signs texts that need not be JSON.
    func token(header: String, claims: String) throws -> String {
        try sign(Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.utf8)))
    }

    /// Signs parts that need not be base64url.
    func sign(_ input: String) throws -> String {
        try input + "." + Base64URL.encode(key.sign(Array(input.utf8)))
    }

    /// A token whose signature part is what `signature` makes of the right one.
    func token(signature: ([UInt8]) -> [UInt8]) throws -> String {
        let parts = try token().split(separator: ".").map(String.init)
        let changed = signature(Base64URL.decode(parts[2]) ?? [])
        return parts[0] + "." + parts[1] + "." + Base64URL.encode(changed)
    }
}

/// A named way to spoil a token.
struct Spoiled: Sendable, CustomTestStringConvertible {
    let name: String
    let make: @Sendable (Forge) throws -> String
    var testDescription: String { name }

    init(_ name: String, _ make: @escaping @Sendable (Forge) throws -> String) {
        self.name = name
        self.make = make
    }

    static func header(_ name: String, _ value: JSONValue?) -> Spoiled {
        Spoiled("header \(name) \(describe(value))") {
            var forge = $0
            forge.header[name] = value
            return try forge.token()
        }
    }

    static func claim(_ name: String, _ value: JSONValue?) -> Spoiled {
        Spoiled("claim \(name) \(describe(value))") {
            var forge = $0
            forge.claims[name] = value
            return try forge.token()
        }
    }

    static func signature(_ name: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]) -> Spoiled {
        Spoiled("signature \(name)") { try $0.token(signature: change) }
    }

    static func text(_ name: String, _ change: @escaping @Sendable (String) -> String) -> Spoiled {
        Spoiled("text \(name)") { change(try $0.token()) }
    }

    private static func describe(_ value: JSONValue?) -> String {
        value.map { String(decoding: $0.serialized().prefix(40), as: UTF8.self) } ?? "missing"
    }
}
