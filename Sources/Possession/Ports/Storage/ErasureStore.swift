/// Counts of the data that an erasure has removed, by kind (DAT-10). Holds no value of that data.
package struct ErasedData: Sendable, Equatable {
    /// Rows of numbers that a tenant has proven or enrolled, with their attributes.
    package var identities = 0
    package var deviceKeys = 0
    package var activations = 0
    /// Entries of what tenants list: numbers that they allow or block, and their calls that started no session.
    package var listEntries = 0
    /// With their events, answers, links and attempts.
    package var sessions = 0
    /// People the operator imported.
    package var people = 0
    /// Entries that limits over sessions have counted.
    package var limitEntries = 0
    /// Messages that an inbox of this server holds.
    package var messages = 0

    package init() {}

    package var isNothing: Bool { self == ErasedData() }
}

/// A session that is gone: whoever waits for it is told.
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

/// Removes what belongs to a number or an address.
package protocol ErasureStore: Sendable {
    /// Removes all that belongs to a number or an address. When it returns, no file of the store holds it any more, not
    /// even encrypted (DAT-05), and a request that was under way meanwhile has left nothing of it behind. A backup made
    /// before still holds it.
    /// - Parameter client: only what this tenant keeps. `nil`: what every tenant keeps, the person the operator
    ///   imported, and what limits over all tenants count. A tenant must not reset those: they end by themselves.
    /// - Parameter events: stored in the transaction that removes the last identity; without one, nobody is told.
    func erase(
        _ target: Target, at client: ClientID?, telling events: [NewWebhookEvent]
    ) async throws(StorageFault) -> ErasedRows
}

extension ErasureStore {
    /// The same, and nobody is told.
    package func erase(_ target: Target, at client: ClientID?) async throws(StorageFault) -> ErasedRows {
        try await erase(target, at: client, telling: [])
    }
}
