import Locks
package import Engine
package import Possession

/// Brands of tenants, in memory.
package final class InMemoryBrands: BrandStore {
    private struct Place: Hashable {
        let tenant: ClientID
        let id: BrandID
    }

    private let all = Locked<[Place: Brand]>([:])

    package init() {}

    package func brands(of tenant: ClientID) async throws(StorageFault) -> [Brand] {
        all.withLock { all in all.filter { $0.key.tenant == tenant }.values.sorted { $0.id < $1.id } }
    }

    package func brand(_ id: BrandID, of tenant: ClientID) async throws(StorageFault) -> Brand? {
        all.withLock { $0[Place(tenant: tenant, id: id)] }
    }

    package func change<R: Sendable>(
        _ id: BrandID, of tenant: ClientID, _ rule: @escaping @Sendable (inout Brand?, _ count: Int) -> R
    ) async throws(StorageFault) -> R {
        all.withLock { all in
            let count = all.keys.count { $0.tenant == tenant }
            return rule(&all[Place(tenant: tenant, id: id)], count)
        }
    }
}
