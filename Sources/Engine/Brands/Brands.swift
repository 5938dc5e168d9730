package import Possession

/// Why a change of a tenant's brands has failed.
package enum BrandError: Error, Sendable, Equatable {
    case refused(BrandRefusal)
    case engine(EngineFault)
}

/// Calls of backends about their brands.
///
///     let brand = try await brands.add(wanted, of: tenant.id)
///     let quota = try await brands.change(brand.id, orElse: nil, of: tenant.id) { (brand, now) throws(BrandRefusal) in ... }
package struct Brands: Sendable {
    private let store: any BrandStore
    private let crypto: Engine.Cryptography
    private let now: Now

    package init(_ engine: Engine) {
        store = engine.stores.clients.brands
        crypto = engine.crypto
        now = engine.now
    }

    /// In the order in which they were added.
    package func all(of tenant: ClientID) async throws(EngineFault) -> [Brand] {
        do { return try await store.brands(of: tenant) } catch { throw EngineFault(error) }
    }

    /// `nil`: nothing is stored under the id.
    package func brand(_ id: BrandID, of tenant: ClientID) async throws(EngineFault) -> Brand? {
        do { return try await store.brand(id, of: tenant) } catch { throw EngineFault(error) }
    }

    /// Adds a brand; returns when it is durable.
    /// - Parameter make: makes the brand from its id and the time.
    /// - Throws: `.refused(.full)`, `.engine`.
    package func add(
        of tenant: ClientID, _ make: @Sendable (BrandID, Timestamp) -> Brand
    ) async throws(BrandError) -> Brand {
        let now = now()
        let brand: Brand
        do throws(EngineFault) { brand = make(try fresh(BrandID.self, at: now), now) } catch { throw .engine(error) }
        let isAdded: Bool
        do throws(StorageFault) {
            isAdded = try await store.change(brand.id, of: tenant) { stored, count in
                guard count < Brand.most else { return false }
                stored = brand
                return true
            }
        } catch { throw .engine(EngineFault(error)) }
        guard isAdded else { throw .refused(.full) }
        return brand
    }

    /// Changes a brand as one step; returns when it is durable.
    /// - Parameter standard: the brand to change if none is stored; `nil`: a brand must be stored.
    /// - Throws: `.refused`, also with `.unknown` and `.full`, and `.engine`. Then nothing has changed.
    package func change<R: Sendable>(
        _ id: BrandID, orElse standard: Brand?, of tenant: ClientID,
        _ rule: @escaping @Sendable (inout Brand, Timestamp) throws(BrandRefusal) -> R
    ) async throws(BrandError) -> R {
        let now = now()
        let changed: Result<R, BrandRefusal>
        do throws(StorageFault) {
            changed = try await store.change(id, of: tenant) { stored, count in
                guard var brand = stored ?? standard else { return .failure(.unknown) }
                guard stored != nil || count < Brand.most else { return .failure(.full) }
                do throws(BrandRefusal) {
                    let result = try rule(&brand, now)
                    stored = brand
                    return .success(result)
                } catch { return .failure(error) }
            }
        } catch { throw .engine(EngineFault(error)) }
        do throws(BrandRefusal) { return try changed.get() } catch { throw .refused(error) }
    }

    /// Removes a brand with its quotas. Its sessions continue, but calls no longer find them by the brand.
    /// - Throws: `.refused(.unknown)`, `.engine`.
    package func remove(_ id: BrandID, of tenant: ClientID) async throws(BrandError) {
        let wasThere: Bool
        do throws(StorageFault) {
            wasThere = try await store.change(id, of: tenant) { stored, _ in
                defer { stored = nil }
                return stored != nil
            }
        } catch { throw .engine(EngineFault(error)) }
        guard wasThere else { throw .refused(.unknown) }
    }

    /// A new identifier.
    package func fresh<ID: Identifier>(_ type: ID.Type) throws(EngineFault) -> ID {
        try fresh(type, at: now())
    }

    private func fresh<ID: Identifier>(_ type: ID.Type, at now: Timestamp) throws(EngineFault) -> ID {
        do { return try crypto.fresh(type, at: now) } catch { throw EngineFault(error) }
    }
}
