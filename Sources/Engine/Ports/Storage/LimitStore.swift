package import Possession

/// Counts of limits: for operators, and for guesses that belong to no session.
package protocol LimitStore: Sendable {
    /// Gives `rule` the tallies under `keys`, and stores its changes, as one step.
    func count<R: Sendable>(
        _ keys: [LimitKey], _ rule: @escaping @Sendable (inout LimitTallies) -> R
    ) async throws(StorageFault) -> R
    /// The existing tallies of `keys`.
    func tallies(_ keys: [LimitKey]) async throws(StorageFault) -> [LimitKey: LimitTally]
    /// Deletes the tallies under `keys`. Returns how many existed.
    func forgetTallies(_ keys: [LimitKey]) async throws(StorageFault) -> Int
    /// Prefixes and countries whose budget for unknown callers is used up, by API client; at most `limit`.
    func scarcePlaces(limit: Int) async throws(StorageFault) -> [ExhaustedPlace]
}
