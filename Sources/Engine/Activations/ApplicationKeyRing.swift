package import Possession
internal import Text

/// The keys of an application over time: the current keys for building apps, and the previous ones.
///
/// People update apps when they like, so both are accepted until the overlap ends.
package struct ApplicationKeyRing: Sendable, Equatable {
    /// Keys that were replaced, and when they end.
    package struct Previous: Sendable, Equatable {
        package let keys: ApplicationKeys
        package let endsAt: Timestamp

        package init(keys: ApplicationKeys, endsAt: Timestamp) {
            self.keys = keys
            self.endsAt = endsAt
        }
    }

    package let current: ApplicationKeys
    package let previous: Previous?

    package init(current: ApplicationKeys, previous: Previous? = nil) {
        self.current = current
        self.previous = previous
    }

    /// The ring with new keys. The current keys are accepted until the overlap ends; older ones end at once.
    package func rotated(to keys: ApplicationKeys, at now: Timestamp, overlap: Duration) -> ApplicationKeyRing {
        ApplicationKeyRing(current: keys, previous: Previous(keys: current, endsAt: now.adding(overlap)))
    }

    /// The keys that a caller names, compared byte by byte; `nil`: there are none, or they have ended.
    package func keys(named applicationKey: String, at now: Timestamp) -> ApplicationKeys? {
        if current.applicationKey.isSame(as: applicationKey) { return current }
        guard let previous, now < previous.endsAt, previous.keys.applicationKey.isSame(as: applicationKey) else {
            return nil
        }
        return previous.keys
    }
}
