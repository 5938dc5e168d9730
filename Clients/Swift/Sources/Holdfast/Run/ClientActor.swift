/// Where all runs live: what a run keeps is touched by one thread at a time.
@globalActor
package actor ClientActor {
    package static let shared = ClientActor()
}

/// Takes back something that is under way. To call it twice, or too late, does nothing.
package struct Cancellation: Sendable {
    package let cancel: @ClientActor @Sendable () -> Void

    package init(_ cancel: @escaping @ClientActor @Sendable () -> Void) {
        self.cancel = cancel
    }
}
