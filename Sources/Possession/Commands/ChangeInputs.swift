/// Data that an update must read beside the session.
package struct ChangeInputs: Sendable {
    package var thumbprint: Thumbprint?
    /// The proof to use up in the same transaction.
    package var proof: DPoPProof?
    /// The call only reads. Its proofs have a lower maximum, so that other calls can still use proofs.
    package var isRead = false
    package var retry: RetryKey?
    /// Whether a reply stored under `retry` answers the call. If so, the newest session at a shared name that has such
    /// a reply is used.
    package var isAnswer: (@Sendable (KeptReply) -> Bool)?
    /// A message of the session whose state the rule needs, with all that was noted of it before (`Outbox`).
    package var message: MessageID?
    /// Whether it also needs the content of that message.
    package var wantsKeptMessage = false
    /// Whether the rule needs the tenant's rules.
    package var wantsTenantRules = false
    /// Whether it needs the number of tenants that share a budget.
    package var wantsTenantCount = false
    /// A target: the rule needs to know whether the tenant has an identity for it.
    package var knownTarget: (@Sendable (Session) -> Target?)?
    /// The limit keys that the rule will read; `nil` if no limits are enforced, which saves the query.
    package var limitKeys: (@Sendable (Session, DeviceKey?) -> [LimitKey])?

    package init() {}
}
