/// Counts of limits: for operators, and for guesses that belong to no session.
package protocol LimitStore: Sendable {
    /// Shows `rule` what was counted under `keys`, and stores what it counts in it, as one step.
    func count<R: Sendable>(
        _ keys: [LimitKey], _ rule: @escaping @Sendable (inout LimitTallies) -> R
    ) async throws(StorageFault) -> R
    /// The tallies of `keys` that there are.
    func tallies(_ keys: [LimitKey]) async throws(StorageFault) -> [LimitKey: LimitTally]
    /// Forgets what was counted under `keys`; the number of tallies that there were.
    func forgetTallies(_ keys: [LimitKey]) async throws(StorageFault) -> Int
    /// The prefixes and countries that have no more room for strangers, by API client; at most `limit`.
    func scarcePlaces(limit: Int) async throws(StorageFault) -> [ScarcePlace]
}
