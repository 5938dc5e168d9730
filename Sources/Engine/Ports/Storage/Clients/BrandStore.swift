package import Possession

/// Stores the brands of tenants.
package protocol BrandStore: Sendable {
    /// In the order of their ids.
    func brands(of tenant: ClientID) async throws(StorageFault) -> [Brand]

    /// `nil`: the tenant has no such brand.
    func brand(_ id: BrandID, of tenant: ClientID) async throws(StorageFault) -> Brand?

    /// Reads, changes and stores one brand as one step; returns when it is durable.
    /// - Parameter rule: gets the brand (`nil` if there is none) and the number of the tenant's brands. The brand that
    ///   it leaves is stored; if it leaves `nil`, the brand is removed.
    func change<R: Sendable>(
        _ id: BrandID, of tenant: ClientID, _ rule: @escaping @Sendable (inout Brand?, _ count: Int) -> R
    ) async throws(StorageFault) -> R
}
