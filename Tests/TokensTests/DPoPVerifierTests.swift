import Engine
import Possession
import StrictJSON
import Testing
import Text
import Tokens

/// A proof to be: header, claims and the key that signs.
private struct Proof {
    var key: SigningKey
    var header: JSONObject
    var claims: JSONObject

    func text() throws -> String {
        let input = Base64URL.encode(header.serialized()) + "." + Base64URL.encode(claims.serialized())
        return try input + "." + Base64URL.encode(key.sign(Array(input.utf8)))
    }
}

/// One field set to something wrong; `nil` leaves it out.
struct Change: Sendable, CustomTestStringConvertible {
    enum Place: Sendable { case header, jwk, claims }
    let place: Place
    let name: String
    let value: JSONValue?
    var testDescription: String {
        "\(place) \(name) \(value.map { String(decoding: $0.serialized().prefix(30), as: UTF8.self) } ?? "missing")"
    }

    init(_ place: Place, _ name: String, _ value: JSONValue?) {
        self.place = place
        self.name = name
        self.value = value
    }

    fileprivate func apply(to proof: inout Proof) {
        switch place {
        case .header: proof.header[name] = value
        case .claims: proof.claims[name] = value
        case .jwk:
            var jwk = proof.header["jwk"]?.object ?? JSONObject()
            jwk[name] = value
            proof.header["jwk"] = .object(jwk)
        }
    }

    private static let zeros = JSONValue.string(Base64URL.encode([UInt8](repeating: 0, count: 32)))
    private static let ones = JSONValue.string(Base64URL.encode([UInt8](repeating: 0xFF, count: 32)))

    static let header: [Change] = [
        Change(.header, "typ", nil), Change(.header, "typ", "JWT"), Change(.header, "typ", "at+jwt"),
        Change(.header, "typ", 1),
        Change(.header, "typ", "x/dpop+jwt"), Change(.header, "typ", "application/x/dpop+jwt"),
        Change(.header, "alg", nil), Change(.header, "alg", "none"),
        Change(.header, "alg", "HS256"),
        Change(.header, "alg", "ES384"), Change(.header, "jwk", nil), Change(.header, "jwk", "x"),
        Change(.header, "jwk", [:]),
        Change(.header, "jwk", []), Change(.header, "jwk", .null), Change(.header, "crit", ["jwk"]),
        Change(.header, "zip", "DEF"),
    ]

    static let jwk: [Change] =
        ["kty", "crv", "x", "y"].flatMap { name in
            [nil, .null, 1, "", ["x"], "RSA", "P-384", zeros, ones].map { Change(.jwk, name, $0) }
        }
        + ["d", "p", "q", "dp", "dq", "qi", "oth", "k"].map { Change(.jwk, $0, "AAAA") }
        + [
            Change(.jwk, "d", .null), Change(.jwk, "crv", "secp256k1"), Change(.jwk, "kty", "OKP"),
            Change(.jwk, "kty", "ec"),
            Change(.jwk, "x", .string(Base64URL.encode([UInt8](repeating: 1, count: 31)))),
            Change(.jwk, "x", .string(Base64URL.encode([0] + [UInt8](repeating: 1, count: 32)))),
            Change(.jwk, "x", .string(Base64URL.encode([UInt8](repeating: 1, count: 32)) + "=")),
        ]

    static let time: [Change] = [
        Change(.claims, "iat", nil), Change(.claims, "iat", .string(String(Fixture.now.seconds))),
        Change(.claims, "iat", .null),
        Change(.claims, "iat", .integer(Fixture.now.milliseconds)), Change(.claims, "iat", .integer(.max)),
        Change(.claims, "iat", .integer(.min)), Change(.claims, "iat", 0), Change(.claims, "iat", .number("1e9")),
    ]
}

@Suite struct DPoPVerifierTests {
    private let verifier = DPoPVerifier(deviceAudience: "https://device.example/client/v1")
    private let key: SigningKey
    private let token = "header.claims.signature"

    init() throws {
        key = try SigningKey.generate()
    }

    private var expectation: DPoPExpectation {
        DPoPExpectation(
            method: "POST",
            targets: ["https://device.example/client/v1/session", "http://127.0.0.1:8080/client/v1/session"],
            accessToken: token, nonce: "bm9uY2U", systemNow: Fixture.now)
    }

