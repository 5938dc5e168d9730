package import Possession

/// Removes activations whose phone never signed, and deletes those that were removed long ago.
package struct ActivationSweep: Sendable {
    private let engine: Engine
    private let store: any ActivationStore
    private static let rowsPerPage = 200

    package init(_ engine: Engine) {
        self.engine = engine
        store = engine.stores.activations
    }

    /// - Parameter now: a trusted time.
    /// - Throws: `EngineFault`; the next call does the rest. A damaged activation is reported.
    package func run(at now: Timestamp) async throws(EngineFault) {
        do {
            try await removeUnused(at: now)
            let end = now.adding(.zero - engine.limits.deviceKeyInactivity)
            while try await store.forgetActivations(removedBefore: end) > 0 {}
        } catch { throw EngineFault(error) }
    }

    private func removeUnused(at now: Timestamp) async throws {
        let end = now.adding(.zero - DeviceActivation.timeToFirstUse)
        var last: ActivationID?
        while true {
            let page = try await store.unusedActivations(after: last, madeUpTo: end, most: Self.rowsPerPage)
            for unused in page {
                let teller = try engine.webhookEventFactory(for: unused.clientID, at: now)
                do throws(StorageFault) {
                    _ = try await store.update(unused.id, telling: teller) { $0.removeIfUnused(at: now) }
                } catch {
                    guard case .corrupt = error else { throw error }
                    engine.reports.log("activation \(unused.id.text) was never used, and cannot be removed: \(error)")
                }
                engine.wake(teller)
            }
            guard let next = page.last?.id else { return }
            last = next
        }
    }
}
