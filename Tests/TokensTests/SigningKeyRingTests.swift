import Engine
import Possession
import StrictJSON
import Testing
import Text
import Tokens

@Suite struct SigningKeyRingTests {
    private let start = Fixture.now

    private func at(_ seconds: Int) -> Timestamp { start.adding(.seconds(seconds)) }

    @Test func `lets the first key of a purpose sign at once and publishes the next 300 seconds ahead`() throws {
        let first = try SigningKeyRing([]).successor(for: .auth, at: start)
        #expect(first.activatesAt == start)
        let ring = SigningKeyRing([first])
        let second = try ring.successor(for: .auth, at: at(1000))
        #expect(second.activatesAt == at(1300))
        #expect(try ring.successor(for: .access, at: at(1000)).activatesAt == at(1000))
    }

    @Test func `hands over without a gap`() throws {
        let old = try Fixture.record(.access, createdAt: start, activatesAt: start)
        let new = try Fixture.record(.access, createdAt: at(1000), activatesAt: at(1300))
        let ring = SigningKeyRing([new, old])
        #expect(ring.signer(for: .access, at: at(1299))?.kid == old.kid)
        #expect(ring.signer(for: .access, at: at(1300))?.kid == new.kid)
        #expect(ring.signer(for: .auth, at: at(1300)) == nil)

        // The last token of the old key: 1299 + 3600 + 30.
        let end = 1300 + 3600 + 30
        #expect(ring.verifier(kid: old.kid, for: .access, at: at(end - 1)) != nil)
        #expect(ring.verifier(kid: old.kid, for: .access, at: at(end)) == nil)
        #expect(ring.verifier(kid: old.kid, for: .auth, at: at(0)) == nil)
        #expect(ring.verifier(kid: new.kid, for: .access, at: at(1_000_000)) != nil)
        #expect(ring.published(at: at(1000)).map(\.kid) == [old.kid, new.kid])
        #expect(ring.published(at: at(end - 1)).count == 2)
        #expect(ring.published(at: at(end)).map(\.kid) == [new.kid])
    }

    @Test func `the key that was first signs when the clock was set back before all of them`() throws {
        let old = try Fixture.record(.access, createdAt: start, activatesAt: start)
        let new = try Fixture.record(.access, createdAt: at(1000), activatesAt: at(1300))
        let auth = try Fixture.record(.auth, createdAt: start, activatesAt: start)
        let ring = SigningKeyRing([new, old, auth])
        #expect(ring.signer(for: .access, at: at(-3600))?.kid == old.kid)
        let service = ES256TokenService(publicURL: Fixture.publicURL, ring: ring)
        let token = try service.issueAccessToken(for: try Fixture.clientID(), jti: Fixture.jti, at: at(-3600))
        #expect(service.verifyAccessToken(token, at: at(-3600)) != nil)
        #expect(service.signs(at: at(-3600)))
        #expect(!ES256TokenService(publicURL: Fixture.publicURL, ring: SigningKeyRing([old])).signs(at: start))
    }

    @Test func `a key that is added twice is one key, and does not end itself`() throws {
        let key = try SigningKeyRing([]).successor(for: .idToken, at: start)
        let ring = SigningKeyRing([key]).adding(key)
        #expect(ring.keys.count == 1)
        #expect(ring.retirement(of: key) == nil)
        #expect(ring.published(at: at(1_000_000)).count == 1)
    }

    @Test func `keeps every token good over ten rotations`() throws {
        var ring = SigningKeyRing([])
        for purpose in SigningKeyRecord.Purpose.ofTokens {
            ring = ring.adding(try ring.successor(for: purpose, at: start))
        }
        let service = ES256TokenService(publicURL: Fixture.publicURL, ring: ring)
        let client = try Fixture.clientID()
        var alive: [(token: String, expiresAt: Timestamp)] = []
        for second in stride(from: 0, to: 7200, by: 90) {
            if second.isMultiple(of: 720) {
                ring = ring.adding(try ring.successor(for: .access, at: at(second)))
                service.replaceRing(ring)
            }
            alive.append(
                (try service.issueAccessToken(for: client, jti: Fixture.jti, at: at(second)), at(second + 3600)))
            alive.removeAll { $0.expiresAt <= at(second) }
            for entry in alive where service.verifyAccessToken(entry.token, at: at(second)) == nil {
                Issue.record("refused at second \(second)")
            }
        }
        #expect(ring.keys.count == SigningKeyRecord.Purpose.ofTokens.count + 10)
    }

