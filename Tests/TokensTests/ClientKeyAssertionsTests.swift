import Engine
import Possession
import StrictJSON
import Testing
import Text
import Tokens

/// Assertions that API clients sign with keys of their own.
@Suite struct ClientKeyAssertionsTests {
    private static let audience = "https://device.example/camara/token"
    private let key: SigningKey
    private let other: SigningKey
    private let verifier = ClientKeyAssertions()

    init() throws {
        key = try SigningKey.generate()
        other = try SigningKey.generate()
    }

    private static func claims(_ changes: [(String, JSONValue?)] = []) -> JSONObject {
        let now = Fixture.now.seconds
        var claims: JSONObject = [
            "iss": "shop", "sub": "shop", "aud": .string(audience), "jti": "1", "iat": .integer(now),
            "exp": .integer(now + 300),
        ]
        for (name, value) in changes { claims[name] = value }
        return claims
    }

    private static func token(_ header: JSONObject, _ claims: JSONObject, _ key: SigningKey) throws -> String {
        let text = [header, claims].map { Base64URL.encode($0.serialized()) }.joined(separator: ".")
        return text + "." + Base64URL.encode(try key.sign(Array(text.utf8)))
    }

    private func verify(
        _ claims: JSONObject = claims(), header: JSONObject = ["alg": "ES256", "typ": "JWT"],
        by keys: [PublicKey]? = nil
    ) throws -> ClientAssertion? {
        let text = try Self.token(header, claims, key)
        return try? verifier.verify(
            text, by: keys ?? [key.publicKey], for: [Self.audience, "other"],
            at: Fixture.now)
    }

    @Test(
        arguments: [
            ["alg": "ES256", "typ": "JWT"], ["alg": "ES256"], ["alg": "ES256", "typ": "JWT", "kid": "any"],
            ["alg": "ES256", "typ": "client-authentication+jwt"],
        ] as [JSONObject]) func `takes what client libraries write`(header: JSONObject) throws
    {
        let assertion = try #require(try verify(header: header, by: [other.publicKey, key.publicKey]))
        #expect(assertion.clientID == "shop" && assertion.jti == "1")
        #expect(assertion.issuedAt == Fixture.now && assertion.expiresAt == Fixture.now.adding(.seconds(300)))
    }

    @Test func `takes several audiences, and no iat`() throws {
        #expect(try verify(Self.claims([("aud", ["a", .string(Self.audience)]), ("iat", nil)])) != nil)
        #expect(try verify(Self.claims([("nbf", .integer(Fixture.now.seconds + 30))])) != nil)
        #expect(try verifier.claimedClient(of: Self.token(["alg": "ES256"], Self.claims(), key)) == "shop")
    }

    @Test func `one without iat may be as old as its end allows`() throws {
        let claims = Self.claims([("iat", nil), ("exp", .integer(Fixture.now.seconds + 60))])
        #expect(try verify(claims)?.issuedAt == Fixture.now.adding(.seconds(-240)))
    }

    /// A claim with another value, or without one.
    struct Spoiled: Sendable {
        let name: String
        let value: JSONValue?

        init(_ name: String, _ value: JSONValue?) {
            self.name = name
            self.value = value
        }
    }

    @Test(arguments: [
        Spoiled("sub", "other"), Spoiled("sub", nil), Spoiled("iss", nil), Spoiled("aud", "https://b.example"),
        Spoiled("aud", []), Spoiled("aud", nil), Spoiled("jti", nil), Spoiled("jti", ""), Spoiled("exp", nil),
        Spoiled("exp", .integer(Fixture.now.seconds - 31)), Spoiled("exp", .integer(Fixture.now.seconds + 331)),
        Spoiled("exp", "soon"), Spoiled("iat", .integer(Fixture.now.seconds + 31)),
        Spoiled("iat", .integer(Fixture.now.seconds - 1)), Spoiled("iat", "now"),
        Spoiled("nbf", .integer(Fixture.now.seconds + 31)), Spoiled("nbf", "now"),
    ]) func `refuses claims that are not as they must be`(spoiled: Spoiled) throws {
        #expect(try verify(Self.claims([(spoiled.name, spoiled.value)])) == nil)
    }

