/// The values of Mobile Auth that travel through the client's hands, signed (client protocol 4.7).
package protocol MobileAuthTokens: Sendable {
    /// `state` for the operator: attempt id and MAC.
    func state(of attempt: AttemptID) -> String
    /// `nil` unless it is one of ours, unchanged.
    func attempt(inState text: String) -> AttemptID?
    /// PKCE verifier of an attempt, made from it and a key, so that it need not be stored (RFC 7636 section 4.1).
    func verifier(of attempt: AttemptID) -> String
    func codeChallenge(of attempt: AttemptID) -> String
    func fingerprint(_ fingerprint: Fingerprint) -> String
    /// `nil` unless it is one of ours, unchanged; whether it is in time and for this session, the session decides.
    func fingerprint(in text: String) -> Fingerprint?
    /// A code that stands for a fingerprint where the device hands it on as digits: made of the attempt, its result and a key,
    /// so that it need not be stored.
    func code(of attempt: AttemptID, _ result: [UInt8], length: Int) -> OTP
    /// KeyedDigests digest of a client address.
    func address(_ address: String) -> AddressDigest
}

/// Content of a signed fingerprint (`vfp`). It holds no number.
package struct Fingerprint: Sendable, Equatable {
    package let attempt: AttemptID
    package let authID: AuthID
    /// The session's key; `nil` in a session bound to a bearer token.
    package let sessionKey: Thumbprint?
    /// Names the one result it may fetch.
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
