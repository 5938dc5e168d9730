/// Checks what API clients sign with keys of their own to say who they are: `private_key_jwt` (RFC 7523 section 3, OpenID
/// Connect Core section 9).
package protocol ClientKeyVerifier: Sendable {
    /// The client that an assertion names. Nothing of it has been checked: it says whose keys to check it with.
    func claimedClient(of assertion: String) -> String?

    /// Checks form, ES256, one of the keys, `iss` and `sub`, `aud`, `iat`, `exp`, and a life of at most 300 s. Whether its
    /// `jti` is new, the caller tells.
    /// - Parameters:
    ///   - keys: of the client; each is tried.
    ///   - audiences: `aud` must be one of them, or a list with one of them.
    /// - Throws: the first check that fails.
    func verify(
        _ assertion: String, by keys: [PublicKey], for audiences: [String], at now: Timestamp
    ) throws(ProofFault) -> ClientAssertion

    /// The same of the assertion of a JWT bearer grant (RFC 7523 section 2.1), which names a subject of its own and a scope.
    func verifyGrant(
        _ assertion: String, by keys: [PublicKey], for audiences: [String], at now: Timestamp
    ) throws(ProofFault) -> GrantAssertion
}
