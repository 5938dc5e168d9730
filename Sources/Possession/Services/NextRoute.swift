/// Sends a message that its carrier took and could not deliver, or said nothing of in time, once more, by another route and
/// as it was. Another channel of the same gateway is another route.
///
/// The server sends it, not on request. It happens in the transaction that notes the receipt, so that no receipt does it
/// twice, and within all that holds for messages. It is one of those that the session may send, it counts for every limit and
/// budget, and a closed prefix gets none. Only the time between two messages to one number does not matter: it keeps
/// people from asking again and again.
struct NextRoute: Sendable {
    private let engine: Engine
    /// ID of the next message.
    private let id: MessageID
    private let rules: Rules

    /// `nil`: this server sends nothing so.
    init?(
        after subject: ReceiptService.Subject, _ engine: Engine, at now: Timestamp
    ) async throws(EngineFault) {
        guard engine.limits.sendsByNextRoute else { return nil }
        self.engine = engine
        // Also within one millisecond it is the newer one.
        let later = max(now, subject.message.createdAt.adding(.milliseconds(1)))
        do { id = try engine.fresh(MessageID.self, at: later) } catch { throw EngineFault(error) }
        let key = SessionKey.correlation(subject.correlationID)
        rules =
            engine.rules.standingStopsSends
            ? try await engine.rules(of: key, in: .all) { $0.currentNumber.map { .number($0) } } : engine.rules
    }

    /// Notes in `lookup` the data that the change has to read for it.
    func look(_ lookup: inout ChangeInputs) {
        lookup.wantsKeptMessage = true
        lookup.wantsTenantRules = engine.budgetsCountParts
        guard let over = engine.limits.overSessions else { return }
        lookup.limitKeys = { [engine] session, _ in
            guard let over = engine.limits.overSessions(of: session.clientID), let target = session.currentTarget else {
                return []
            }
            let kind: Session.MessageKind = session.phase == .active(.linkWait) ? .link : .code
            return engine.subject(ofAutomatic: kind, in: session, to: target).keys(by: over).filter {
                over.reads($0.counter)
            }
        }
        lookup.wantsTenantCount = over.spend.isShared
        lookup.knownTarget = { $0.currentTarget }
    }

    /// Promises the next message, unless there is no next route, the session does not wait for it, or a limit says no.
    /// - Parameters:
    ///   - gateway: that had taken the message.
    ///   - way: that the next one does not take.
    func send(
        in change: inout SessionChange, from gateway: String, avoiding way: AvoidedWay, at now: Timestamp
    ) -> OutboundMessage? {
        guard let earlier = change.keptMessage, !change.tenantIsRevoked else { return nil }
        do throws(StepRefusal) {
            let sent = try change.send(
                at: now, rules: rules, { engine.subject(ofAutomatic: earlier.pending.kind, in: $0, to: $1) },
                parts: { engine.parts(of: $0, in: $1, $2) }
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
