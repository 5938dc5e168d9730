package import Possession

/// A note of a server to the other servers of its database. It wakes callers that wait there. It may be lost.
package enum WakeNote: Sendable, Hashable {
    /// A session has changed.
    case changed(AuthID)
    /// A caller waits for a session. Callers that have waited for it longer are released.
    case watched(AuthID)
    /// Events for webhooks were stored.
    case events
}

/// The part of a server that notes wake. One thread calls its functions, which must not wait.
package struct WakeListener: Sendable {
    /// Called with notes of another server, and with sessions that have changed, or may have, although no note came.
    package let hear: @Sendable ([WakeNote]) -> Void
    /// The sessions for whose next change callers wait.
    package let awaited: @Sendable () -> [AuthID]

    package init(
        hear: @escaping @Sendable ([WakeNote]) -> Void, awaited: @escaping @Sendable () -> [AuthID]
    ) {
        self.hear = hear
        self.awaited = awaited
    }
}
