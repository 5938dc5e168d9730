/// Keeps the prefixes that operators have closed: a few, which every send asks for.
package protocol ClosedPrefixStore: Sendable {
    /// Every one that has not been opened, those that have ended among them, by prefix.
    var closedPrefixes: [ClosedPrefix] { get }

    /// Closes one, for no shorter than it is already, and forgets those that have ended at `now`.
    /// - Returns: until when; `nil`: there are `ClosedPrefix.most` others.
    func close(_ closed: ClosedPrefix, at now: Timestamp) async throws(StorageFault) -> Timestamp?

    /// - Returns: whether it was closed.
    func open(_ prefix: NumberPrefix) async throws(StorageFault) -> Bool
}

extension ClosedPrefix {
    /// Each message asks all of them.
    package static let most = 1_000
}
