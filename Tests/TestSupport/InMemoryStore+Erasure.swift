package import Engine
package import Possession

extension InMemoryStore: ErasureStore {
    package func erase(
        _ target: Target, at client: ClientID?, telling events: [NewWebhookEvent]
    ) async throws(StorageFault) -> ErasedRows {
        try withContent { content in
            func isMeant(_ other: ClientID) -> Bool { client == nil || client == other }
            var data = ErasedData()
            let sessions = content.sessions.values.filter { session in
                let replies = content.replies.filter { $0.key.session == session.correlationID }.values
                let messages = content.messages.values.filter {
                    $0.message.correlationID == session.correlationID && $0.state == .queued
                }
                let targets =
                    session.targets + replies.flatMap(\.reply.session.targets)
                    + messages.flatMap(\.message.pending.targets)
                return isMeant(session.clientID) && targets.contains(target)
            }
            for session in sessions {
                content.remove(session)
                content.webhooks.remove { $0.news.session == session.correlationID }
            }
            let told = Set(
                content.webhooks.events.values.filter { isMeant($0.clientID) && $0.news.target == target }
                    .compactMap(\.news.session))
            content.webhooks.remove {
                isMeant($0.clientID) && $0.news.target == target || $0.news.session.map(told.contains) == true
            }
            data.sessions = sessions.count
            let keys = content.deviceKeys.filter { isMeant($0.value.clientID) && .number($0.value.number) == target }
            for id in keys.keys { content.deviceKeys[id] = nil }
            data.deviceKeys = keys.count
            let activations = content.activations.filter { isMeant($0.value.clientID) && $0.value.target == target }
            for id in activations.keys { content.activations[id] = nil }
            content.removeTokens(of: activations.keys)
            data.activations = activations.count
            let identities = content.identities.rows.filter {
                isMeant($0.value.client) && .number($0.value.number) == target
            }
            for id in identities.keys { content.identities.rows[id] = nil }
            data.identities = identities.count
            if data.identities > 0 { content.webhooks.add(events) }
            if client == nil {
                for key in content.tenants.keys.flatMap({ NumberStanding.keys(of: target, at: $0) })
                where content.tallies.removeValue(forKey: key) != nil {
                    data.limitEntries += 1
                }
            }
            return ErasedRows(
                data: data,
                sessions: sessions.map { ErasedSession(correlationID: $0.correlationID, authID: $0.authID) })
        }
    }
}
