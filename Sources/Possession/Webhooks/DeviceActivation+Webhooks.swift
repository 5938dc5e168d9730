/// Webhook events and audit entries about activations.
extension DeviceActivation {
    /// The events of a change; empty if the standing has not changed.
    package func webhookNews(since before: DeviceActivation) -> [WebhookNews] {
        guard standing != before.standing else { return [] }
        let type: WebhookEventType =
            switch standing.status {
            case .active: .activationUnblocked
            case .blocked: .activationBlocked
            case .removed: .activationRemoved
            }
        let facts = facts + [.text("reason", standing.reason?.rawValue)]
        return [WebhookNews(type, at: standing.since, of: target, facts)]
    }

    /// The audit entry of a change that no operator ordered; `nil` for any other change.
    package func auditEntry(since before: DeviceActivation) -> AuditEntry? {
        guard standing != before.standing, standing.status == .blocked, standing.reason == .failedAttempts else {
            return nil
        }
        return AuditEntry(
            .activationBlocked, by: .server, at: standing.since, client: clientID, about: target,
            detail: [("activationId", id.text), ("reason", Reason.failedAttempts.rawValue)])
    }

    fileprivate var facts: [WebhookFact?] {
        [.text("activationId", id.text), .text("name", details.name), .text("platform", details.platform)]
    }
}

extension SessionChange {
    /// The events of a new activation.
    package var activationNews: [WebhookNews] {
        guard let activation else { return [] }
        return [
            session.news(.activationCreated, at: activation.createdAt, of: activation.target, activation.facts)
        ]
    }
}
