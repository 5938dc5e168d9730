package import Engine
package import Possession

extension InMemoryStore: ActivationStore {
    package func activation(_ id: ActivationID) async throws(StorageFault) -> DeviceActivation? {
        try withContent { content in content.activations[id] }
    }

    package func activations(
        of target: Target, at client: ClientID?, before: ActivationID?, most: Int
    ) async throws(StorageFault) -> [DeviceActivation] {
        try withContent { content in
            content.newestActivations(before: before, most: most) {
                $0.target == target && (client == nil || $0.clientID == client)
            }
        }
    }

    package func activations(
        of client: ClientID, before: ActivationID?, most: Int
    ) async throws(StorageFault) -> [DeviceActivation] {
        try withContent { content in
            content.newestActivations(before: before, most: most) { $0.clientID == client }
        }
    }

    /// Runs the rule twice, as changes of sessions do.
    package func update<R: Sendable>(
        _ id: ActivationID, telling teller: WebhookEventFactory?,
        _ rule: @escaping @Sendable (inout DeviceActivation) -> R
    ) async throws(StorageFault) -> R? {
        try withContent { content -> R? in
            guard let before = content.activations[id] else { return nil }
            var (activation, again) = (before, before)
            _ = rule(&again)
            let result = rule(&activation)
            precondition(activation == again, "a rule that runs again does something else")
            content.activations[id] = activation
            if activation.standing.status == .removed { content.removeTokens(of: [id]) }
            if let teller { content.webhooks.add(teller.events(activation.webhookNews(since: before))) }
            return result
        }
    }

    package func unusedActivations(
        after: ActivationID?, madeUpTo end: Timestamp, most: Int
    ) async throws(StorageFault) -> [UnusedActivation] {
        try withContent { content in
            let found = content.activations.values.filter { activation in
                activation.lastUsedAt == nil && activation.standing.status != .removed && activation.createdAt <= end
                    && (after.map { activation.id > $0 } ?? true)
            }
            return found.sorted { $0.id < $1.id }.prefix(most).map {
                UnusedActivation(id: $0.id, clientID: $0.clientID)
            }
        }
    }

    package func forgetActivations(removedBefore end: Timestamp) async throws(StorageFault) -> Int {
        try withContent { content in
            let old = content.activations.values.filter { $0.standing.status == .removed && $0.standing.since < end }
            for activation in old { content.activations[activation.id] = nil }
            content.removeTokens(of: old.map(\.id))
            return old.count
        }
    }
}

extension InMemoryStore.Content {
    fileprivate func newestActivations(
        before: ActivationID?, most: Int, _ isMeant: (DeviceActivation) -> Bool
    ) -> [DeviceActivation] {
        let found = activations.values.filter { activation in
            isMeant(activation) && (before.map { activation.id < $0 } ?? true)
        }
        return Array(found.sorted { $0.id > $1.id }.prefix(most))
    }
}
