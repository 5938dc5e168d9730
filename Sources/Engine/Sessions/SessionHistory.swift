package import Possession

/// Reads past and current sessions of tenants, with their events and messages.
package struct SessionHistory: Sendable {
    private let stores: Engine.Stores

    package init(_ engine: Engine) {
        stores = engine.stores
    }

    /// Sessions of a tenant and a product, newest first.
    /// - Parameters:
    ///   - target: `nil`: any target.
    ///   - before: only older ones.
    package func sessions(
        of tenant: ClientID, product: ProductName, target: Target?, before: CorrelationID?, most: Int
    ) async throws(EngineFault) -> [Session] {
        do {
            return try await stores.sessions.sessions(
                of: tenant, product: product, target: target, before: before, most: most)
        } catch { throw EngineFault(error) }
    }

    /// The events of a session, in order.
    package func events(of session: CorrelationID) async throws(EngineFault) -> [SessionEvent] {
        do { return try await stores.sessions.events(of: session) } catch { throw EngineFault(error) }
    }

    /// The messages of a session that are not yet removed, each with its state.
    package func messages(of session: CorrelationID) async throws(EngineFault) -> [MessageStanding] {
        do { return try await stores.outbox.standings(of: session) } catch { throw EngineFault(error) }
    }
}
