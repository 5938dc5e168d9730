internal import Possession

/// Finds sessions that have expired without a call, so that their end is stored and reported.
///
/// Each call reads some rows after the last row of the previous call. Only sessions of tenants with an endpoint are
/// changed. A damaged session is reported and skipped. After any other fault the next call reads the same rows again.
package struct ExpiryWatch: Sendable {
    private let engine: Engine
    private var lookedAt: CorrelationID?
    /// Sessions that were still open when they were read: their lifetime is longer than the default, or a link gave its
    /// code in their last minute. They are read again at `until`.
    private var goingOn: [(entry: UnfinishedSessions.Entry, until: Timestamp)] = []
    private static let mostGoingOn = 65_536

    package init(_ engine: Engine) {
        self.engine = engine
    }

    /// Stores the end of expired sessions.
    /// - Returns: whether rows were found. If so, the next call may find more.
    package mutating func expireSome() async throws(EngineFault) -> Bool {
        guard engine.stores.webhooks.hasSubscriptions else { return false }
        let now = engine.now()
        do {
            let page = try await engine.stores.sessions.unfinishedSessions(
                after: lookedAt, from: now.adding(.zero - engine.limits.rowLifetime),
                before: now.adding(.zero - engine.limits.sessionLifetime))
            if page.damaged > 0 {
                engine.reports.log("\(page.damaged) sessions cannot be read: their expiry is not reported")
            }
            var goingOn = goingOn.filter { now < $0.until }
            let due = self.goingOn.filter { $0.until <= now }.map(\.entry)
            for session in due + page.sessions where !engine.stores.webhooks.subscriptions(of: session.client).isEmpty {
                do {
                    // The rule does nothing: the change itself expires what is due.
                    let changed = try await engine.changeOrFault(
                        .correlation(session.id), by: .server, at: now, { (_) throws(Never) in })
                    if case .made(_, let stored) = changed, !stored.isDone, goingOn.count < Self.mostGoingOn {
                        goingOn.append((session, max(stored.expiresAt, now.adding(ExchangeCode.lifetime))))
                    }
                } catch let fault as StorageFault {
                    guard case .corrupt = fault else { throw fault }
                    engine.reports.log("session \(session.id.text) was not ended when its time was over: \(fault)")
                }
            }
            if let last = page.last { lookedAt = last }
            self.goingOn = goingOn
            return page.last != nil
        } catch { throw EngineFault(error) }
    }
}
