/// Content of a signed fingerprint (`vfp`). It contains no number.
package struct Fingerprint: Sendable, Equatable {
    package let attempt: AttemptID
    package let authID: AuthID
    /// The session's key; `nil` in a session bound to a bearer token.
    package let sessionKey: Thumbprint?
    /// Identifies the only result that it may fetch.
    package let result: [UInt8]
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp

    package init(
        attempt: AttemptID, authID: AuthID, sessionKey: Thumbprint?, result: [UInt8], issuedAt: Timestamp,
        expiresAt: Timestamp
    ) {
        self.attempt = attempt
        self.authID = authID
        self.sessionKey = sessionKey
        self.result = result
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }
}
