/// Checks client assertions of our own; only an operator that is played has to.
package protocol ClientAssertionVerifier: Sendable {
    /// `nil` when any check fails: form, ES256, key, signature, `aud`, `iss` other than `sub`, `iat`, `exp`, a life of
    /// more than 300 s. Whether its `jti` is new, the caller tells.
    func verifyClientAssertion(_ assertion: String, audience: String, at now: Timestamp) -> ClientAssertion?
}

package struct ClientAssertion: Sendable, Equatable {
    /// `iss` and `sub`.
    package let clientID: String
    /// As it stands in the assertion: 1 to 128 bytes of text.
    package let jti: String
    package let expiresAt: Timestamp

    package init(clientID: String, jti: String, expiresAt: Timestamp) {
        self.clientID = clientID
        self.jti = jti
        self.expiresAt = expiresAt
    }
}