    @Test func `publishes public members only`() throws {
        let record = try Fixture.record(.auth)
        let service = Fixture.service([record, try Fixture.record(.access), try Fixture.record(.assertion)])
        let set = try JSONObject.parse(service.publicKeySet(at: start))
        #expect(set.names == ["keys"])
        let keys = (set["keys"]?.array ?? []).compactMap(\.object)
        #expect(keys.count == 3)
        for key in keys {
            #expect(Set(key.names) == ["kty", "crv", "x", "y", "use", "alg", "kid"])
            #expect(key["kty"] == "EC" && key["crv"] == "P-256" && key["use"] == "sig" && key["alg"] == "ES256")
        }
        let own = try #require(keys.first { $0["kid"] == .string(record.kid) })
        let key = try #require(record.verifyingKey).publicKey
        #expect(own["x"] == .string(Base64URL.encode(key.x)) && own["y"] == .string(Base64URL.encode(key.y)))
        #expect(record.kid == Base64URL.encode(key.thumbprint.bytes))
    }

    /// A receiver that takes ES256 tokens must find no key there that could be confused with theirs.
    @Test func `publishes no key of webhooks among those of tokens`() throws {
        let webhook = try SigningKeyRing([]).successor(for: .webhook, at: start)
        let token = try Fixture.record(.access)
        let set = try JSONObject.parse(SigningKeyRing([webhook, token]).publicKeySet(at: start))
        #expect(set["keys"]?.array?.count == 1)
        #expect(set["keys"]?.array?.first?.object?["kid"] == .string(token.kid))
        #expect(webhook.key == nil && webhook.verifyingKey == nil && webhook.canSign)
    }

    @Test func `a new key of webhooks is told for a week before it signs`() throws {
        let ring = try SigningKeyRing([]).adding(SigningKeyRing([]).successor(for: .webhook, at: start))
        let old = try #require(ring.signer(for: .webhook, at: start))
        let new = try ring.successor(for: .webhook, at: start)
        let week = 7 * 24 * 3600
        #expect(new.activatesAt == at(week))
        let service = ES256TokenService(publicURL: Fixture.publicURL, ring: ring.adding(new))
        let (first, second) = (try #require(old.rsaPublicKey).pem, try #require(new.rsaPublicKey).pem)
        #expect(service.webhookPublicKey(at: at(week - 1)) == first)
        #expect(service.nextWebhookPublicKey(at: at(week - 1)) == second)
        #expect(service.webhookPublicKey(at: at(week)) == second && service.nextWebhookPublicKey(at: at(week)) == nil)
        // A clock that was set back before both.
        #expect(service.webhookPublicKey(at: at(-1)) == first && service.nextWebhookPublicKey(at: at(-1)) == second)
    }

    @Test func `a webhook is signed by the key of its time, which tokens have nothing of`() throws {
        let ring = try SigningKeyRing([]).adding(SigningKeyRing([]).successor(for: .webhook, at: start))
        let service = ES256TokenService(publicURL: Fixture.publicURL, ring: ring)
        let key = try #require(ring.signer(for: .webhook, at: start)?.rsaPublicKey)
        let signature = try #require(Base64URL.decode(try service.signWebhook([1, 2], at: start)))
        #expect(key.verifies(signature, of: [1, 2]))
        #expect(throws: TokenFault.self) {
            try service.issueAccessToken(for: try Fixture.clientID(), jti: Fixture.jti, at: start)
        }
        let tokens = Fixture.service([try Fixture.record(.access)])
        #expect(throws: TokenFault.self) { try tokens.signWebhook([1], at: start) }
        #expect(tokens.webhookPublicKey(at: start) == nil && tokens.nextWebhookPublicKey(at: start) == nil)
    }
}
