package import Possession

/// Checks assertions by which API clients authenticate with their own keys: `private_key_jwt` (RFC 7523 section 3,
/// OpenID Connect Core section 9).
package protocol ClientKeyVerifier: Sendable {
    /// The client that an assertion names, unchecked. It decides whose keys check the assertion.
    func claimedClient(of assertion: String) -> String?

    /// Checks form, ES256, one of the keys, `iss` and `sub`, `aud`, `iat`, `exp`, and a lifetime of at most 300 s. The
    /// caller checks whether the `jti` is new.
    /// - Parameters:
    ///   - keys: the client's keys; each is tried.
    ///   - audiences: `aud` must be one of them, or a list with one of them.
    /// - Throws: the first check that fails.
    func verify(
        _ assertion: String, by keys: [PublicKey], for audiences: [String], at now: Timestamp
    ) throws(ProofFault) -> ClientAssertion

    /// As `verify`, for the assertion of a JWT bearer grant (RFC 7523 section 2.1), which has its own subject and a
    /// scope.
    func verifyGrant(
        _ assertion: String, by keys: [PublicKey], for audiences: [String], at now: Timestamp
    ) throws(ProofFault) -> GrantAssertion
}
