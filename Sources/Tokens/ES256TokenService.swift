internal import Locks
package import Engine
package import Possession
import StrictJSON
internal import Text

/// Auth tokens, access tokens and client assertions as ES256 JWTs (RFC 7519, RFC 9068, RFC 7523).
package final class ES256TokenService: TokenService {
    let limits: TokenLimits
    let issuer: String
    private let lead: @Sendable () -> Duration
    private let auth: TokenKind
    private let access: TokenKind
    let ring: Locked<SigningKeyRing>
    /// Auth tokens that were signed here and have not been used yet. They have their own table: a tenant that has many
    /// tokens signed must not evict tokens that are in use.
    private let issuedAuth: IssuedTokens
    private let verifiedAuth: RecentValues<VerifiedTokenKey, AuthTokenClaims>
    private let verifiedAccess: RecentValues<VerifiedTokenKey, AccessTokenClaims>

    /// - Parameters:
    ///   - publicURL: `server.publicUrl`, without a slash at the end. It is the issuer, and both audiences begin with
    ///     it.
    ///   - lead: how far the server's time is ahead of the machine's clock. Other systems check the tokens by machine
    ///     time.
    package init(
        publicURL: String, ring: SigningKeyRing, limits: TokenLimits = TokenLimits(),
        lead: @escaping @Sendable () -> Duration = { .zero }
    ) {
        self.lead = lead
        self.limits = limits
        issuer = publicURL
        auth = TokenKind(.auth, issuer: publicURL, audience: publicURL + "/client/v1", limits: limits)
        access = TokenKind(.access, issuer: publicURL, audience: publicURL + "/v3", limits: limits)
        self.ring = Locked(ring)
        issuedAuth = IssuedTokens(places: limits.rememberedIssuedTokens)
        verifiedAuth = RecentValues(capacity: limits.rememberedTokens)
        verifiedAccess = RecentValues(capacity: limits.rememberedTokens)
    }

    /// Uses another ring from now on. Remembered tokens are forgotten, because their key may be missing in it.
    package func replaceRing(_ ring: SigningKeyRing) {
        changeRing { _ in ring }
    }

    /// The same with the ring that `change` makes from the current one.
    package func changeRing(_ change: (SigningKeyRing) -> SigningKeyRing) {
        ring.withLock { $0 = change($0) }
        issuedAuth.removeAll()
        verifiedAuth.removeAll()
        verifiedAccess.removeAll()
    }

    package func issueAuthToken(
        for authID: AuthID, nonce: [UInt8], jti: [UInt8], at now: Timestamp
    ) throws(TokenFault) -> String {
        let epoch = issuedAuth.epoch
        let signed = try issue(auth, subject: authID.text, jti: jti, now) { claims in
            claims.append(contentsOf: #","nonce":""#.utf8)
            Base64URL.append(nonce, to: &claims)
            claims.append(UInt8(ascii: "\""))
        }
        issuedAuth.insert(signed, authID, nonce: nonce, expiry: now.adding(auth.lifetime).seconds, since: epoch)
        return signed.token
    }

    package func issueAccessToken(
        for clientID: ClientID, jti: [UInt8], at now: Timestamp
    ) throws(TokenFault) -> String {
        try issue(access, subject: clientID.text, jti: jti, now) { claims in
            // RFC 9068 section 2.2.
            claims.append(contentsOf: #","client_id":""#.utf8)
            claims.append(contentsOf: clientID.text.utf8)
            claims.append(UInt8(ascii: "\""))
        }.token
    }

    package func issueScopedToken(
        _ grant: ScopedGrant, lifetime: Duration, jti: [UInt8], at now: Timestamp
    ) throws(TokenFault) -> String {
        var kind = kind(for: grant.audience)
        kind.lifetime = lifetime
        return try issue(kind, subject: grant.clientID.text, jti: jti, now) { claims in
            claims.append(contentsOf: #","client_id":""#.utf8)
            claims.append(contentsOf: grant.clientID.text.utf8)
            claims.append(contentsOf: #"","scope":"#.utf8)
            claims.append(contentsOf: JSONValue.string(grant.scopes.joined(separator: " ")).serialized())
            if let session = grant.session {
                claims.append(contentsOf: #","txn":""#.utf8)
                claims.append(contentsOf: session.text.utf8)
                claims.append(UInt8(ascii: "\""))
            }
        }.token
    }

    package func verifyScopedToken(_ token: String, audience: String, at now: Timestamp) -> ScopedGrant? {
        // A token up to an hour old may still name the server itself as its issuer.
        let former = TokenKind(.access, issuer: issuer, audience: audience, limits: limits)
        guard let (claims, _) = verify(token, as: kind(for: audience), at: now) ?? verify(token, as: former, at: now),
            let clientID = claims["sub"]?.string.flatMap({ ClientID($0) }),
            claims.hasString("client_id", clientID.text), let scope = claims["scope"]?.string
        else { return nil }
        let words = scope.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
        let session = claims["txn"]?.string.flatMap { CorrelationID($0) }
        guard session != nil || claims["txn"] == nil else { return nil }
        return ScopedGrant(clientID: clientID, audience: audience, scopes: words, session: session)
    }

    /// Kind of the scoped tokens of one surface: its authorization server's name is the surface's own address, which is
    /// the issuer in its metadata (RFC 9068 section 4).
    private func kind(for audience: String) -> TokenKind {
        TokenKind(.access, issuer: audience, audience: audience, limits: limits)
    }

    package func verifyAuthToken(_ token: String, at now: Timestamp) -> AuthTokenClaims? {
        guard token.utf8.count <= JWS.maxBytes else { return nil }
        let key = VerifiedTokenKey(token)
        if let claims = verifiedAuth.value(of: key) {
            return isAlive(until: claims.expiresAt.seconds, at: now) ? claims : nil
        }
        let epoch = verifiedAuth.epoch
        // If the clock went back far, it is checked like any other token.
        if let claims = issuedAuth.take(token), hasBegun(issue(of: claims), at: now) {
            verifiedAuth.insert(claims, for: key, since: epoch)
            return isAlive(until: claims.expiresAt.seconds, at: now) ? claims : nil
        }
        guard let (claims, expiresAt) = verify(token, as: auth, at: now),
            let authID = claims["sub"]?.string.flatMap({ AuthID($0) }),
            let nonce = claims["nonce"]?.string, (1...128).contains(nonce.utf8.count)
        else { return nil }
        let result = AuthTokenClaims(authID: authID, nonce: nonce, expiresAt: expiresAt)
        verifiedAuth.insert(result, for: key, since: epoch)
        return result
    }

    /// When one of our auth tokens was issued, by the server's time.
    private func issue(of claims: AuthTokenClaims) -> Int64 {
        claims.expiresAt.seconds - auth.lifetime.components.seconds
    }

    package func expiredAuthToken(_ token: String, at now: Timestamp) -> AuthID? {
        guard let jws = JWS(token, type: auth.purpose.tokenType), let expiry = time("exp", in: jws.claims),
            !isAlive(until: expiry, at: now)
        else { return nil }
        return verifyAuthToken(token, at: Timestamp(seconds: expiry).adding(.seconds(-1)))?.authID
    }

    package func verifyAccessToken(_ token: String, at now: Timestamp) -> AccessTokenClaims? {
        guard token.utf8.count <= JWS.maxBytes else { return nil }
        let key = VerifiedTokenKey(token)
        if let claims = verifiedAccess.value(of: key) {
            return isAlive(until: claims.expiresAt.seconds, at: now) ? claims : nil
        }
        let epoch = verifiedAccess.epoch
        guard let (claims, expiresAt) = verify(token, as: access, at: now),
            let clientID = claims["sub"]?.string.flatMap({ ClientID($0) }), claims.hasString("client_id", clientID.text)
        else { return nil }
        let result = AccessTokenClaims(clientID: clientID, expiresAt: expiresAt)
        verifiedAccess.insert(result, for: key, since: epoch)
        return result
    }

    /// The API client of an access token, if the token was checked before and is remembered: needs no signature check.
    package func rememberedClient(of token: String) -> ClientID? {
        token.utf8.count <= JWS.maxBytes ? verifiedAccess.value(of: VerifiedTokenKey(token))?.clientID : nil
    }

    package func publicKeySet(at now: Timestamp) -> [UInt8] {
        ring.withLock { $0 }.publicKeySet(at: now)
    }

    /// Since when the current signing key has signed; `nil` without a key.
    package func signerActiveSince(_ purpose: SigningKeyRecord.Purpose, at now: Timestamp) -> Timestamp? {
        ring.withLock { $0.signer(for: purpose, at: now) }?.activatesAt
    }

    /// Whether both kinds of token can be signed now, tested by signing and checking: for `/readyz`.
    package func signs(at now: Timestamp) -> Bool {
        [auth, access].allSatisfy { kind in
            guard let record = ring.withLock({ $0.signer(for: kind.purpose, at: now) }) else { return false }
            let message = Array("readiness".utf8)
            guard let signature = try? record.key?.sign(message) else { return false }
            return record.verifyingKey?.verifies(signature, of: message) == true
        }
    }

    /// Tokens remembered now: those that were used, and those that have not been used yet.
    package var rememberedCount: Int { verifiedAuth.count + verifiedAccess.count + issuedAuth.count }

    // MARK: Both kinds

    /// Converts the server's time to the machine's clock. A token is then valid for other systems as soon as it is
    /// signed.
    func machineTime(_ now: Timestamp) -> Timestamp { now.adding(.zero - lead()) }

    /// - Parameters:
    ///   - subject: needs no escaping in JSON.
    ///   - extra: writes further members, each with its comma in front.
    private func issue(
        _ kind: TokenKind, subject: String, jti: [UInt8], _ now: Timestamp, _ extra: (inout [UInt8]) -> Void
    ) throws(TokenFault) -> JWS.Signed {
        guard let record = ring.withLock({ $0.signer(for: kind.purpose, at: now) }), let key = record.key else {
            throw TokenFault("no signing key is active")
        }
        let issuedAt = String(machineTime(now).seconds)
        var claims = kind.claimsStart
        claims.reserveCapacity(claims.count + subject.utf8.count + 256)
        claims.append(contentsOf: #","sub":""#.utf8)
        claims.append(contentsOf: subject.utf8)
        claims.append(contentsOf: #"","jti":""#.utf8)
        Base64URL.append(jti, to: &claims)
        claims.append(UInt8(ascii: "\""))
        extra(&claims)
        claims.append(contentsOf: #","iat":"#.utf8)
        claims.append(contentsOf: issuedAt.utf8)
        claims.append(contentsOf: #","nbf":"#.utf8)
        claims.append(contentsOf: issuedAt.utf8)
        claims.append(contentsOf: #","exp":"#.utf8)
        claims.append(contentsOf: String(now.adding(kind.lifetime).seconds).utf8)
        claims.append(UInt8(ascii: "}"))
        return try JWS.make(header: record.encodedHeader, claims: claims, key: key)
    }

    /// Every check that the kinds share (TOK-03), the signature last.
    private func verify(
        _ token: String, as kind: TokenKind, at now: Timestamp
    ) -> (claims: JSONObject, expiresAt: Timestamp)? {
        guard let jws = JWS(token, type: kind.purpose.tokenType),
            // Our headers have exactly these three members, so a header with another one is not ours: no `jku`, no
            // `jwk` (TOK-06).
            jws.header.count == 3, let kid = jws.header["kid"]?.string,
            let key = ring.withLock({ $0.verifier(kid: kid, for: kind.purpose, at: now) })?.verifyingKey,
            jws.claims.hasString("iss", kind.issuer), jws.claims.hasString("aud", kind.audience),
            let jti = jws.claims["jti"]?.string, (1...128).contains(jti.utf8.count),
            let issuedAt = time("iat", in: jws.claims), hasBegun(issuedAt, at: now),
            let notBefore = time("nbf", in: jws.claims), hasBegun(notBefore, at: now),
            let expiresAt = time("exp", in: jws.claims), isAlive(until: expiresAt, at: now),
            jws.isSigned(by: key)
        else { return nil }
        return (jws.claims, Timestamp(seconds: expiresAt))
    }

    func time(_ name: String, in claims: JSONObject) -> Int64? { NumericDate.whole(claims[name]) }

    func hasBegun(_ seconds: Int64, at now: Timestamp) -> Bool {
        seconds <= now.adding(limits.leeway).seconds
    }

    /// RFC 7519 section 4.1.4: expired from `exp` on, here with leeway.
    func isAlive(until expiry: Int64, at now: Timestamp) -> Bool {
        now < Timestamp(seconds: expiry).adding(limits.leeway)
    }
}

/// Kind of a token: key, type and audience distinguish auth and access tokens (TOK-04).
private struct TokenKind {
    let purpose: SigningKeyRecord.Purpose
    let issuer: String
    let audience: String
    var lifetime: Duration
    /// `{"iss":…,"aud":…`, encoded once.
    let claimsStart: [UInt8]

    init(_ purpose: SigningKeyRecord.Purpose, issuer: String, audience: String, limits: TokenLimits) {
        self.purpose = purpose
        self.issuer = issuer
        self.audience = audience
        lifetime = limits.lifetime(of: purpose)
        let start: JSONObject = ["iss": .string(issuer), "aud": .string(audience)]
        claimsStart = start.serialized().dropLast()
    }
}
