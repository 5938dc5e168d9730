import Engine
import Possession
import StrictJSON
import Testing
import Text
import Tokens

@Suite struct ES256TokenServiceTests {
    private let auth: SigningKeyRecord
    private let access: SigningKeyRecord
    private let service: ES256TokenService

    init() throws {
        auth = try Fixture.record(.auth)
        access = try Fixture.record(.access)
        service = Fixture.service([auth, access])
    }

    private func authToken(at now: Timestamp = Fixture.now) throws -> String {
        try service.issueAuthToken(for: Fixture.authID, nonce: Fixture.nonce, jti: Fixture.jti, at: now)
    }

    private func accessToken(_ client: String = "sandbox-client", at now: Timestamp = Fixture.now) throws -> String {
        try service.issueAccessToken(for: try Fixture.clientID(client), jti: Fixture.jti, at: now)
    }

    private func part(_ index: Int, of token: String) throws -> JSONObject {
        let parts = token.split(separator: ".").map(String.init)
        return try JSONObject.parse(try #require(Base64URL.decode(parts[index])))
    }

    // MARK: Issuing

    @Test func `issues an auth token with the claims of the contract and no others`() throws {
        let token = try authToken()
        #expect(try part(0, of: token) == ["alg": "ES256", "typ": "client-auth+jwt", "kid": .string(auth.kid)])
        let now = Fixture.now.seconds
        #expect(
            try part(1, of: token) == [
                "iss": "https://device.example", "aud": "https://device.example/client/v1",
                "sub": .string(Fixture.authID.text),
                "jti": .string(Base64URL.encode(Fixture.jti)), "nonce": .string(Base64URL.encode(Fixture.nonce)),
                "iat": .integer(now), "nbf": .integer(now), "exp": .integer(now + 900),
            ])
    }

    @Test func `tokens of a server that is ahead of the machine's clock are valid elsewhere at once, and here as long`()
        throws
    {
        let ahead = ES256TokenService(
            publicURL: Fixture.publicURL, ring: SigningKeyRing([auth, access]), lead: { .seconds(79) })
        let now = Fixture.now
        let tokens = [
            try ahead.issueAuthToken(for: Fixture.authID, nonce: Fixture.nonce, jti: Fixture.jti, at: now),
            try ahead.issueAccessToken(for: try Fixture.clientID("shop"), jti: Fixture.jti, at: now),
        ]
        for token in tokens {
            let claims = try part(1, of: token)
            #expect(claims["iat"] == .integer(now.seconds - 79) && claims["nbf"] == .integer(now.seconds - 79))
        }
        #expect(ahead.verifyAuthToken(tokens[0], at: now.adding(.seconds(899))) != nil)
        #expect(ahead.verifyAuthToken(tokens[0], at: now.adding(.seconds(931))) == nil)
        #expect(ahead.verifyAccessToken(tokens[1], at: now.adding(.seconds(3599))) != nil)
    }

