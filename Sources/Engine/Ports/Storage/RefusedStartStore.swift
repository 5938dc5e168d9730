package import Possession

/// Stores tenants' calls that started no session.
package protocol RefusedStartStore: Sendable {
    /// Returns when it is durable. Beyond `RefusedStart.most` of the product the tenant's oldest one is removed.
    func note(_ start: RefusedStart, of tenant: ClientID) async throws(StorageFault)

    /// Newest first.
    /// - Parameters:
    ///   - number: `nil`: any number.
    ///   - before: only older ones.
    func refusedStarts(
        of tenant: ClientID, product: ProductName, number: PhoneNumber?, before: CorrelationID?, most: Int
    ) async throws(StorageFault) -> [RefusedStart]

    /// `nil`: the tenant has no such call for the product.
    func refusedStart(
        _ id: CorrelationID, of tenant: ClientID, product: ProductName
    ) async throws(StorageFault) -> RefusedStart?

    /// Removes those from before `end`, a bounded number in each call. Returns how many.
    func sweepRefusedStarts(before end: Timestamp) async throws(StorageFault) -> Int
}
