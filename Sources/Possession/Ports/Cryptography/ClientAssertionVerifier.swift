/// Checks client assertions of our own; only an operator that is played has to.
package protocol ClientAssertionVerifier: Sendable {
    /// `nil` when any check fails: form, ES256, key, signature, `aud`, `iss` other than `sub`, `iat`, `exp`, a life of
    /// more than 300 s. Whether its `jti` is new, the caller tells.
    func verifyClientAssertion(_ assertion: String, audience: String, at now: Timestamp) -> ClientAssertion?

    /// The same of the assertion of a JWT bearer grant, which names a subject of its own and a scope.
    func verifyGrantAssertion(_ assertion: String, audience: String, at now: Timestamp) -> GrantAssertion?
}

package struct GrantAssertion: Sendable, Equatable {
    /// Client that asks: `iss`, `jti` and `exp`.
    package let client: ClientAssertion
    /// For whom: up to 4096 bytes.
    package let subject: String
    package let scope: String

    package init(client: ClientAssertion, subject: String, scope: String) {
        self.client = client
        self.subject = subject
        self.scope = scope
    }
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
