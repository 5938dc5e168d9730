/// What the transitions of a session need to know of this server: its numbers, what it can do, and how to ask what is
/// known of a number.
package struct Rules: Sendable {
    package let limits: Limits
    package let capabilities: Session.Capabilities
    /// Asked at the moment a number is proven, and only where the backend wanted it (`checkReputation`). `nil`: this
    /// server has nobody to ask, and refuses such sessions at their start.
    package let reputation: (@Sendable (PhoneNumber) -> Reputation)?

    package init(
        limits: Limits, capabilities: Session.Capabilities = .init(),
        reputation: (@Sendable (PhoneNumber) -> Reputation)? = nil
    ) {
        self.limits = limits
        self.capabilities = capabilities
        self.reputation = reputation
    }
}
