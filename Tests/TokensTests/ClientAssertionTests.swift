import Engine
import Possession
import StrictJSON
import Testing
import Text
import Tokens

@Suite struct ClientAssertionTests {
    private static let client = "holdfast-client"
    private static let audience = "https://operator.example/token"

    private let record: SigningKeyRecord
    private let service: ES256TokenService

    init() throws {
        record = try Fixture.record(.assertion)
        service = Fixture.service([record])
    }

    private func assertion(at now: Timestamp = Fixture.now) throws -> String {
        try service.issueClientAssertion(
            clientID: Self.client, audience: Self.audience, jti: Fixture.jti, at: now)
    }

    private func verify(_ assertion: String, audience: String = audience, after seconds: Int = 0) -> ClientAssertion? {
        service.verifyClientAssertion(assertion, audience: audience, at: Fixture.now.adding(.seconds(seconds)))
    }

    private func part(_ index: Int, of token: String) throws -> JSONObject {
        let parts = token.split(separator: ".").map(String.init)
        return try JSONObject.parse(try #require(Base64URL.decode(parts[index])))
    }

    @Test func `issues the claims of RFC 7523 and no others`() throws {
        let assertion = try assertion()
        #expect(try part(0, of: assertion) == ["alg": "ES256", "typ": "JWT", "kid": .string(record.kid)])
        let now = Fixture.now.seconds
        #expect(
            try part(1, of: assertion) == [
                "iss": "holdfast-client", "sub": "holdfast-client", "aud": "https://operator.example/token",
                "jti": .string(Base64URL.encode(Fixture.jti)), "iat": .integer(now), "exp": .integer(now + 120),
            ])
    }

    @Test func `issues a grant that names for whom a token is wanted`() throws {
        let scope = "dpv:FraudPreventionAndDetection sim-swap:check"
        let assertion = try service.issueGrantAssertion(
            clientID: Self.client, subject: "tel:+12015550123", scope: scope, audience: Self.audience,
            jti: Fixture.jti, at: Fixture.now)
        #expect(try part(0, of: assertion) == ["alg": "ES256", "typ": "JWT", "kid": .string(record.kid)])
        let now = Fixture.now.seconds
        #expect(
            try part(1, of: assertion) == [
                "iss": "holdfast-client", "sub": "tel:+12015550123", "aud": "https://operator.example/token",
                "jti": .string(Base64URL.encode(Fixture.jti)), "iat": .integer(now), "exp": .integer(now + 120),
                "scope": .string(scope),
            ])
        #expect(verify(assertion) == nil, "it is no client's own assertion")
        let grant = try #require(service.verifyGrantAssertion(assertion, audience: Self.audience, at: Fixture.now))
        #expect(grant.client.clientID == "holdfast-client" && grant.subject == "tel:+12015550123")
        #expect(grant.scope == scope)
        #expect(service.verifyGrantAssertion(assertion, audience: "https://b.example/token", at: Fixture.now) == nil)
        let late = Fixture.now.adding(.seconds(400))
        #expect(service.verifyGrantAssertion(assertion, audience: Self.audience, at: late) == nil)
        #expect(
            service.verifyGrantAssertion(try self.assertion(), audience: Self.audience, at: Fixture.now) == nil,
            "a client's own has no scope")
    }

    @Test func `escapes a client ID that needs it`() throws {
        let assertion = try service.issueClientAssertion(
            clientID: #"a"b\"#, audience: Self.audience, jti: Fixture.jti, at: Fixture.now)
        #expect(try part(1, of: assertion)["sub"] == #"a"b\"#)
    }

    @Test func `reads back what it issued`() throws {
        #expect(
            verify(try assertion())
                == ClientAssertion(
                    clientID: Self.client, jti: Base64URL.encode(Fixture.jti), issuedAt: Fixture.now,
                    expiresAt: Fixture.now.adding(.seconds(120))))
        #expect(verify(try assertion(), audience: Self.audience + "/") == nil)
    }

    @Test(arguments: [(0, true), (149, true), (150, false), (-30, true), (-31, false)])
    func `takes an assertion for 120 seconds and 30 of leeway`(age: Int, accepted: Bool) throws {
        #expect((verify(try assertion(), after: age) != nil) == accepted)
    }

    @Test(arguments: [(300, true), (301, false)])
    func `takes one that lives 300 seconds, but no longer`(life: Int64, accepted: Bool) throws {
        var forge = Forge(record)
        forge.claims["exp"] = .integer(Fixture.now.seconds + life)
        #expect((verify(try forge.token()) != nil) == accepted)
    }

    @Test func `throws when no key is active`() throws {
        let service = Fixture.service([try Fixture.record(.access), try Fixture.record(.auth)])
        #expect(throws: TokenFault.self) {
            try service.issueClientAssertion(
                clientID: Self.client, audience: Self.audience, jti: Fixture.jti, at: Fixture.now)
        }
    }

    @Test func `keeps assertions and tokens apart`() throws {
        let records = try StoredSigningKey.Purpose.ofTokens.map { try Fixture.record($0) }
        let service = Fixture.service(records)
        for record in records {
            let token = try Forge(record).token()
            let isAssertion =
                service.verifyClientAssertion(token, audience: Self.audience, at: Fixture.now) != nil
            #expect(isAssertion == (record.purpose == .assertion))
            #expect((service.verifyAccessToken(token, at: Fixture.now) != nil) == (record.purpose == .access))
            #expect((service.verifyAuthToken(token, at: Fixture.now) != nil) == (record.purpose == .auth))
        }
    }

    /// Without those about `nbf`, which an assertion has not, and its own type.
    private static let spoiled = Spoiled.both.filter {
        !$0.name.hasPrefix("claim nbf") && $0.name != #"header typ "JWT""#
    }

    @Test(arguments: spoiled) func `refuses a spoiled assertion`(spoiled: Spoiled) throws {
        #expect(verify(try Forge(record).token()) != nil)
        #expect(verify(try spoiled.make(Forge(record))) == nil)
    }

    @Test func `is published, so that an operator can check it`() throws {
        let set = try JSONObject.parse(service.publicKeySet(at: Fixture.now))
        let kids = set["keys"]?.array?.compactMap { $0.object?["kid"]?.string }
        #expect(kids == [record.kid])
    }
}
