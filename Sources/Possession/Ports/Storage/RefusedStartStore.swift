/// Keeps the calls of tenants that started no session.
package protocol RefusedStartStore: Sendable {
    /// Returns when it is durable. Where the tenant has `RefusedStart.most` of the product, its oldest one goes.
    func note(_ start: RefusedStart, of tenant: ClientID) async throws(StorageFault)

    /// Newest first.
    /// - Parameters:
    ///   - number: `nil`: of any.
    ///   - before: only older ones.
    func refusedStarts(
        of tenant: ClientID, product: ProductName, number: PhoneNumber?, before: CorrelationID?, most: Int
    ) async throws(StorageFault) -> [RefusedStart]

    /// `nil`: the tenant has no such one of the product.
    func refusedStart(
        _ id: CorrelationID, of tenant: ClientID, product: ProductName
    ) async throws(StorageFault) -> RefusedStart?

    /// Removes those from before `end`, a bounded amount a call; the number of them.
    func sweepRefusedStarts(before end: Timestamp) async throws(StorageFault) -> Int
}
