package import Possession

/// Checks this server's own client assertions. Only a simulated operator needs it.
package protocol ClientAssertionVerifier: Sendable {
    /// `nil` if any check fails: form, ES256, key, signature, `aud`, `iss` equal to `sub`, `iat`, `exp`, a lifetime of
    /// at most 300 s. The caller checks whether the `jti` is new.
    func verifyClientAssertion(_ assertion: String, audience: String, at now: Timestamp) -> ClientAssertion?

    /// As above, for the assertion of a JWT bearer grant, which has its own subject and a scope.
    func verifyGrantAssertion(_ assertion: String, audience: String, at now: Timestamp) -> GrantAssertion?
}

package struct GrantAssertion: Sendable, Equatable {
    /// The client that requests the token: `iss`, `jti` and `exp`.
    package let client: ClientAssertion
    /// Subject of the token: up to 4096 bytes.
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
    /// As in the assertion: 1 to 128 bytes of text.
    package let jti: String
    /// `iat`. Without it, the earliest time that `expiresAt` allows.
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp

    package init(clientID: String, jti: String, issuedAt: Timestamp, expiresAt: Timestamp) {
        self.clientID = clientID
        self.jti = jti
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }
}
