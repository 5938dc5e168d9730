package import Possession

/// Tenants' calls that started no session.
package struct RefusedStarts: Sendable {
    private let store: any RefusedStartStore

    package init(_ engine: Engine) {
        store = engine.stores.refusedStarts
    }

    /// Records a call. Beyond `RefusedStart.most` of the product the tenant's oldest one is removed.
    package func record(_ start: RefusedStart, of tenant: ClientID) async throws(EngineFault) {
        do { try await store.note(start, of: tenant) } catch { throw EngineFault(error) }
    }

    /// Newest first.
    /// - Parameters:
    ///   - number: `nil`: any number.
    ///   - before: only older ones.
    package func starts(
        of tenant: ClientID, product: ProductName, number: PhoneNumber?, before: CorrelationID?, most: Int
    ) async throws(EngineFault) -> [RefusedStart] {
        do {
            return try await store.refusedStarts(
                of: tenant, product: product, number: number, before: before, most: most)
        } catch { throw EngineFault(error) }
    }

    /// `nil`: the tenant has no such call for the product.
    package func start(
        _ id: CorrelationID, of tenant: ClientID, product: ProductName
    ) async throws(EngineFault) -> RefusedStart? {
        do { return try await store.refusedStart(id, of: tenant, product: product) } catch { throw EngineFault(error) }
    }
}
