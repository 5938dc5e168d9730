package import Possession

/// Stores test numbers across restarts. There are few, and every send and every code reads them.
package protocol TestNumberStore: Sendable {
    /// All test numbers that were not removed, including expired ones, the oldest first.
    var testNumbers: [TestNumber] { get }

    /// Adds a test number, and removes those that have expired at `now`.
    ///
    /// - Returns: `false` if there are already `TestNumber.most`.
    /// - Throws: `.duplicate` if the number exists.
    func add(_ entry: TestNumber, at now: Timestamp) async throws(StorageFault) -> Bool

    /// - Returns: whether the number was stored.
    func removeTestNumber(_ number: PhoneNumber) async throws(StorageFault) -> Bool
}
