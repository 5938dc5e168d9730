/// The Prove product that a test user belongs to. A credential without that product does not see the user (contract
/// section 8).
package enum SandboxProduct: String, Sendable, CaseIterable {
    case unify
    case prefill
    case identity
    case verify
    case identityManager = "identity-manager"
}
