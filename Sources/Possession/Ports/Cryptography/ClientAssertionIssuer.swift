/// Makes what this server authenticates itself with at an operator: `private_key_jwt` (OpenID Connect Core section 9,
/// RFC 7523 section 3).
package protocol ClientAssertionIssuer: Sendable {
    /// A client assertion: ES256, claims `iss sub aud jti iat exp` and nothing else. Lives 120 s; CAMARA allows 300 s.
    ///
    /// - Parameters:
    ///   - clientID: our name at the operator; `iss` and `sub`.
    ///   - audience: the operator's token endpoint.
    ///   - jti: random; goes out as base64url and is never used again.
    func issueClientAssertion(
        clientID: String, audience: String, jti: [UInt8], at now: Timestamp
    ) throws(TokenFault) -> String

    /// The assertion of a JWT bearer grant (RFC 7523 section 2.1): it authenticates us, and names for whom a token is
    /// wanted. Claims `iss sub aud jti iat exp scope` and nothing else.
    ///
    /// - Parameters:
    ///   - clientID: our name at the operator; `iss`.
    ///   - subject: such as `tel:+12015550123`.
    ///   - scope: the purpose and the scopes of the calls, with blanks between them.
    ///   - audience: as above.
    ///   - jti: as above.
    func issueGrantAssertion(
        clientID: String, subject: String, scope: String, audience: String, jti: [UInt8], at now: Timestamp
    ) throws(TokenFault) -> String
}
