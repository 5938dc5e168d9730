package import Possession

/// Erases all data of a number or an address, in the store and in memory, and returns how much that was (DAT-10).
///
///     let erased = try await erasure.erase(.number(number), at: nil)   // erased.deviceKeys == 1
package struct Erasure: Sendable {
    /// Removes messages to a target that are kept in memory: those of `sessions`, or of all sessions if it is `nil`.
    /// Returns how many.
    package typealias ForgetMessages = @Sendable (Target, _ sessions: Set<CorrelationID>?) -> Int

    private let store: any ErasureStore
    /// Called for each erased session, to wake the clients that wait for it.
    private let announce: @Sendable (AuthID) -> Void
    private let forgetMessages: ForgetMessages

    package init(
        store: any ErasureStore, announce: @escaping @Sendable (AuthID) -> Void = { _ in },
        forgetMessages: @escaping ForgetMessages = { _, _ in 0 }
    ) {
        self.store = store
        self.announce = announce
        self.forgetMessages = forgetMessages
    }

    /// - Parameters:
    ///   - client: only this tenant's data; `nil`: everything.
    ///   - events: stored together with the end of an identity.
    package func erase(
        _ target: Target, at client: ClientID?, telling events: [NewWebhookEvent] = []
    ) async throws(StorageFault) -> ErasedData {
        let erased = try await store.erase(target, at: client, telling: events)
        var data = erased.data
        let sessions = Set(erased.sessions.map(\.correlationID))
        data.messages = forgetMessages(target, client == nil ? nil : sessions)
        for session in erased.sessions { announce(session.authID) }
        return data
    }
}
