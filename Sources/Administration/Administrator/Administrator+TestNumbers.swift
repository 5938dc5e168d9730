internal import Engine
internal import Possession

extension Administrator {
    private func testNumberStore() throws(Refusal) -> any TestNumberStore {
        guard let testNumbers else {
            throw .invalid("test numbers are for live mode: a sandbox has users with codes of their own")
        }
        return testNumbers
    }

    /// - Throws: `.invalid`: this is a sandbox.
    func allTestNumbers() throws(Refusal) -> [TestNumber] { try testNumberStore().testNumbers }

    /// Takes effect with the number's next code.
    /// - Throws: `.invalid`, `.unknownClient`, `.revoked`, `.failed`.
    func add(_ order: AddTestNumber) async throws(Refusal) -> TestNumber {
        let store = try testNumberStore()
        guard (1...TestNumber.mostDays).contains(order.days) else {
            throw .invalid("days: must be 1 to \(TestNumber.mostDays)")
        }
        let now = now()
        do {
            if let wanted = order.client {
                guard let tenant = try await client(wanted) else { throw Refusal.unknownClient }
                guard tenant.revokedAt == nil else { throw Refusal.revoked }
            }
            let entry = TestNumber(
                number: order.number, code: order.code, tenant: order.client, createdAt: now,
                endsAt: now.adding(.seconds(order.days * 86_400)))
            guard try await store.add(entry, at: now) else {
                throw Refusal.invalid("there are \(TestNumber.most) test numbers: remove one first")
            }
            return entry
        } catch let refusal as Refusal {
            throw refusal
        } catch StorageFault.duplicate {
            throw .invalid("this is a test number already: remove it first")
        } catch { throw .failed("storage: \(error)") }
    }

    /// Takes effect at once: a waiting session no longer accepts the fixed code.
    /// - Throws: `.invalid`, `.failed`.
    func removeTestNumber(_ number: PhoneNumber) async throws(Refusal) {
        let store = try testNumberStore()
        guard try await stored({ try await store.removeTestNumber(number) }) else {
            throw .invalid("this is no test number")
        }
    }
}
