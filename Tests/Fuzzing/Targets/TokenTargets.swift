internal import Engine
internal import Possession
internal import StrictJSON
internal import Text
@testable import Tokens

extension FuzzTarget {
    /// Auth tokens, access tokens and client assertions. The first byte says how the input becomes a token: as it is, as
    /// header and claims that are signed with the server's key, or as damage to a token that was issued.
    static let jwt = FuzzTarget("jwt") { bytes in
        var choices = Choices(bytes)
        let way = choices.number(below: 5)
        let service = TestKeys.service()
        switch way {
        case 0: accepted(choices.text(), by: service)
        case 1:
            let key = choices.number(below: TestKeys.keys.count)
            let (header, claims) = (choices.part(), choices.part())
            accepted(TestKeys.sign(header, claims, with: key), by: service)
        case 2:
            // With the one header that each kind has.
            let key = choices.number(below: TestKeys.keys.count)
            let header = TestKeys.records[key].encodedHeader
            accepted(TestKeys.sign(encoded: header, choices.part(), with: key), by: service)
        case 3: damaged(&choices, service)
        default:
            let bytes = Array(choices.rest)
            let text = Base64URL.encode(bytes)
            require(Base64URL.decode(text) == bytes, "base64url comes back")
            guard let decoded = Base64URL.decode(String(decoding: bytes, as: UTF8.self)) else { return }
            require(Array(Base64URL.encode(decoded).utf8) == bytes, "one text for the same bytes")
        }
    }

    /// DPoP proofs and device proofs, in the same ways; every signer has a key of its own, so that header is part of the
    /// input.
    static let dpop = FuzzTarget("dpop") { bytes in
        var choices = Choices(bytes)
        switch choices.number(below: 4) {
        case 0: checkProof(choices.text())
        case 1:
            let (header, claims) = (choices.part(), choices.part())
            checkProof(TestKeys.sign(header, claims))
        case 2: checkProof(TestKeys.sign(TestKeys.proofHeader("dpop+jwt"), choices.part()))
        default: checkProof(TestKeys.sign(TestKeys.proofHeader("device-proof+jwt"), choices.part()))
        }
    }

    /// The values of Mobile Auth that travel through the client's hands.
    static let mobileAuth = FuzzTarget("mobile-auth", maxBytes: 1024) { bytes in
        var choices = Choices(bytes)
        let service = TestKeys.mobileAuth
        let way = choices.number(below: 3)
        let place = choices.byte() << 8 | choices.byte()
        let value = UInt8(truncatingIfNeeded: choices.byte())
        guard way > 0, let attempt = AttemptID(Array((choices.rest + [UInt8](repeating: 7, count: 16)).prefix(16)))
        else {
            let text = choices.text()
            if let attempt = service.attempt(inState: text) { require(service.state(of: attempt) == text, "one text") }
            if let found = service.fingerprint(in: text) { require(service.fingerprint(found) == text, "one text") }
            return
        }
        if way == 1 {
            let state = service.state(of: attempt)
            require(service.attempt(inState: state) == attempt, "a state comes back")
            let changed = change(state, place, value)
            require(changed == state || service.attempt(inState: changed) == nil, "a changed state is refused")
            return
        }
        let fingerprint = Fingerprint(
            attempt: attempt, authID: AuthID(high: UInt64(place), low: UInt64(value)),
            sessionKey: Thumbprint(Array(choices.rest.prefix(32))), result: [1] + choices.rest.prefix(64),
            issuedAt: TestKeys.now, expiresAt: TestKeys.now.adding(.seconds(60)))
        let text = service.fingerprint(fingerprint)
        require(service.fingerprint(in: text) == fingerprint, "a fingerprint comes back")
        let changed = change(text, place, value)
        require(changed == text || service.fingerprint(in: changed) == nil, "a changed fingerprint is refused")
    }

    // MARK: Tokens

    /// Rules for every token, whatever becomes of it.
    private static func accepted(_ token: String, by service: ES256TokenService) {
        let now = TestKeys.now
        let auth = service.verifyAuthToken(token, at: now)
        let access = service.verifyAccessToken(token, at: now)
        let assertion = service.verifyClientAssertion(token, audience: TestKeys.audience, at: now)
        let scoped = service.verifyScopedToken(token, audience: TestKeys.audience, at: now)
        require(
            [auth != nil, access != nil, assertion != nil, scoped != nil].count { $0 } <= 1, "a token is of one kind")
        let ofClient = checkedByKeys(token)
        if let id = service.expiredAuthToken(token, at: now) {
            require(auth == nil && id.text.utf8.count == 36, "an expired token is none that holds")
        }
        guard auth != nil || access != nil || assertion != nil || scoped != nil || ofClient else { return }
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { Array($0) }
        require(parts.count == 3, "three parts")
        let signed = parts[0] + [UInt8(ascii: ".")] + parts[1]
        let signature = Base64URL.decode(String(decoding: parts[2], as: UTF8.self)) ?? []
        require(
            TestKeys.keys.contains { $0.verifyingKey.verifies(signature, of: signed) }, "what is taken is signed")
        let later = now.adding(.seconds(2 * 86_400))
        let otherService = TestKeys.service("https://other.example")
        require(otherService.verifyAuthToken(token, at: now) == nil, "for this server")
        require(otherService.verifyAccessToken(token, at: now) == nil, "for this server")
        require(service.verifyClientAssertion(token, audience: "x", at: now) == nil, "for this audience")
        require(service.verifyScopedToken(token, audience: "x", at: now) == nil, "for this audience")
        if assertion != nil {
            require(service.verifyClientAssertion(token, audience: TestKeys.audience, at: later) == nil, "for a while")
        }
        if let auth { require((1...128).contains(auth.nonce.utf8.count), "a nonce of its length") }
    }

