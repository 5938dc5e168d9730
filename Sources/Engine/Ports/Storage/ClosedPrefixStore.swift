package import Possession

/// Stores the prefixes that operators have closed. There are few, and every send reads them.
package protocol ClosedPrefixStore: Sendable {
    /// All closed prefixes that were not opened, including expired ones, by prefix.
    var closedPrefixes: [ClosedPrefix] { get }

    /// Closes a prefix, never for a shorter time than before, and deletes those that have expired at `now`.
    /// - Returns: until when it is closed; `nil`: there are `ClosedPrefix.most` others.
    func close(_ closed: ClosedPrefix, at now: Timestamp) async throws(StorageFault) -> Timestamp?

    /// - Returns: whether it was closed.
    func open(_ prefix: NumberPrefix) async throws(StorageFault) -> Bool
}

extension ClosedPrefix {
    /// Every message is compared with all of them.
    package static let most = 1_000
}
