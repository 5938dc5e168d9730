internal import Possession

/// Sends a message again, unchanged and by another route, if its carrier could not deliver it or sent no receipt in
/// time. Another channel of the same gateway is another route.
///
/// The server sends it without a request. The transaction that records the failed or missing receipt also stores the
/// new message, so no receipt sends it twice. It is one of the session's messages, it counts for the limits of its
/// number and for budgets, and a closed prefix gets none. Limits of the caller and of the place do not apply, nor does
/// the minimum time between two messages, which only stops people from repeating requests.
struct NextRoute: Sendable {
    private let engine: Engine
    /// ID of the next message.
    private let id: MessageID
    private let context: RuleContext

    /// `nil`: this server does not send messages by a next route.
    init?(
        after subject: ReceiptService.Subject, _ engine: Engine, at now: Timestamp
    ) async throws(EngineFault) {
        guard engine.limits.sendsByNextRoute else { return nil }
        self.engine = engine
        // The new id must be the newer one, even within one millisecond.
        let later = max(now, subject.message.createdAt.adding(.milliseconds(1)))
        do { id = try engine.crypto.fresh(MessageID.self, at: later) } catch { throw EngineFault(error) }
        let key = SessionKey.correlation(subject.correlationID)
        let rules = engine.rules
        context = RuleContext(
            rules.standingStopsSends
                ? try await engine.rules(of: key, in: .all) { $0.currentNumber.map { .number($0) } } : rules,
            engine.server)
    }

    /// Adds to `lookup` the data that the change must read for it.
    func addInputs(to lookup: inout ChangeInputs, at now: Timestamp) {
        lookup.wantsKeptMessage = true
        lookup.wantsTenantRules = context.rules.limits.budgetsCountParts
        guard let over = context.rules.limits.overSessions else { return }
        lookup.limitKeys = { [context] session, _ in
            guard let over = context.rules.limits.overSessions(of: session.clientID), let target = session.currentTarget
            else {
                return []
            }
            let kind: Session.MessageKind = session.phase == .active(.linkWait) ? .link : .code
            return context.subject(ofAutomatic: kind, in: session, to: target, at: now).keys(by: over).filter {
                over.reads($0.counter)
            }
        }
        lookup.wantsTenantCount = over.spend.isShared
        lookup.knownTarget = { $0.currentTarget }
    }

    /// Prepares the next message, unless there is no next route, the session does not wait for it, or a limit refuses
    /// it.
    /// - Parameters:
    ///   - gateway: the gateway that took the message.
    ///   - way: the route that the next message must not take.
    func send(
        in change: inout SessionChange, from gateway: String, avoiding way: ExcludedRoute, at now: Timestamp
    ) -> OutboundMessage? {
        guard let earlier = change.keptMessage, !change.tenantIsRevoked else { return nil }
        do throws(StepRefusal) {
            let sent = try change.send(
                at: now, rules: context.rules,
                { context.subject(ofAutomatic: earlier.pending.kind, in: $0, to: $1, at: now) },
                parts: { context.parts(of: $0, in: $1, $2) }
            ) { (session) throws(StepRefusal) in
                try session.sendAgain(earlier.pending, at: now)
            }
            guard case .success(let pending?) = sent else { return nil }
            let next = OutboundMessage(
                id: id, correlationID: change.session.correlationID, pending: pending,
                avoids: earlier.avoids + [way])
            change.message = next
            change.news.append(change.session.news(ofFallback: next, for: earlier.id, from: gateway, at: now))
            return next
        } catch { return nil }
    }
}
