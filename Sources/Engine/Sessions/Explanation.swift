package import Possession

/// Why a number or an address did not get through, as far as this server knows: the limits that refuse it now, and the
/// events of its sessions. It contains no code, link, number or address.
package struct Explanation: Sendable {
    package struct Run: Sendable {
        package let session: Session
        package let events: [SessionEvent]
        package let messages: [MessageStanding]

        /// - Throws: `StorageFault`.
        package init(
            of session: Session, _ sessions: any SessionStore, _ outbox: any Outbox
        ) async throws(StorageFault) {
            self.session = session
            events = try await sessions.events(of: session.correlationID)
            messages = try await outbox.standings(of: session.correlationID)
        }
    }

    /// Limits that refuse at each API client, the longest first.
    package var held: [HeldLimit] = []
    /// API clients that may not send to a number like this one, and why.
    package var closures: [(client: ClientID, closure: SendBlock)] = []
    /// Prefixes that an operator has closed.
    package var closed: [ClosedPrefix] = []
    /// Places that are closed to unknown people.
    package var scarce: [ExhaustedPlace] = []
    /// Limits that refused calls about the number, with or without a session. The newest first.
    package var refusals: [RecentRefusals.Refusal] = []
    /// The newest first.
    package var runs: [Run] = []

    package init() {}
}

extension PlatformService {
    /// Explains one session of the tenant, while it is stored. It uses only this tenant's data, not what others did.
    /// - Throws: `.notFound`, `.overloaded`, `.internalFault`.
    package func explanation(
        of id: CorrelationID, for tenant: ClientID
    ) async throws(PlatformRefusal) -> (run: Explanation.Run, held: [HeldLimit]) {
        do {
            guard let found = try await engine.session(.correlation(id), in: SessionFence(tenant: tenant)) else {
                throw PlatformRefusal.notFound(what: "session")
            }
            let now = engine.now()
            let session = try await engine.withExpiries(found, at: now)
            var held: [HeldLimit] = []
            if let limits = engine.limits.overSessions(of: tenant), let target = session.currentTarget {
                let tallies = try await engine.stores.limitCounts.tallies(NumberStanding.keys(of: target, at: tenant))
                held = limits.held(target, of: tenant, tallies, at: now)
            }
            return (try await Explanation.Run(of: session, engine.stores.sessions, engine.stores.outbox), held)
        } catch let refusal as PlatformRefusal {
            throw refusal
        } catch { throw PlatformRefusal(fault: error) }
    }
}