    @Test(
        arguments: [
            ("iat", 31, .clock(.iat, secondsAhead: 31)), ("exp", -31, .clock(.exp, secondsAhead: -31)),
            ("nbf", 40, .clock(.nbf, secondsAhead: 40)),
        ] as [(String, Int64, ProofFault)])
    func `tells a wrong clock apart`(claim: String, ahead: Int64, fault: ProofFault) throws {
        let claims = Self.claims([(claim, .integer(Fixture.now.seconds + ahead))])
        let text = try Self.token(["alg": "ES256"], claims, key)
        #expect(throws: fault) {
            try verifier.verify(text, by: [key.publicKey], for: [Self.audience], at: Fixture.now)
        }
    }

    @Test func `takes times with a fraction`() throws {
        let seconds = Fixture.now.seconds
        let claims = Self.claims([("iat", .number("\(seconds).75")), ("exp", .number("\(seconds + 60).5"))])
        #expect(try verify(claims)?.expiresAt == Fixture.now.adding(.seconds(60)))
    }

    @Test(
        arguments: [
            ["alg": "none"], ["alg": "HS256"], ["alg": "ES256", "typ": "at+jwt"], ["alg": "ES256", "crit": ["b64"]],
            ["alg": "ES256", "zip": "DEF"],
        ] as [JSONObject]) func `refuses other headers`(header: JSONObject) throws
    {
        #expect(try verify(header: header) == nil)
    }

    @Test func `refuses what another key has signed`() throws {
        #expect(try verify(by: [other.publicKey]) == nil)
        #expect(try verify(by: []) == nil)
        #expect(verifier.claimedClient(of: "a.b.c") == nil)
    }

    @Test func `a key is read from a JWK on P-256, without its private half`() throws {
        let jwk = key.publicKey.jwk
        #expect(PublicKey(jwk: .object(jwk)) == key.publicKey)
        var spoiled = [JSONValue.null, "x", .object(JSONObject())]
        for (name, value) in [
            ("d", JSONValue.string("AA")), ("kty", "RSA"), ("crv", "P-384"), ("x", "AA"), ("y", jwk["x"]!),
        ] {
            var other = jwk
            other[name] = value
            spoiled.append(.object(other))
        }
        for value in spoiled { #expect(PublicKey(jwk: value) == nil) }
    }
}

/// A grant for some calls.
@Suite struct ScopedTokenTests {
    @Test func `is good for its surface, its scopes and an hour`() throws {
        let service = Fixture.service([try Fixture.record(.access)])
        let grant = ScopedGrant(
            clientID: try Fixture.clientID(), audience: "https://device.example/camara", scopes: ["dpv:A", "a:b"],
            session: CorrelationID(bits: 7))
        let token = try service.issueScopedToken(
            grant, lifetime: .seconds(3600), jti: Fixture.jti, at: Fixture.now)
        let ends = Fixture.now.adding(.seconds(3629))
        #expect(service.verifyScopedToken(token, audience: grant.audience, at: Fixture.now) == grant)
        #expect(service.verifyScopedToken(token, audience: grant.audience, at: ends) == grant)
        #expect(service.verifyScopedToken(token, audience: grant.audience, at: ends.adding(.seconds(1))) == nil)
        #expect(service.verifyScopedToken(token, audience: "https://device.example/v3", at: Fixture.now) == nil)
        #expect(service.verifyAccessToken(token, at: Fixture.now) == nil)
        // The issuer is the one of the surface's metadata (RFC 9068 section 4).
        let claims = String(decoding: Base64URL.decode(String(token.split(separator: ".")[1])) ?? [], as: UTF8.self)
        #expect(claims.contains(#""iss":"https://device.example/camara""#), "\(claims)")
        #expect(Base64URL.decode(String(token.split(separator: ".")[1]))?.contains(UInt8(ascii: "+")) == false)
        let platform = try service.issueAccessToken(for: grant.clientID, jti: Fixture.jti, at: Fixture.now)
        #expect(service.verifyScopedToken(platform, audience: grant.audience, at: Fixture.now) == nil)
    }
}
