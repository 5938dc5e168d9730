import Engine
import Possession
import StrictJSON
import Testing
import Text
@testable import Tokens

/// ID tokens by RS256, and that nothing takes them for a token of this server's own.
@Suite struct IDTokenTests {
    private let start = Fixture.now

    private func at(_ seconds: Int) -> Timestamp { start.adding(.seconds(seconds)) }

    private func first() throws -> SigningKeyRecord { try SigningKeyRing([]).successor(for: .idToken, at: start) }

    private func service(_ ring: SigningKeyRing, lead: Duration = .zero) -> ES256TokenService {
        ES256TokenService(publicURL: Fixture.publicURL, ring: ring, lead: { lead })
    }

    private func token(provenAt: Timestamp = Fixture.now) throws -> IDToken {
        IDToken(
            issuer: "https://device.example/shop", audience: try Fixture.clientID(), subject: "MO-1",
            provenAt: provenAt,
            claims: [("phone_number", .text("12001004014")), ("phone_number_verified", .flag(true))])
    }

    private func parts(_ text: String) throws -> (
        header: JSONObject, claims: JSONObject, signed: [UInt8], signature: [UInt8]
    ) {
        let parts = text.split(separator: ".").map(String.init)
        func object(_ index: Int) throws -> JSONObject {
            try JSONObject.parse(try #require(Base64URL.decode(parts[index])))
        }
        return (
            try object(0), try object(1), Array("\(parts[0]).\(parts[1])".utf8),
            try #require(Base64URL.decode(parts[2]))
        )
    }

    private func kids(_ set: [UInt8]?) throws -> [String] {
        try JSONObject.parse(try #require(set))["keys"]?.array?.compactMap { $0.object?["kid"]?.string } ?? []
    }

    @Test func `has the claims of the token, and times of its own`() throws {
        let key = try first()
        let text = try #require(try service(SigningKeyRing([key])).signIDToken(token(), at: at(10)))
        let parts = try parts(text)
        #expect(parts.header == ["alg": "RS256", "typ": "JWT", "kid": .string(key.kid)])
        #expect(
            parts.claims == [
                "iss": "https://device.example/shop", "aud": "sandbox-client", "sub": "MO-1",
                "iat": .integer(start.seconds + 10), "exp": .integer(start.seconds + 310),
                "auth_time": .string(String(start.seconds)), "phone_number": "12001004014",
                "phone_number_verified": true,
            ])
        #expect(try #require(key.rsaPublicKey).verifies(parts.signature, of: parts.signed))
        #expect(parts.signature.count == 384)
    }

    @Test func `is of the machine's time, and never proven later than made`() throws {
        let service = service(SigningKeyRing([try first()]), lead: .seconds(100))
        let claims = try parts(try #require(try service.signIDToken(token(provenAt: at(200)), at: at(200)))).claims
        #expect(claims["iat"] == .integer(start.seconds + 100) && claims["exp"] == .integer(start.seconds + 400))
        #expect(claims["auth_time"] == .string(String(start.seconds + 100)))
    }

    @Test func `is not made without a key of its own`() throws {
        let service = Fixture.service(try StoredSigningKey.Purpose.ofTokens.map { try Fixture.record($0) })
        #expect(try service.signIDToken(token(), at: start) == nil && service.idTokenKeySet(at: start) == nil)
        let webhook = try SigningKeyRing([]).successor(for: .webhook, at: start)
        let other = self.service(SigningKeyRing([webhook]))
        #expect(try other.signIDToken(token(), at: start) == nil && other.idTokenKeySet(at: start) == nil)
    }

    /// Some libraries take the first key of the set, whatever the token's `kid` is.
    @Test func `is signed by the first key of the set at every second of a rotation`() throws {
        let old = try first()
        let new = try SigningKeyRing([old]).successor(for: .idToken, at: at(1000))
        let service = service(SigningKeyRing([old, new]))
        #expect(new.activatesAt == at(1300))
        for second in [-1, 0, 999, 1000, 1299, 1300, 1301, 1929, 1930, 100_000] {
            let text = try #require(try service.signIDToken(token(), at: at(second)))
            let kids = try kids(service.idTokenKeySet(at: at(second)))
            #expect(try parts(text).header["kid"]?.string == kids.first, "second \(second)")
            #expect(kids.first == (second < 1300 ? old.kid : new.kid))
            // The last token of the old key: 1299 + 300 + 30.
            #expect(kids.count == (second < 1630 ? 2 : 1))
        }
    }

    @Test func `leaves the set with its private half, and the set has public members only`() throws {
        let old = try first()
        let new = try SigningKeyRing([old]).successor(for: .idToken, at: at(1000))
        let ring = SigningKeyRing([old, new])
        #expect(ring.outlived(at: at(1300)).privateHalves.map(\.kid) == [old.kid])
        let halved = ring.retired(at: at(1300))
        #expect(try kids(halved.idTokenKeySet(at: at(1300))) == [new.kid, old.kid])
        let set = try JSONObject.parse(try #require(halved.idTokenKeySet(at: at(1300))))
        #expect(set.names == ["keys"])
        for key in (set["keys"]?.array ?? []).compactMap(\.object) {
            #expect(Set(key.names) == ["kty", "n", "e", "use", "alg", "kid"])
            #expect(key["kty"] == "RSA" && key["alg"] == "RS256" && key["use"] == "sig" && key["e"] == "AQAB")
            #expect(key["n"]?.string?.utf8.count == 512)
        }
        #expect(try kids(ring.retired(at: at(1630)).idTokenKeySet(at: at(1630))) == [new.kid])
    }

    // MARK: Never one kind for the other

    @Test func `no key of one kind stands in the set of the other`() throws {
        let id = try first()
        let ring = SigningKeyRing([id] + (try StoredSigningKey.Purpose.ofTokens.map { try Fixture.record($0) }))
        let platform = try kids(ring.publicKeySet(at: start))
        #expect(platform.count == StoredSigningKey.Purpose.ofTokens.count && !platform.contains(id.kid))
        #expect(!String(decoding: ring.publicKeySet(at: start), as: UTF8.self).contains("\"RSA\""))
        #expect(try kids(ring.idTokenKeySet(at: start)) == [id.kid])
    }

    @Test func `nothing that takes ES256 takes an ID token`() throws {
        let id = try first()
        let records = try StoredSigningKey.Purpose.ofTokens.map { try Fixture.record($0) }
        let service = service(SigningKeyRing([id] + records))
        let text = try #require(try service.signIDToken(token(), at: start))
        expectRefused(text, by: service)
    }

    /// Each verifier's own claims and type, with this key's name or signature.
    @Test(arguments: [SigningKeyRecord.Purpose.auth, .access])
    func `neither the name nor the signature of its key helps a forged token`(purpose: SigningKeyRecord.Purpose) throws
    {
        let id = try first()
        let record = try Fixture.record(purpose)
        let service = service(SigningKeyRing([id, record]))
        var forge = Forge(record)
        expectTaken(try forge.token(), purpose, by: service)
        for (algorithm, kid) in [("RS256", id.kid), ("ES256", id.kid), ("RS256", record.kid)] {
            forge.header["alg"] = .string(algorithm)
            forge.header["kid"] = .string(kid)
            let input = Base64URL.encode(forge.header.serialized()) + "." + Base64URL.encode(forge.claims.serialized())
            let signature = try #require(id.rsaKey).sign(Array(input.utf8))
            for forged in [input + "." + Base64URL.encode(signature), try forge.token()] {
                expectRefused(forged, by: service)
            }
        }
    }

    private func expectTaken(_ text: String, _ purpose: SigningKeyRecord.Purpose, by service: ES256TokenService) {
        if purpose == .auth {
            #expect(service.verifyAuthToken(text, at: start) != nil)
        } else {
            #expect(service.verifyAccessToken(text, at: start) != nil)
        }
    }

    private func expectRefused(_ text: String, by service: ES256TokenService) {
        #expect(service.verifyAuthToken(text, at: start) == nil && service.verifyAccessToken(text, at: start) == nil)
        #expect(service.expiredAuthToken(text, at: at(100_000)) == nil)
        #expect(service.verifyScopedToken(text, audience: Fixture.publicURL + "/v3", at: start) == nil)
    }

    @Test func `an ES256 token is none that a key of ID tokens has signed`() throws {
        let id = try first()
        let service = service(SigningKeyRing([id, try Fixture.record(.access)]))
        let parts = try parts(try service.issueAccessToken(for: try Fixture.clientID(), jti: Fixture.jti, at: start))
        #expect(try !#require(id.rsaPublicKey).verifies(parts.signature, of: parts.signed))
        #expect(parts.header["alg"] == "ES256")
    }

    @Test func `a key takes signatures of its own padding only`() throws {
        let pkcs1 = try RSAKey.generate(.pkcs1)
        let der = try pkcs1.privateDER().withBytes { Array($0) }
        let pss = try RSAKey(privateDER: der)
        #expect(pkcs1.publicKey.der == pss.publicKey.der)
        let signatures = (pkcs1: try pkcs1.sign([1]), pss: try pss.sign([1]))
        #expect(pkcs1.publicKey.verifies(signatures.pkcs1, of: [1]) && pss.publicKey.verifies(signatures.pss, of: [1]))
        #expect(!pkcs1.publicKey.verifies(signatures.pss, of: [1]))
        #expect(!pss.publicKey.verifies(signatures.pkcs1, of: [1]))
        // Without chance in it: the same each time.
        #expect(try pkcs1.sign([1]) == signatures.pkcs1)
    }
}
