import Engine
import Possession
import StrictJSON
import Testing
import Text
import Tokens

@Suite struct StatementTests {
    private let record: SigningKeyRecord
    private let service: ES256TokenService

    init() throws {
        record = try Fixture.record(.statement)
        service = Fixture.service([record])
    }

    private func proven(for audience: String = "https://partner.example") throws -> PossessionStatement {
        PossessionStatement(
            audience: audience, clientID: try #require(ClientID("shop")),
            session: CorrelationID(high: 0x0198_F0C2_0000_7000, low: 0x8000_0000_0000_0001),
            number: try #require(PhoneNumber(e164: "+12025550123")), method: .mobileAuth,
            provenAt: Fixture.now.adding(.seconds(-3)))
    }

    private func statement(for audience: String = "https://partner.example") throws -> String {
        try service.issueStatement(try proven(for: audience), jti: Fixture.jti, at: Fixture.now)
    }

    private func part(_ index: Int, of token: String) throws -> JSONObject {
        let parts = token.split(separator: ".").map(String.init)
        return try JSONObject.parse(try #require(Base64URL.decode(parts[index])))
    }

    @Test func `has the claims that it promises and no others, and no subject`() throws {
        let statement = try statement()
        #expect(try part(0, of: statement) == ["alg": "ES256", "typ": "possession+jwt", "kid": .string(record.kid)])
        let now = Fixture.now.seconds
        #expect(
            try part(1, of: statement) == [
                "iss": .string(Fixture.publicURL), "aud": "https://partner.example",
                "jti": .string(Base64URL.encode(Fixture.jti)), "client_id": "shop",
                "txn": "0198f0c2-0000-7000-8000-000000000001", "phone_number": "+12025550123",
                "phone_number_verified": true, "method": "mobile_auth", "auth_time": .integer(now - 3),
                "iat": .integer(now), "nbf": .integer(now), "exp": .integer(now + 900),
            ])
    }

    @Test func `has the times of its proof whenever a retry makes it, and is none once it would be over`() throws {
        let proven = try proven()
        let seconds = proven.provenAt.seconds
        for age in [0, 3, 899] {
            let made = try service.statementOfProof(
                proven, jti: Fixture.jti, at: proven.provenAt.adding(.seconds(age)))
            let claims = try part(1, of: try #require(made))
            #expect(claims["auth_time"] == .integer(seconds) && claims["iat"] == .integer(seconds))
            #expect(claims["nbf"] == .integer(seconds) && claims["exp"] == .integer(seconds + 900))
        }
        let over = try service.statementOfProof(proven, jti: Fixture.jti, at: proven.provenAt.adding(.seconds(900)))
        #expect(over == nil)
    }

    @Test func `is valid at once by the machine's clock where the server's time is ahead of it`() throws {
        let ahead = ES256TokenService(
            publicURL: Fixture.publicURL, ring: SigningKeyRing([record]), lead: { .seconds(79) })
        let machine = Fixture.now.seconds - 79
        for made in [
            try ahead.issueStatement(try proven(), jti: Fixture.jti, at: Fixture.now),
            try #require(try ahead.statementOfProof(try proven(), jti: Fixture.jti, at: Fixture.now)),
        ] {
            let claims = try part(1, of: made)
            for name in ["iat", "nbf", "auth_time"] { #expect(claims[name] == .integer(machine), "\(name)") }
            #expect(claims["exp"] == .integer(machine + 900))
        }
    }

    @Test func `is signed by the key that the key set names`() throws {
        let parts = try statement().split(separator: ".")
        let keys = try JSONObject.parse(service.publicKeySet(at: Fixture.now))["keys"]?.array ?? []
        #expect(keys.map { $0.object?["kid"]?.string } == [record.kid])
        let signature = try #require(Base64URL.decode(String(parts[2])))
        #expect(try #require(record.verifyingKey).verifies(signature, of: Array("\(parts[0]).\(parts[1])".utf8)))
    }

    @Test func `keeps an audience that needs escaping as it is`() throws {
        let audience = "a\"b\\ \u{e9}"
        #expect(try part(1, of: try statement(for: audience))["aud"] == .string(audience))
    }

    @Test func `is no token of another kind, whatever its audience`() throws {
        let records = try SigningKeyRecord.Purpose.ofTokens.map { try Fixture.record($0) }
        let service = Fixture.service(records + [record])
        for audience in ["/v3", "/client/v1"].map({ Fixture.publicURL + $0 }) {
            let statement = try statement(for: audience)
            #expect(service.verifyAccessToken(statement, at: Fixture.now) == nil)
            #expect(service.verifyAuthToken(statement, at: Fixture.now) == nil)
            #expect(service.verifyClientAssertion(statement, audience: audience, at: Fixture.now) == nil)
        }
    }
}