    @Test func `issues an access token in the form of RFC 9068`() throws {
        let token = try accessToken()
        #expect(try part(0, of: token) == ["alg": "ES256", "typ": "at+jwt", "kid": .string(access.kid)])
        let now = Fixture.now.seconds
        #expect(
            try part(1, of: token) == [
                "iss": "https://device.example", "aud": "https://device.example/v3", "sub": "sandbox-client",
                "jti": .string(Base64URL.encode(Fixture.jti)), "client_id": "sandbox-client", "iat": .integer(now),
                "nbf": .integer(now), "exp": .integer(now + 3600),
            ])
    }

    @Test func `knows without a signature whose access token it is, once it was checked`() throws {
        let token = try accessToken()
        #expect(service.rememberedClient(of: token) == nil)
        let claims = try #require(service.verifyAccessToken(token, at: Fixture.now))
        #expect(service.rememberedClient(of: token) == claims.clientID)
        #expect(service.rememberedClient(of: token + "A") == nil)
        #expect(service.rememberedClient(of: String(repeating: "A", count: 1 << 16)) == nil)
    }

    @Test func `reads back what it issued`() throws {
        #expect(
            service.verifyAuthToken(try authToken(), at: Fixture.now)
                == AuthTokenClaims(
                    authID: Fixture.authID, nonce: Base64URL.encode(Fixture.nonce),
                    expiresAt: Fixture.now.adding(.seconds(900))))
        #expect(
            service.verifyAccessToken(try accessToken(), at: Fixture.now)
                == AccessTokenClaims(clientID: try Fixture.clientID(), expiresAt: Fixture.now.adding(.seconds(3600))))
    }

    @Test func `throws when there is no key, and gives no token`() throws {
        let service = Fixture.service([])
        #expect(throws: TokenFault.self) {
            try service.issueAuthToken(for: Fixture.authID, nonce: Fixture.nonce, jti: Fixture.jti, at: Fixture.now)
        }
        #expect(throws: TokenFault.self) {
            try service.issueAccessToken(for: try Fixture.clientID(), jti: Fixture.jti, at: Fixture.now)
        }
    }

    // MARK: Time

    @Test(arguments: [(0, true), (899, true), (929, true), (930, false), (931, false), (-30, true), (-31, false)])
    func `takes an auth token for 900 seconds and 30 of leeway`(age: Int, accepted: Bool) throws {
        let now = Fixture.now.adding(.seconds(age))
        #expect((service.verifyAuthToken(try authToken(), at: now) != nil) == accepted)
    }

    @Test(arguments: [(0, true), (3599, true), (3629, true), (3630, false), (3631, false), (-30, true), (-31, false)])
    func `takes an access token for 3600 seconds and 30 of leeway`(age: Int, accepted: Bool) throws {
        let now = Fixture.now.adding(.seconds(age))
        #expect((service.verifyAccessToken(try accessToken(), at: now) != nil) == accepted)
    }

    @Test(arguments: [(899, true), (929, true), (930, false), (931, false)])
    func `ends a remembered auth token at the same second`(age: Int, accepted: Bool) throws {
        let token = try authToken()
        #expect(service.verifyAuthToken(token, at: Fixture.now) != nil)
        #expect((service.verifyAuthToken(token, at: Fixture.now.adding(.seconds(age))) != nil) == accepted)
    }

    @Test(arguments: [(3599, true), (3629, true), (3630, false), (3631, false)])
    func `ends a remembered access token at the same second`(age: Int, accepted: Bool) throws {
        let token = try accessToken()
        #expect(service.verifyAccessToken(token, at: Fixture.now) != nil)
        #expect((service.verifyAccessToken(token, at: Fixture.now.adding(.seconds(age))) != nil) == accepted)
    }

    // MARK: Refusing

    @Test func `accepts what the forge makes unspoiled`() throws {
        #expect(service.verifyAccessToken(try Forge(access).token(), at: Fixture.now) != nil)
        #expect(service.verifyAuthToken(try Forge(auth).token(), at: Fixture.now) != nil)
    }

    @Test(arguments: Spoiled.both)
    func `refuses a spoiled token of either kind`(spoiled: Spoiled) throws {
        let access = try spoiled.make(Forge(access))
        #expect(service.verifyAccessToken(access, at: Fixture.now) == nil)
        #expect(service.verifyAuthToken(access, at: Fixture.now) == nil)
        let auth = try spoiled.make(Forge(auth))
        #expect(service.verifyAuthToken(auth, at: Fixture.now) == nil)
        #expect(service.verifyAccessToken(auth, at: Fixture.now) == nil)
        #expect(service.rememberedCount == 0)
    }

    @Test(arguments: [nil, "", 1, ["n"], .null, .string(String(repeating: "n", count: 129))] as [JSONValue?])
    func `refuses an auth token without a usable nonce`(nonce: JSONValue?) throws {
        #expect(service.verifyAuthToken(try Spoiled.claim("nonce", nonce).make(Forge(auth)), at: Fixture.now) == nil)
    }

    @Test(arguments: [nil, "", 1, "another", .null] as [JSONValue?])
    func `refuses an access token whose client_id is not its subject`(client: JSONValue?) throws {
        #expect(
            service.verifyAccessToken(try Spoiled.claim("client_id", client).make(Forge(access)), at: Fixture.now)
                == nil)
    }

    @Test(arguments: [
        "sandbox-client", "0198-x", "01980000-0000-7000-8000-00000000000G",
    ])
    func `refuses an auth token for something that is no auth ID`(subject: String) throws {
        #expect(
            service.verifyAuthToken(try Spoiled.claim("sub", .string(subject)).make(Forge(auth)), at: Fixture.now)
                == nil)
    }

    @Test func `never takes one kind for the other, whatever header and claims say`() throws {
        #expect(service.verifyAccessToken(try authToken(), at: Fixture.now) == nil)
        #expect(service.verifyAuthToken(try accessToken(), at: Fixture.now) == nil)
        var forge = Forge(access)
        forge.key = try #require(auth.key)
        #expect(service.verifyAccessToken(try forge.token(), at: Fixture.now) == nil)
        forge.header["kid"] = .string(auth.kid)
        #expect(service.verifyAccessToken(try forge.token(), at: Fixture.now) == nil)
        forge = Forge(auth)
        forge.key = try #require(access.key)
        forge.header["kid"] = .string(access.kid)
        #expect(service.verifyAuthToken(try forge.token(), at: Fixture.now) == nil)
    }

    @Test func `refuses a token with any single character changed`() throws {
        let token = Array(try accessToken().utf8)
        for index in token.indices {
            var changed = token
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(service.verifyAccessToken(String(decoding: changed, as: UTF8.self), at: Fixture.now) == nil)
        }
    }

    @Test func `takes a token of 8192 bytes, not one more`() throws {
        // The claims are padded with blanks, which JSON allows, to the wanted length of the token.
        func token(ofLength length: Int) throws -> String {
            let forge = Forge(access)
            let header = Base64URL.encode(forge.header.serialized())
            let claimsLength = (length - header.utf8.count - 88) * 3 / 4
            let text = forge.claimsText + String(repeating: " ", count: claimsLength - forge.claimsText.utf8.count)
            return try forge.token(header: forge.headerText, claims: text)
        }
        let lengths = try (8185...8200).map { try token(ofLength: $0) }
        #expect(lengths.contains { $0.utf8.count == 8192 } || lengths.contains { $0.utf8.count == 8191 })
        for token in lengths {
            #expect((service.verifyAccessToken(token, at: Fixture.now) != nil) == (token.utf8.count <= 8192))
        }
    }

    // MARK: Remembering

    @Test func `remembers at most the tokens its limit allows, and still takes the others`() throws {
        var limits = TokenLimits()
        limits.rememberedTokens = 8
        let service = Fixture.service([access], limits: limits)
        let tokens = try (0..<40).map { try accessToken("client-\($0)") }
        for token in tokens {
            #expect(service.verifyAccessToken(token, at: Fixture.now) != nil)
            #expect(service.rememberedCount <= 8)
        }
        for (index, token) in tokens.enumerated() {
            #expect(service.verifyAccessToken(token, at: Fixture.now)?.clientID.text == "client-\(index)")
        }
    }

    @Test func `takes an auth token that another process of the same keys signed`() throws {
        let token = try Fixture.service([access, auth]).issueAuthToken(
            for: Fixture.authID, nonce: Fixture.nonce, jti: Fixture.jti, at: Fixture.now)
        let claims = try #require(service.verifyAuthToken(token, at: Fixture.now))
        #expect(claims == Fixture.service([access, auth]).verifyAuthToken(token, at: Fixture.now))
        // It remembers what a check would find.
        let own = try authToken()
        #expect(service.verifyAuthToken(own, at: Fixture.now) == claims)
    }

    @Test func `refuses an auth token of its own with any single character changed`() throws {
        let token = Array(try authToken().utf8)
        for index in token.indices {
            var changed = token
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(service.verifyAuthToken(String(decoding: changed, as: UTF8.self), at: Fixture.now) == nil)
        }
        #expect(service.verifyAuthToken(String(decoding: token, as: UTF8.self), at: Fixture.now) != nil)
    }

    @Test func `forgets the tokens of those who never come, not the tokens in use`() throws {
        var limits = TokenLimits()
        limits.rememberedIssuedTokens = 8
        let service = Fixture.service([access, auth], limits: limits)
        func issue(_ jti: UInt8) throws -> String {
            try service.issueAuthToken(
                for: Fixture.authID, nonce: Fixture.nonce, jti: [UInt8](repeating: jti, count: 16), at: Fixture.now)
        }
        let used = try issue(0)
        #expect(service.verifyAuthToken(used, at: Fixture.now) != nil)
        #expect(service.rememberedCount == 1)
        let tokens = try (1...40).map { try issue($0) }
        #expect((2...9).contains(service.rememberedCount))
        for token in tokens + [used] { #expect(service.verifyAuthToken(token, at: Fixture.now) != nil) }
        let late = Fixture.now.adding(.seconds(931))
        for token in tokens + [used] { #expect(service.verifyAuthToken(token, at: late) == nil) }
    }

    @Test func `forgets tokens that have not come when the ring is replaced`() throws {
        let token = try authToken()
        #expect(service.rememberedCount == 1)
        service.replaceRing(SigningKeyRing([try Fixture.record(.auth), try Fixture.record(.access)]))
        #expect(service.rememberedCount == 0)
        #expect(service.verifyAuthToken(token, at: Fixture.now) == nil)
    }

    @Test func `forgets remembered tokens when the ring is replaced`() throws {
        let (access, auth) = (try accessToken(), try authToken())
        for _ in 0..<2 {
            #expect(service.verifyAccessToken(access, at: Fixture.now) != nil)
            #expect(service.verifyAuthToken(auth, at: Fixture.now) != nil)
        }
        #expect(service.rememberedCount == 2)
        service.replaceRing(SigningKeyRing([try Fixture.record(.auth), try Fixture.record(.access)]))
        #expect(service.verifyAccessToken(access, at: Fixture.now) == nil)
        #expect(service.verifyAuthToken(auth, at: Fixture.now) == nil)
    }

    @Test func `keeps remembered tokens of the two kinds apart`() throws {
        let (access, auth) = (try accessToken(), try authToken())
        #expect(service.verifyAccessToken(access, at: Fixture.now) != nil)
        #expect(service.verifyAuthToken(auth, at: Fixture.now) != nil)
        #expect(service.verifyAuthToken(access, at: Fixture.now) == nil)
        #expect(service.verifyAccessToken(auth, at: Fixture.now) == nil)
    }

    @Test func `takes no look-alike for a name of its own`() throws {
        // The Kelvin sign equals K for strings, but not on the wire.
        let service = ES256TokenService(publicURL: "https://K.example", ring: SigningKeyRing([access]))
        var forge = Forge(access)
        forge.claims["iss"] = "https://K.example"
        forge.claims["aud"] = "https://K.example/v3"
        #expect(service.verifyAccessToken(try forge.token(), at: Fixture.now) != nil)
        forge.claims["iss"] = "https://\u{212A}.example"
        #expect(service.verifyAccessToken(try forge.token(), at: Fixture.now) == nil)
    }

    @Test func `serves many threads at once while keys rotate`() async throws {
        let client = try Fixture.clientID()
        let first = SigningKeyRing([auth, access])
        let second = try first.adding(first.successor(for: .access, at: Fixture.now))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { [service] in
                    for _ in 0..<50 {
                        let token = try? service.issueAccessToken(for: client, jti: Fixture.jti, at: Fixture.now)
                        #expect(token.flatMap { service.verifyAccessToken($0, at: Fixture.now) } != nil)
                    }
                }
            }
            group.addTask { [service] in
                for index in 0..<50 { service.replaceRing(index.isMultiple(of: 2) ? second : first) }
            }
        }
    }
}
