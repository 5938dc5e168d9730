/// Facts about this server that the transitions of a session need: its numbers, what it can do, and how to ask for the
/// standing of a number.
///
/// One object, as every rule has it, and the limits are many.
package final class Rules: Sendable {
    package let limits: Limits
    package let capabilities: Session.Capabilities
    /// Standing of a number at the moment it is proven; looked at only where the backend wanted it
    /// (`checkReputation`). `nil`: this server has nobody to ask, and refuses such sessions at their start.
    package let reputation: (@Sendable (PhoneNumber) -> Reputation)?
    /// Whether a bad standing keeps a message from being sent (OTP-16).
    package let standingStopsSends: Bool

    package init(
        limits: Limits, capabilities: Session.Capabilities = .init(),
        standingStopsSends: Bool = false, reputation: (@Sendable (PhoneNumber) -> Reputation)? = nil
    ) {
        self.limits = limits
        self.capabilities = capabilities
        self.standingStopsSends = standingStopsSends
        self.reputation = reputation
    }

    /// The same, by other limits.
    func limited(by limits: Limits) -> Rules {
        Rules(
            limits: limits, capabilities: capabilities, standingStopsSends: standingStopsSends, reputation: reputation)
    }

    /// The same, with what is known of numbers.
    func knowing(_ reputation: @escaping @Sendable (PhoneNumber) -> Reputation) -> Rules {
        Rules(
            limits: limits, capabilities: capabilities, standingStopsSends: standingStopsSends, reputation: reputation)
    }
}
