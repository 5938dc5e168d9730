package import Possession

/// Records delivery receipts of messages.
///
///     let receipts = ReceiptService(engine)
///     if let message = receipts.message(of: token, from: "main") { try await receipts.take(receipt, for: message, from: "main") }
package struct ReceiptService: Sendable {
    /// The message that a token identifies.
    package struct Subject: Sendable, Equatable {
        package let correlationID: CorrelationID
        package let message: MessageID
    }

    private let engine: Engine

    package init(_ engine: Engine) {
        self.engine = engine
    }

    /// The message in the address of a receipt: two ids, and 128 bits that only this server can compute for this
    /// gateway.
    /// - Returns: `nil` for a token that this server did not issue.
    /// - Parameter gateway: the gateway that sent the receipt, by its configured name.
    package func message(of token: String, from gateway: String) -> Subject? {
        guard let bytes = engine.crypto.keyed.bytes(token), bytes.count == 48 else { return nil }
        let subject = Subject(
            correlationID: CorrelationID(bytes: bytes[0..<16]), message: MessageID(bytes: bytes[16..<32]))
        let expected = engine.crypto.keyed.receipt(subject.correlationID, subject.message, gateway)
        return constantTimeEqual(expected, Array(bytes[32...])) ? subject : nil
    }

    /// Records a receipt on the session's timeline. It may come twice, late, or before the gateway's response; only the
    /// first end of a message is recorded. A failure after a delivery is recorded too: each part of a long message has
    /// its own receipt, and a message is delivered only if all its parts are.
    ///
    /// While a message is being sent, another gateway may have it by now. So an early failure is recorded with its
    /// gateway and decides nothing. Once the message is recorded as sent, `noteOverdue` handles the failure if the same
    /// gateway took the message.
    /// - Parameters:
    ///   - gateway: the gateway that sent the receipt, by its configured name.
    ///   - isTimed: the gateway has a deadline for its first receipt. An intermediate receipt also meets it.
    /// - Returns: whether the receipt was recorded.
    @discardableResult
    package func take(
        _ receipt: MessageReceipt, for subject: Subject, from gateway: String, isTimed: Bool = false
    ) async throws(EngineFault) -> Bool {
        guard let end = receipt.end else {
            if isTimed { try await noteFirst(of: subject, from: gateway) }
            return false
        }
        var lookup = ChangeInputs()
        lookup.message = subject.message
        let now = engine.now()
        let detail = receipt.code.map { "\(gateway) \($0)" } ?? gateway
        let next = end == .delivered ? nil : try await NextRoute(after: subject, engine, at: now)
        if end != .delivered { addInputs(of: next, to: &lookup, at: now) }
        let limits = engine.limits
        // Usually no tenant has an endpoint, and the rule runs on the single writer.
        let isTold = engine.stores.webhooks.hasSubscriptions
        let changed = try await engine.change(
            .correlation(subject.correlationID), by: .server, lookup, at: now
        ) { (change) throws(Never) -> Taken? in
            guard let state = change.messageState, state == .queued || state == .sent else { return nil }
            let isOfOther = change.messageGateway.map { !$0.utf8.elementsEqual(gateway.utf8) } ?? false
            switch state {
            // Another gateway took the message. This receipt is about an earlier try that failed.
            case .sent where isOfOther: return nil
            // While a message is being sent, the newest gateway that reports most likely has it.
            default: if let known = change.messageEnd, !isOfOther || state == .sent, !end.corrects(known) { return nil }
            }
            change.messageEnd = end
            change.messageAwaitsReceipt = false
            if state == .queued, end != .delivered {
                change.messageGateway = gateway
            } else {
                // The message was sent, even if that is not recorded yet.
                change.messageState = .sent
            }
            change.session.record(end.event, at: now, detail: detail)
            if isTold {
                change.news.append(
                    change.session.news(
                        ofReceipt: receipt, end, of: subject.message, from: gateway, by: change.messageChannel,
                        at: now))
            }
            guard change.messageState == .sent else { return Taken(next: nil) }
            let way = ExcludedRoute(gateway, change.messageChannel)
            let again = next?.send(in: &change, from: gateway, avoiding: way, at: now)
            // If the message is sent again, the new one replaces it, so its tokens are not returned.
            if end != .delivered, again == nil, let target = change.session.currentTarget {
                change.giveBack(target, isTaken: true, limits: limits, at: now)
            }
            return Taken(next: again)
        }
        guard case .made(let taken?, let session) = changed else { return false }
        let country = session.currentNumber.flatMap(engine.network.numbers.country)
        engine.reports.recordNews(.receipt(end, gateway: gateway, country: country))
        await send(taken.next, of: session, from: gateway, country: country)
        return true
    }

    /// Adds to `lookup` the data that the change needs to send the message again, or to return its tokens.
    private func addInputs(of next: NextRoute?, to lookup: inout ChangeInputs, at now: Timestamp) {
        if let next { return next.addInputs(to: &lookup, at: now) }
        guard engine.limits.overSessions != nil else { return }
        lookup.limitKeys = { session, _ in session.currentTarget.map { session.answerKeys(of: $0) } ?? [] }
    }

    /// Records that the gateway has sent a first receipt.
    private func noteFirst(of subject: Subject, from gateway: String) async throws(EngineFault) {
        var lookup = ChangeInputs()
        lookup.message = subject.message
        _ = try await engine.change(
            .correlation(subject.correlationID), by: .server, lookup, at: engine.now()
        ) { (change) throws(Never) in
            guard change.messageGateway?.utf8.elementsEqual(gateway.utf8) == true else { return }
            change.messageAwaitsReceipt = false
        }
    }

    /// Messages that are read at a time.
    private static let overdueAtOnce = 64

    /// Records messages without a receipt in their gateway's time, and messages whose failure came before the gateway's
    /// own response. Each is recorded once and sent by the next route, like an undelivered message. A later receipt is
    /// still accepted.
    /// - Returns: how many were recorded.
    package func noteOverdue() async throws(EngineFault) -> Int {
        let overdue: [OverdueReceipt]
        do { overdue = try await engine.stores.outbox.overdue(at: engine.now(), limit: Self.overdueAtOnce) } catch {
            throw EngineFault(error)
        }
        var (noted, fault) = (0, EngineFault?.none)
        for receipt in overdue {
            // A damaged one must not block the others.
            do throws(EngineFault) {
                if try await noteOverdue(Subject(correlationID: receipt.session, message: receipt.message)) {
                    noted += 1
                }
            } catch { fault = error }
        }
        if noted == 0, let fault { throw fault }
        return noted
    }

    private func noteOverdue(_ subject: Subject) async throws(EngineFault) -> Bool {
        var lookup = ChangeInputs()
        lookup.message = subject.message
        let now = engine.now()
        let next = try await NextRoute(after: subject, engine, at: now)
        addInputs(of: next, to: &lookup, at: now)
        let limits = engine.limits
        let changed = try await engine.change(
            .correlation(subject.correlationID), by: .server, lookup, at: now
        ) { (change) throws(Never) -> Overdue? in
            guard change.messageAwaitsReceipt, let gateway = change.messageGateway else { return nil }
            change.messageAwaitsReceipt = false
            guard change.messageState == .sent, change.messageEnd != .delivered else { return nil }
            // A failure was added to the timeline when its receipt came.
            let hasFailed = change.messageEnd != nil
            if !hasFailed { change.session.record(.messageUnconfirmed, at: now, detail: gateway) }
            let way = ExcludedRoute(gateway, change.messageChannel)
            let again = next?.send(in: &change, from: gateway, avoiding: way, at: now)
            if hasFailed, again == nil, let target = change.session.currentTarget {
                change.giveBack(target, isTaken: true, limits: limits, at: now)
            }
            return Overdue(gateway: gateway, hasFailed: hasFailed, next: again)
        }
        guard case .made(let overdue?, let session) = changed else { return false }
        let country = session.currentNumber.flatMap(engine.network.numbers.country)
        if !overdue.hasFailed {
            engine.reports.recordNews(
                .receiptOverdue(gateway: overdue.gateway, country: country, of: subject.correlationID))
        }
        await send(overdue.next, of: session, from: overdue.gateway, country: country)
        return true
    }

    /// Sends the message that replaces another one, if there is one.
    private func send(
        _ next: OutboundMessage?, of session: Session, from gateway: String, country: String?
    ) async {
        guard let next else { return }
        engine.reports.recordNews(.sentAgain(from: gateway, country: country))
        // The carrier of the earlier message does not learn the result.
        _ = try? await MessageDelivery(engine: engine).deliver(next, of: session)
    }

    private struct Overdue: Sendable {
        let gateway: String
        let hasFailed: Bool
        let next: OutboundMessage?
    }

    /// Result of taking a receipt.
    private struct Taken: Sendable {
        let next: OutboundMessage?
    }
}

extension MessageReceipt.End {
    fileprivate var event: SessionEvent.Kind {
        switch self {
        case .delivered: .messageDelivered
        case .undelivered: .messageUndelivered
        case .expired: .messageExpired
        }
    }
}

extension ReceiptService {
    /// The token that identifies a message in the receipt URL of a gateway.
    static func token(of message: OutboundMessage, from gateway: String, _ keyed: KeyedDigests) -> String {
        keyed.text(
            message.correlationID.bytes + message.id.bytes
                + keyed.receipt(message.correlationID, message.id, gateway))
    }
}
