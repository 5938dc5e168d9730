/// Facts about this server that a session's transitions need: its limits, its capabilities, and how to learn the
/// standing of a number.
///
/// One object, because every rule has it and there are many limits.
package final class Rules: Sendable {
    package let limits: Limits
    package let capabilities: Session.Capabilities
    /// Standing of a number at the moment it is proven; used only if the backend requested it (`checkReputation`).
    /// `nil`: this server has no source, and refuses such sessions at their start.
    package let reputation: (@Sendable (PhoneNumber) -> Reputation)?
    /// Whether a bad standing stops a message (OTP-16).
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

    /// The same rules with other limits.
    package func limited(by limits: Limits) -> Rules {
        Rules(
            limits: limits, capabilities: capabilities, standingStopsSends: standingStopsSends, reputation: reputation)
    }

    /// The same rules with these standings.
    package func knowing(_ reputation: @escaping @Sendable (PhoneNumber) -> Reputation) -> Rules {
        Rules(
            limits: limits, capabilities: capabilities, standingStopsSends: standingStopsSends, reputation: reputation)
    }
}