    private var proof: Proof {
        Proof(
            key: key, header: ["typ": "dpop+jwt", "alg": "ES256", "jwk": .object(key.publicKey.jwk)],
            claims: [
                "jti": "e1j3V_bKic8-LAEB", "htm": "POST", "htu": "https://device.example/client/v1/session",
                "iat": .integer(Fixture.now.seconds), "ath": .string(Base64URL.encode(SHA256.digest(token))),
                "nonce": "bm9uY2U",
            ])
    }

    private func verify(_ proof: Proof) throws -> DPoPProof? {
        let text = try proof.text()
        return try? verifier.verifyDPoP(text, expecting: expectation)
    }

    @Test func `accepts a right proof and names its key`() throws {
        let result = try #require(try verify(proof))
        #expect(result.thumbprint == key.publicKey.thumbprint)
        #expect(result.jtiDigest == SHA256.digest("e1j3V_bKic8-LAEB"))
        #expect(result.issuedAt == Fixture.now)
    }

    /// RFC 7515 section 4.1.9.
    @Test(arguments: ["DPoP+JWT", "application/dpop+jwt", "Application/DPoP+jwt"])
    func `takes each spelling of the type`(type: String) throws {
        var proof = proof
        proof.header["typ"] = .string(type)
        #expect(try verify(proof) != nil)
    }

    @Test(arguments: Change.header + Change.jwk + Change.time)
    func `refuses a proof with one wrong field`(change: Change) throws {
        var proof = proof
        change.apply(to: &proof)
        #expect(try verify(proof) == nil)
    }

    @Test(arguments: [
        Change(.claims, "htm", nil), Change(.claims, "htm", "GET"), Change(.claims, "htm", "post"),
        Change(.claims, "htm", 1),
        Change(.claims, "htu", nil), Change(.claims, "htu", "https://device.example/client/v1/session/"),
        Change(.claims, "htu", 1),
        Change(.claims, "htu", "https://device.example/client/v1"),
        Change(.claims, "htu", "http://device.example/client/v1/session"), Change(.claims, "htu", "/client/v1/session"),
        Change(.claims, "htu", "https://device.example:80/client/v1/session"),
        Change(.claims, "htu", ["https://device.example/client/v1/session"]),
        Change(.claims, "htu", ""), Change(.claims, "ath", nil), Change(.claims, "ath", ""),
        Change(.claims, "ath", "x"),
        Change(.claims, "ath", .string(Base64URL.encode(SHA256.digest("another")))), Change(.claims, "nonce", nil),
        Change(.claims, "nonce", ""),
        Change(.claims, "nonce", "bm9uY2V"), Change(.claims, "nonce", ["bm9uY2U"]), Change(.claims, "jti", nil),
        Change(.claims, "jti", ""),
        Change(.claims, "jti", 1), Change(.claims, "jti", .string(String(repeating: "j", count: 129))),
    ])
    func `refuses a proof for another request`(change: Change) throws {
        var proof = proof
        change.apply(to: &proof)
        #expect(try verify(proof) == nil)
    }

    @Test(arguments: [
        "http://127.0.0.1:8080/client/v1/session", "https://device.example/client/v1/session?a=b",
        "https://device.example/client/v1/session#f", "https://device.example/client/v1/session?a#b",
    ])
    func `compares the target without query and fragment`(target: String) throws {
        var proof = proof
        proof.claims["htu"] = .string(target)
        #expect(try verify(proof) != nil)
    }

    @Test(arguments: [
        "https://device.example:443/client/v1/session", "HTTPS://DEVICE.Example/client/v1/session",
        "https://device.example/client/v1/%73ession", "https://device.example/./client/x/../v1/session",
        "https://device.example:/client/%76%31/session?a",
    ])
    func `compares the target in its normal form`(target: String) throws {
        var proof = proof
        proof.claims["htu"] = .string(target)
        #expect(try verify(proof) != nil)
    }

    /// Clocks of Swift and Python give fractions.
    @Test(arguments: ["\(Fixture.now.seconds).0", "\(Fixture.now.seconds + 60).999", "\(Fixture.now.seconds)e0"])
    func `takes a time with a fraction`(seconds: String) throws {
        var (proof, deviceProof) = (proof, deviceProof)
        proof.claims["iat"] = .number(seconds)
        deviceProof.claims["iat"] = .number(seconds)
        #expect(try verify(proof) != nil)
        #expect(try verifyDevice(deviceProof) != nil)
    }

