import Crypto
import Foundation
import JWTKit
import Synchronization

/// ES256 tokens with jwt-kit: the access token a backend calls with, and the auth token it gets for its client.
final class Tokens: Sendable {
    struct AccessClaims: JWTPayload {
        let iss: IssuerClaim
        let aud: AudienceClaim
        let sub: SubjectClaim
        let jti: IDClaim
        let client_id: String
        let iat: IssuedAtClaim
        let nbf: NotBeforeClaim
        let exp: ExpirationClaim

        func verify(using algorithm: some JWTAlgorithm) throws {
            try nbf.verifyNotBefore()
            try exp.verifyNotExpired()
        }
    }

    struct AuthClaims: JWTPayload {
        let iss: IssuerClaim
        let aud: AudienceClaim
        let sub: SubjectClaim
        let jti: IDClaim
        let nonce: String
        let iat: IssuedAtClaim
        let nbf: NotBeforeClaim
        let exp: ExpirationClaim

        func verify(using algorithm: some JWTAlgorithm) throws {}
    }

    struct Refused: Error {}

    private let keys = JWTKeyCollection()
    private let publicURL: String
    private let access = JWKIdentifier(string: "access")
    private let auth = JWKIdentifier(string: "auth")
    /// Tenants of tokens whose signature was checked, by digest of the token, where that is asked for.
    private let remembered = Mutex<[SHA256Digest: (tenant: String, expiry: Date)]>([:])
    private let remembers: Bool

    /// - Parameter remembers: whether a token's signature is checked once in its life, as the product does.
    init(publicURL: String, remembers: Bool) async throws {
        self.publicURL = publicURL
        self.remembers = remembers
        await keys.add(ecdsa: ES256PrivateKey(), kid: access)
        await keys.add(ecdsa: ES256PrivateKey(), kid: auth)
    }

    func accessToken(for tenant: String) async throws -> String {
        let now = Date()
        return try await keys.sign(
            AccessClaims(
                iss: .init(value: publicURL), aud: .init(value: publicURL + "/v3"), sub: .init(value: tenant),
                jti: .init(value: Bytes.random(16).base64URL), client_id: tenant, iat: .init(value: now),
                nbf: .init(value: now), exp: .init(value: now.addingTimeInterval(3600))),
            kid: access, header: ["typ": "at+jwt"])
    }

    /// The tenant an access token stands for.
    func tenant(of token: String) async throws -> String {
        guard remembers else { return try await verified(token).sub.value }
        let digest = SHA256.hash(data: Data(token.utf8))
        if let known = remembered.withLock({ $0[digest] }) {
            guard known.expiry > Date() else { throw Refused() }
            return known.tenant
        }
        let claims = try await verified(token)
        remembered.withLock { $0[digest] = (claims.sub.value, claims.exp.value) }
        return claims.sub.value
    }

    private func verified(_ token: String) async throws -> AccessClaims {
        let claims = try await keys.verify(token, as: AccessClaims.self)
        guard claims.iss.value == publicURL, claims.aud.value == [publicURL + "/v3"] else { throw Refused() }
        return claims
    }

    func authToken(for authID: String, at now: Date) async throws -> String {
        try await keys.sign(
            AuthClaims(
                iss: .init(value: publicURL), aud: .init(value: publicURL + "/client/v1"), sub: .init(value: authID),
                jti: .init(value: Bytes.random(16).base64URL), nonce: Bytes.random(16).base64URL,
                iat: .init(value: now), nbf: .init(value: now), exp: .init(value: now.addingTimeInterval(900))),
            kid: auth, header: ["typ": "client-auth+jwt"])
    }
}
