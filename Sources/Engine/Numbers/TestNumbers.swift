package import Possession

/// A tenant's own test numbers, which get no messages and accept one fixed code.
package struct TestNumbers: Sendable {
    package enum Added: Sendable, Equatable {
        case added(TestNumber)
        /// There are already `TestNumber.most`.
        case full
        /// It is a test number of another tenant, or of all tenants.
        case taken
    }

    private let store: any TestNumberStore
    private let now: Now

    package init(_ engine: Engine) {
        store = engine.stores.clients.testNumbers
        now = engine.now
    }

    /// The tenant's test numbers that have not expired, the oldest first.
    package func all(of tenant: ClientID) -> [TestNumber] {
        let now = now()
        return store.testNumbers.filter { $0.tenant == tenant && now < $0.endsAt }
    }

    /// Whether the tenant has added the number, also if it has expired.
    package func has(_ number: PhoneNumber, of tenant: ClientID) -> Bool {
        store.testNumbers.contains { $0.number == number && $0.tenant == tenant }
    }

    /// Adds a number for `TestNumber.mostDays`, in place of an entry of the same tenant.
    package func put(_ number: PhoneNumber, code: OTP, of tenant: ClientID) async throws(EngineFault) -> Added {
        let now = now()
        let entry = TestNumber(
            number: number, code: code, tenant: tenant, createdAt: now,
            endsAt: now.adding(.seconds(TestNumber.mostDays * 86_400)))
        try await remove(number, of: tenant)
        do throws(StorageFault) { return try await store.add(entry, at: now) ? .added(entry) : .full } catch {
            if case .duplicate = error { return .taken }
            throw EngineFault(error)
        }
    }

    /// Removes a number, if the tenant has added it.
    package func remove(_ number: PhoneNumber, of tenant: ClientID) async throws(EngineFault) {
        guard has(number, of: tenant) else { return }
        do { _ = try await store.removeTestNumber(number) } catch { throw EngineFault(error) }
    }
}
