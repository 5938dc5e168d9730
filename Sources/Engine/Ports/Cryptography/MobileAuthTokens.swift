package import Possession

/// Signed values of Mobile Auth that pass through the client (client protocol 4.7).
package protocol MobileAuthTokens: Sendable {
    /// `state` for the operator: attempt id and MAC.
    func state(of attempt: AttemptID) -> String
    /// `nil` unless this server made it and it is unchanged.
    func attempt(inState text: String) -> AttemptID?
    /// PKCE verifier of an attempt, derived from the attempt and a key, so that it need not be stored (RFC 7636 section
    /// 4.1).
    func verifier(of attempt: AttemptID) -> String
    func codeChallenge(of attempt: AttemptID) -> String
    func fingerprint(_ fingerprint: Fingerprint) -> String
    /// `nil` unless this server made it and it is unchanged. The session checks its time and that it is the session's.
    func fingerprint(in text: String) -> Fingerprint?
    /// A code that stands for a fingerprint if the device submits digits. It is derived from the attempt, its result
    /// and a key, so that it need not be stored.
    func code(of attempt: AttemptID, _ result: [UInt8], length: Int) -> OTP
    /// Keyed digest of a client address.
    func address(_ address: String) -> AddressDigest
}