    @Test(
        arguments: [
            (Change(.claims, "iat", .integer(Fixture.now.seconds + 300)), .clock(.iat, secondsAhead: 300)),
            (Change(.claims, "iat", .integer(Fixture.now.seconds - 61)), .clock(.iat, secondsAhead: -61)),
            (Change(.claims, "iat", .integer(Fixture.now.milliseconds)), .claim(.iat)),
            (Change(.claims, "htu", "https://other.example"), .claim(.htu)),
            (Change(.claims, "htm", "GET"), .claim(.htm)), (Change(.claims, "ath", "x"), .claim(.ath)),
            (Change(.claims, "nonce", "x"), .claim(.nonce)), (Change(.claims, "jti", ""), .claim(.jti)),
            (Change(.header, "typ", "JWT"), .form),
        ] as [(Change, ProofFault)])
    func `tells the reason of a refusal`(change: Change, fault: ProofFault) throws {
        var proof = proof
        change.apply(to: &proof)
        let text = try proof.text()
        #expect(throws: fault) { try verifier.verifyDPoP(text, expecting: expectation) }
    }

    /// Android and OpenSSL sign in DER.
    @Test func `names a signature in DER, which is not that of a JWS`() throws {
        func integer(_ half: ArraySlice<UInt8>) -> [UInt8] {
            let digits = Array(half.drop { $0 == 0 })
            let value: [UInt8] = digits[0] < 0x80 ? digits : [0] + digits
            return [0x02, UInt8(value.count)] + value
        }
        func encoded(_ proof: Proof) throws -> String {
            let text = Array(try proof.text().utf8)
            let end = try #require(text.lastIndex(of: UInt8(ascii: ".")))
            let raw = try #require(Base64URL.decode(String(decoding: text[(end + 1)...], as: UTF8.self)))
            let integers = integer(raw[..<32]) + integer(raw[32...])
            return String(decoding: text[...end], as: UTF8.self)
                + Base64URL.encode([0x30, UInt8(integers.count)] + integers)
        }
        let (text, device) = (try encoded(proof), try encoded(deviceProof))
        #expect(throws: ProofFault.encodedSignature) { try verifier.verifyDPoP(text, expecting: expectation) }
        #expect(throws: ProofFault.encodedSignature) {
            try verifier.verifyDeviceProof(device, systemNow: Fixture.now)
        }
        #expect(throws: ProofFault.encodedSignature) {
            try ClientKeyAssertions().verify(text, by: [key.publicKey], for: ["a"], at: Fixture.now)
        }
    }

    @Test(arguments: [(-61, false), (-60, true), (60, true), (61, false)])
    func `takes a proof within 60 seconds`(offset: Int64, accepted: Bool) throws {
        var proof = proof
        proof.claims["iat"] = .integer(Fixture.now.seconds + offset)
        #expect((try verify(proof) != nil) == accepted)
    }

    @Test func `takes a jti of 128 characters and members it does not know`() throws {
        var proof = proof
        proof.claims["jti"] = .string(String(repeating: "j", count: 128))
        proof.claims["extra"] = [1]
        proof.header["kid"] = "mine"
        Change(.jwk, "ext", true).apply(to: &proof)
        #expect(try verify(proof) != nil)
    }

    @Test func `refuses a proof signed by another key than it shows`() throws {
        var proof = proof
        proof.key = try SigningKey.generate()
        #expect(try verify(proof) == nil)
    }

    @Test(arguments: Spoiled.signatures)
    func `refuses a spoiled signature`(spoiled: Spoiled) throws {
        var forge = Forge(try Fixture.record(.auth))
        (forge.key, forge.header, forge.claims) = (key, proof.header, proof.claims)
        _ = try verifier.verifyDPoP(try forge.token(), expecting: expectation)
        let text = try spoiled.make(forge)
        #expect(throws: ProofFault.self) { try verifier.verifyDPoP(text, expecting: expectation) }
    }

    @Test(arguments: Spoiled.texts + Spoiled.algorithms)
    func `refuses a spoiled text`(spoiled: Spoiled) throws {
        // The key stays the one in the header, which the forge of another key replaces.
        guard spoiled.name != "another key, embedded" else { return }
        var forge = Forge(try Fixture.record(.auth))
        (forge.key, forge.header, forge.claims) = (key, proof.header, proof.claims)
        let text = try spoiled.make(forge)
        #expect(throws: ProofFault.self) { try verifier.verifyDPoP(text, expecting: expectation) }
    }

    // MARK: Device proofs

    private var deviceProof: Proof {
        Proof(
            key: key, header: ["typ": "device-proof+jwt", "alg": "ES256", "jwk": .object(key.publicKey.jwk)],
            claims: [
                "aud": "https://device.example/client/v1", "sub": .string(Fixture.authID.text),
                "nonce": .string(Base64URL.encode([UInt8](repeating: 5, count: 32))),
                "iat": .integer(Fixture.now.seconds),
                "op": "register", "cnf": ["jkt": .string(Base64URL.encode([UInt8](repeating: 6, count: 32)))],
            ])
    }

    private func verifyDevice(_ proof: Proof) throws -> DeviceProof? {
        let text = try proof.text()
        return try? verifier.verifyDeviceProof(text, systemNow: Fixture.now)
    }

    @Test func `accepts a right device proof`() throws {
        let result = try #require(try verifyDevice(deviceProof))
        #expect(result.publicKey == key.publicKey && result.thumbprint == key.publicKey.thumbprint)
        #expect(result.authID == Fixture.authID && result.operation == .register)
        #expect(result.challenge == [UInt8](repeating: 5, count: 32))
        #expect(result.sessionKey == Thumbprint([UInt8](repeating: 6, count: 32)))
    }

    @Test func `accepts a device proof without session key, and the other operation`() throws {
        var proof = deviceProof
        proof.claims["cnf"] = nil
        proof.claims["op"] = "authenticate"
        let result = try #require(try verifyDevice(proof))
        #expect(result.sessionKey == nil && result.operation == .authenticate)
    }

    @Test(arguments: Change.header + Change.jwk + Change.time)
    func `refuses a device proof with one wrong field`(change: Change) throws {
        var proof = deviceProof
        change.apply(to: &proof)
        #expect(try verifyDevice(proof) == nil)
    }

    @Test(arguments: [
        Change(.claims, "aud", nil), Change(.claims, "aud", "https://evil.example/client/v1"),
        Change(.claims, "aud", ["https://device.example/client/v1"]),
        Change(.claims, "sub", nil), Change(.claims, "sub", "x"), Change(.claims, "sub", 1),
        Change(.claims, "nonce", nil),
        Change(.claims, "nonce", ""),
        Change(.claims, "nonce", .string(Base64URL.encode([UInt8](repeating: 5, count: 31)))),
        Change(.claims, "nonce", .string(Base64URL.encode([UInt8](repeating: 5, count: 33)))),
        Change(.claims, "op", nil), Change(.claims, "op", "Register"),
        Change(.claims, "op", "delete"), Change(.claims, "op", 1), Change(.claims, "cnf", .null),
        Change(.claims, "cnf", [:]), Change(.claims, "cnf", "x"),
        Change(.claims, "cnf", ["jkt": "AAAA"]), Change(.claims, "cnf", ["jkt": .null]), Change(.claims, "cnf", []),
    ])
    func `refuses a device proof for another purpose`(change: Change) throws {
        var proof = deviceProof
        change.apply(to: &proof)
        #expect(try verifyDevice(proof) == nil)
    }

    @Test(arguments: [(-121, false), (-120, true), (120, true), (121, false)])
    func `takes a device proof within 120 seconds`(offset: Int64, accepted: Bool) throws {
        var proof = deviceProof
        proof.claims["iat"] = .integer(Fixture.now.seconds + offset)
        #expect((try verifyDevice(proof) != nil) == accepted)
    }

    @Test func `takes no kind of proof for another, nor tokens for proofs`() throws {
        let token = try Forge(try Fixture.record(.auth)).token()
        for text in [try deviceProof.text(), token] {
            #expect(throws: ProofFault.form) { try verifier.verifyDPoP(text, expecting: expectation) }
        }
        for text in [try proof.text(), token] {
            #expect(throws: ProofFault.form) { try verifier.verifyDeviceProof(text, systemNow: Fixture.now) }
        }
        let service = Fixture.service([try Fixture.record(.auth), try Fixture.record(.access)])
        #expect(service.verifyAuthToken(try proof.text(), at: Fixture.now) == nil)
        #expect(service.verifyAccessToken(try deviceProof.text(), at: Fixture.now) == nil)
    }
}