    /// As the assertion of an API client that has these keys.
    private static func checkedByKeys(_ token: String) -> Bool {
        let (verifier, now) = (ClientKeyAssertions(), TestKeys.now)
        let keys = TestKeys.keys.map(\.publicKey)
        func verify(_ keys: [PublicKey], _ audience: String, _ now: Timestamp) -> [ClientAssertion] {
            [
                try? verifier.verify(token, by: keys, for: [audience], at: now),
                try? verifier.verifyGrant(token, by: keys, for: [audience], at: now).client,
            ].compactMap { $0 }
        }
        let found = verify(keys, TestKeys.audience, now)
        for assertion in found {
            require(
                verifier.claimedClient(of: token)?.utf8.elementsEqual(assertion.clientID.utf8) == true,
                "the client that it names")
        }
        guard !found.isEmpty else { return false }
        require(verify([], TestKeys.audience, now).isEmpty, "by a key of the client")
        require(verify(keys, "x", now).isEmpty, "for this audience")
        require(verify(keys, TestKeys.audience, now.adding(.seconds(700))).isEmpty, "for a while")
        return true
    }

    /// A token that was issued is taken; with one other byte it is not.
    private static func damaged(_ choices: inout Choices, _ issuer: ES256TokenService) {
        let kind = choices.number(below: 3)
        let place = choices.byte() << 8 | choices.byte()
        let value = UInt8(truncatingIfNeeded: choices.byte())
        let jti = Array(choices.rest.prefix(16)) + [1]
        // Checks what it has not signed itself.
        let service = TestKeys.service()
        let now = TestKeys.now
        do {
            switch kind {
            case 0:
                let id = AuthID(high: UInt64(place), low: UInt64(value))
                let token = try issuer.issueAuthToken(for: id, nonce: jti, jti: jti, at: now)
                require(service.verifyAuthToken(token, at: now)?.authID == id, "an auth token is taken")
                let changed = change(token, place, value)
                require(changed == token || service.verifyAuthToken(changed, at: now) == nil, "a changed one is not")
            case 1:
                guard let client = ClientID("client-\(value)") else { return }
                let token = try issuer.issueAccessToken(for: client, jti: jti, at: now)
                require(service.verifyAccessToken(token, at: now)?.clientID == client, "an access token is taken")
                let changed = change(token, place, value)
                require(changed == token || service.verifyAccessToken(changed, at: now) == nil, "a changed one is not")
            default:
                let token = try issuer.issueClientAssertion(
                    clientID: "holdfast", audience: TestKeys.audience, jti: jti, at: now)
                let verify = { service.verifyClientAssertion($0, audience: TestKeys.audience, at: now) }
                require(verify(token)?.clientID == "holdfast", "an assertion is taken")
                let changed = change(token, place, value)
                require(changed == token || verify(changed) == nil, "a changed one is not")
            }
        } catch { fatalError("does not hold: a key signs") }
    }

    /// The text with one byte replaced; what is no ASCII leaves it as it is.
    private static func change(_ text: String, _ place: Int, _ value: UInt8) -> String {
        guard value < 0x80 else { return text }
        var bytes = Array(text.utf8)
        bytes[place % bytes.count] = value
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Proofs

    private static func checkProof(_ proof: String) {
        let verifier = TestKeys.proofs()
        let expected = TestKeys.expectation()
        if let found = try? verifier.verifyDPoP(proof, expecting: expected) {
            require(found.validUntil > TestKeys.now, "a proof is in time")
            let others = [
                TestKeys.expectation(method: "GET"), TestKeys.expectation(target: "https://other.example/x"),
                TestKeys.expectation(accessToken: "other"), TestKeys.expectation(nonce: "other"),
                TestKeys.expectation(now: TestKeys.now.adding(.seconds(200))),
            ]
            for other in others {
                require((try? verifier.verifyDPoP(proof, expecting: other)) == nil, "for one call only")
            }
            require((try? verifier.verifyDeviceProof(proof, systemNow: TestKeys.now)) == nil, "a proof is of one kind")
            signed(proof)
        }
        if let found = try? verifier.verifyDeviceProof(proof, systemNow: TestKeys.now) {
            require(found.challenge.count == 32, "a challenge of its length")
            let later = TestKeys.now.adding(.seconds(300))
            require((try? verifier.verifyDeviceProof(proof, systemNow: later)) == nil, "for a while")
            signed(proof)
        }
    }

    /// A proof that is taken is signed by the key that it names.
    private static func signed(_ proof: String) {
        let parts = proof.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { Array($0) }
        require(parts.count == 3, "three parts")
        let header = Base64URL.decode(String(decoding: parts[0], as: UTF8.self)).flatMap { try? JSONObject.parse($0) }
        guard let jwk = header?["jwk"], let named = JWK.publicKey(jwk), let key = try? VerifyingKey(named),
            let signature = Base64URL.decode(String(decoding: parts[2], as: UTF8.self))
        else { fatalError("does not hold: a proof names its key") }
        require(key.verifies(signature, of: parts[0] + [UInt8(ascii: ".")] + parts[1]), "what is taken is signed")
    }
}

/// Keys made for these tests and good for nothing else, and times that stand still.
private enum TestKeys {
    static let now = Timestamp(seconds: 1_800_000_000)
    static let publicURL = "https://prove.example"
    static let audience = "https://operator.example/token"

