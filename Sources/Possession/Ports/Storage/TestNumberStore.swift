/// Keeps test numbers over restarts: a few, which every send and every code ask for.
package protocol TestNumberStore: Sendable {
    /// Every one that has not been removed, those that have ended among them, the oldest first.
    var testNumbers: [TestNumber] { get }

    /// Adds one, in the place of those that have ended at `now`.
    ///
    /// - Returns: `false` where there are `TestNumber.most` already.
    /// - Throws: `.duplicate` where there is this number.
    func add(_ entry: TestNumber, at now: Timestamp) async throws(StorageFault) -> Bool

    /// - Returns: whether there was this number.
    func removeTestNumber(_ number: PhoneNumber) async throws(StorageFault) -> Bool
}
