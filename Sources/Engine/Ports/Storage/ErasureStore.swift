package import Possession

/// Counts of the data that an erasure has removed, by kind (DAT-10). It contains none of that data.
package struct ErasedData: Sendable, Equatable {
    /// Rows of numbers that a tenant has proven or enrolled, with their attributes.
    package var identities = 0
    package var deviceKeys = 0
    package var activations = 0
    /// Entries in tenants' lists: allowed and blocked numbers, and calls that started no session.
    package var listEntries = 0
    /// With their events, replies, links and attempts.
    package var sessions = 0
    /// People the operator imported.
    package var people = 0
    /// Entries counted by limits over sessions.
    package var limitEntries = 0
    /// Messages in an inbox of this server.
    package var messages = 0

    package init() {}

    package var isNothing: Bool { self == ErasedData() }
}

/// An erased session, so that the clients that wait for it can be woken.
package struct ErasedSession: Sendable, Hashable {
    package let correlationID: CorrelationID
    package let authID: AuthID

    package init(correlationID: CorrelationID, authID: AuthID) {
        self.correlationID = correlationID
        self.authID = authID
    }
}

package struct ErasedRows: Sendable, Equatable {
    package var data: ErasedData
    package var sessions: [ErasedSession]

    package init(data: ErasedData, sessions: [ErasedSession]) {
        self.data = data
        self.sessions = sessions
    }
}

/// Removes all data of a number or an address.
package protocol ErasureStore: Sendable {
    /// Removes all data of a number or an address. When it returns, no file of the store contains the data, not even
    /// encrypted (DAT-05), and no concurrent request has left any of it. A backup made before still contains it.
    /// - Parameter client: only this tenant's data. `nil`: the data of every tenant, the person that the operator
    ///   imported, and the counts of limits over all tenants. A tenant must not reset those: they expire.
    /// - Parameter events: stored in the transaction that removes the last identity. If no identity is removed, they
    ///   are not stored.
    func erase(
        _ target: Target, at client: ClientID?, telling events: [NewWebhookEvent]
    ) async throws(StorageFault) -> ErasedRows
}

extension ErasureStore {
    /// Erases without events.
    package func erase(_ target: Target, at client: ClientID?) async throws(StorageFault) -> ErasedRows {
        try await erase(target, at: client, telling: [])
    }
}