    /// Private keys in DER (SEC 1): fixed, so that a kept token stays signed.
    private static let der = [
        """
        MHcCAQEEIGxTW6tR7-Qu0tJI93OtE31J6CPTxRJbCLGpVeUO8BNKoAoGCCqGSM49AwEHoUQDQgAEsnzcVP6xUou3Z275uvFFLRqO\
        HJJxbRJXaDbQRVnnjBzYaR2YLE6lDsQ7DcGMS_C9uUGiUaxJ9_hdSJnGcV515g
        """,
        """
        MHcCAQEEIADLXwYt_DophLzIoqYDbriHhR6rHNq8iPRCWwsO8D79oAoGCCqGSM49AwEHoUQDQgAEDVZstUCnGr2sGping9cfC3V1\
        7lIqdh6LO7JmZwWaxi8q0Lcyy8V6FepgdPT8lRanA-HwC8coOgYwZRNpd25FFQ
        """,
        """
        MHcCAQEEIJsieSgVH_6E6pwPJRJQNo4jSdBK93rMKy_qw-r03bOSoAoGCCqGSM49AwEHoUQDQgAESBGCQ6JhQT_pgiERFjBbX0C3\
        wR4MTIIZlGpEzVadyQkbl0KdK4NMhn7v7wSHDOp9JQxtwvSUU2W-nQ2qan20lQ
        """,
    ]

    static let keys: [SigningKey] = der.map {
        guard let bytes = Base64URL.decode($0), let key = try? SigningKey(privateDER: bytes) else {
            fatalError("a key of the fuzz targets cannot be read")
        }
        return key
    }

    /// One for each kind of token.
    static let records = zip(keys, [SigningKeyRecord.Purpose.auth, .access, .assertion]).map {
        SigningKeyRecord(key: $0, purpose: $1, createdAt: now, activatesAt: now)
    }

    /// Little is remembered, and nothing from one input to the next.
    private static let limits: TokenLimits = {
        var limits = TokenLimits()
        (limits.rememberedTokens, limits.rememberedIssuedTokens, limits.rememberedKeys) = (2, 2, 2)
        return limits
    }()

    private static let ring = SigningKeyRing(records, limits: limits)

    static func service(_ publicURL: String = publicURL) -> ES256TokenService {
        ES256TokenService(publicURL: publicURL, ring: ring, limits: limits)
    }

    static func proofs() -> DPoPVerifier { DPoPVerifier(deviceAudience: publicURL + "/client/v1", limits: limits) }

    static func expectation(
        method: String = "POST", target: String = publicURL + "/client/v1/session", accessToken: String = "token",
        nonce: String = "bm9uY2U", now: Timestamp = now
    ) -> DPoPExpectation {
        DPoPExpectation(method: method, targets: [target], accessToken: accessToken, nonce: nonce, systemNow: now)
    }

    static func proofHeader(_ type: String) -> [UInt8] {
        let header: JSONObject = ["typ": .string(type), "alg": "ES256", "jwk": .object(keys[0].publicKey.jwk)]
        return header.serialized()
    }

    static func sign(_ header: [UInt8], _ claims: [UInt8], with key: Int = 0) -> String {
        sign(encoded: Array(Base64URL.encode(header).utf8), claims, with: key)
    }

    /// - Parameter header: its part of the token.
    static func sign(encoded header: [UInt8], _ claims: [UInt8], with key: Int) -> String {
        guard let signed = try? JWS.make(header: header, claims: claims, key: keys[key]) else {
            fatalError("does not hold: a key signs")
        }
        return signed.token
    }

    static let mobileAuth: MobileAuthTokenService = {
        guard let master = MasterKey([UInt8](repeating: 5, count: 32)),
            let service = try? MobileAuthTokenService(master)
        else { fatalError("the master key of the fuzz targets cannot be used") }
        return service
    }()
}
