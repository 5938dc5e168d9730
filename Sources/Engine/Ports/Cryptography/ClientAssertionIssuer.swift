package import Possession

/// Makes the assertions by which this server authenticates itself to an operator: `private_key_jwt` (OpenID Connect
/// Core section 9, RFC 7523 section 3).
package protocol ClientAssertionIssuer: Sendable {
    /// A client assertion: ES256, claims `iss sub aud jti iat exp` and nothing else. Lives 120 s; CAMARA allows 300 s.
    ///
    /// - Parameters:
    ///   - clientID: this server's client id at the operator; `iss` and `sub`.
    ///   - audience: the operator's token endpoint.
    ///   - jti: random; sent as base64url and never used again.
    func issueClientAssertion(
        clientID: String, audience: String, jti: [UInt8], at now: Timestamp
    ) throws(TokenFault) -> String

    /// The assertion of a JWT bearer grant (RFC 7523 section 2.1). It authenticates this server and names the subject
    /// of the token. Claims `iss sub aud jti iat exp scope` and nothing else.
    ///
    /// - Parameters:
    ///   - clientID: this server's client id at the operator; `iss`.
    ///   - subject: such as `tel:+12015550123`.
    ///   - scope: the purpose and the scopes of the calls, separated by blanks.
    ///   - audience: as above.
    ///   - jti: as above.
    func issueGrantAssertion(
        clientID: String, subject: String, scope: String, audience: String, jti: [UInt8], at now: Timestamp
    ) throws(TokenFault) -> String
}
