internal import Possession

/// Gives a stored message to the carrier, and records the carrier's response.
struct MessageDelivery: Sendable {
    let engine: Engine

    /// Sends a message that this process has just stored or taken. If the carrier refuses it, it is taken back and not
    /// counted. If the carrier takes long, the call does not wait for it and reports the message as on its way.
    /// - Parameter session: the message's own.
    /// - Returns: the reply of the call that requested the message; `nil`: the session was removed.
    func deliver(
        _ message: OutboundMessage, of session: Session
    ) async throws(EngineFault) -> OperationReply? {
        let isWaitedFor = !session.request.policy.tellsNothingOfMessages
        let pause = isWaitedFor ? .zero : quietPause
        let sent = await engine.network.sending.run(isWaitedFor: isWaitedFor) {
            () async -> Result<OperationReply?, EngineFault> in
            await engine.network.sending.pause(pause)
            do throws(EngineFault) { return .success(try await send(message, of: session)) } catch {
                return .failure(error)
            }
        }
        // The carrier takes long, or the caller must not learn the result.
        guard let sent, isWaitedFor else { return OperationReply(refusal: nil, session: session) }
        return try sent.get()
    }

    /// A random delay of up to half a second before a message whose result the caller must not learn. It also applies
    /// to messages for unknown people. Otherwise the work for a real message would slow down the caller's next call.
    private var quietPause: Duration {
        guard let drawn = try? engine.crypto.randomBytes(2) else { return .zero }
        return .milliseconds(drawn.reduce(0) { $0 << 8 | Int64($1) } * 500 / 65_536)
    }

    private func send(
        _ message: OutboundMessage, of session: Session
    ) async throws(EngineFault) -> OperationReply? {
        let fault: GatewayFault
        switch await handOver(message, of: session) {
        case .success(let acceptance):
            await noteSent(message, acceptance, of: session)
            var reply = OperationReply(refusal: nil, session: session)
            reply.channel = acceptance.channel
            return reply
        case .failure(let refused): fault = refused
        case nil: return OperationReply(refusal: nil, session: session)
        }
        // The failure may be caused by the end of this process, not by the carrier. The next process sends the message.
        if Task.isCancelled {
            engine.stores.outbox.release(message)
            return OperationReply(refusal: nil, session: session)
        }
        var reply = try await finish(message, as: .failed, after: fault)
        reply?.carrierFault = fault.kind
        return reply
    }

    /// Takes back a message that was not sent. The reply stored for its call is replaced.
    /// - Parameter fault: why no carrier took it; `nil`: no carrier was asked.
    /// - Returns: the reply of its call; `nil`: the session was removed.
    /// - Throws: `.overloaded`, `.failed`; the message can then be taken again.
    func finish(
        _ message: OutboundMessage, as state: OutboundMessage.State, after fault: GatewayFault? = nil
    ) async throws(EngineFault) -> OperationReply? {
        var lookup = ChangeInputs()
        lookup.retry = message.retry
        lookup.message = message.id
        let target = message.pending.to
        if engine.limits.overSessions != nil { lookup.limitKeys = { session, _ in session.answerKeys(of: target) } }
        let (now, limits) = (engine.now(), engine.limits)
        let changed: Changed<Void, Never>
        do throws(EngineFault) {
            changed = try await engine.change(
                .correlation(message.correlationID), by: .server, lookup, at: now,
                append: { change, _ in
                    guard change.messageState == state else { return }
                    change.news.append(change.session.news(ofFailed: message, isLate: state == .expired, at: now))
                    guard let retry = message.retry else { return }
                    change.reply = KeptReply(
                        requestBody: retry.body,
                        reply: OperationReply(refusal: .messageFailed, session: change.session),
                        at: now)
                }
            ) { (change) throws(Never) in
                // Another call may have recorded the result.
                guard change.messageState == .queued else { return }
                if !change.session.request.policy.tellsNothingOfMessages {
                    change.session.giveBack(message.pending, orLate: state == .expired, at: now)
                }
                change.messageState = state
                change.messageRefusals = fault?.allRefusals ?? []
                change.giveBack(target, isTaken: false, limits: limits, at: now)
            }
        } catch {
            engine.stores.outbox.release(message)
            throw error
        }
        switch changed {
        case .made(_, let left), .revoked(let left): return OperationReply(refusal: .messageFailed, session: left)
        case .unknown:
            // The session was removed or is being erased. If the erasure fails, the message can be taken again.
            engine.stores.outbox.release(message)
            return nil
        }
    }

    /// Records that a carrier took the message, queues the webhook events, and then confirms it to the gateway.
    func noteSent(_ message: OutboundMessage, _ acceptance: Acceptance, of session: Session) async {
        let webhooks = engine.webhooks(
            of: session.news(ofSent: message, acceptance, at: engine.now()), for: session.clientID)
        let keeps = engine.limits.sendsByNextRoute && acceptance.hasNextRoute
        engine.stores.outbox.noteSent(message, acceptance, keeps: keeps, webhooks: webhooks)
        engine.wake(for: webhooks)
        await engine.network.gateway.wasNoted(message.id)
    }

    /// Gives the message to the gateway and returns its response. The reason of a refusal is reported.
    /// - Returns: `nil`: another server may have taken the message. This one gives it up.
    func handOver(_ message: OutboundMessage, of session: Session) async -> Result<Acceptance, GatewayFault>? {
        if message.pending.to.isNobody {
            await engine.network.sending.pause(engine.carrierTimes.take())
            return .success(Acceptance())
        }
        if let isTaken = isKept(message, of: session) {
            return isTaken ? .success(Acceptance()) : .failure(GatewayFault("a link to a test number", kind: .number))
        }
        let outgoing = await outgoing(message, of: session)
        guard await engine.stores.outbox.keepsMessages() else {
            engine.stores.outbox.release(message)
            return nil
        }
        let beginning = engine.now()
        let handed: Result<Acceptance, GatewayFault>
        do { handed = .success(try await engine.network.gateway.send(outgoing)) } catch {
            if error.isGivenUp {
                // A server that was removed stores nothing, so its release is not stored either.
                engine.stores.outbox.release(message)
                return nil
            }
            engine.reports.log("a message to \(message.pending.to) was not taken: \(error.reason)")
            handed = .failure(error)
        }
        if session.request.policy.tellsNothingOfMessages {
            engine.carrierTimes.note(.milliseconds(engine.now().milliseconds - beginning.milliseconds))
        }
        let isTaken = if case .success = handed { true } else { false }
        engine.reports.recordNews(.message(message.pending.kind, to: message.pending.to, isTaken: isTaken))
        return handed
    }

    /// Whether a message to a test number counts as taken. It is never sent: its code is known, and a link would open
    /// nowhere, so a link counts as not taken. `nil`: the message is for a phone.
    ///
    /// A code is recognized by its digest: a code made for a test number is never sent, even if the number is no longer
    /// one.
    private func isKept(_ message: OutboundMessage, of session: Session) -> Bool? {
        guard let number = message.pending.number else { return nil }
        switch message.pending.content {
        case .code(let code, let digest, _):
            guard digest == engine.crypto.keyed.testOTP(code, session.authID) else { return nil }
            engine.reports.recordNews(.testNumber(number, .asked, of: session.clientID))
            return true
        case .link:
            guard engine.server.testNumber(number, of: session.clientID, at: engine.now()) != nil else { return nil }
            engine.reports.log("a link to \(number) was not sent: it is a test number, which takes codes only")
            return false
        }
    }

    private func outgoing(_ message: OutboundMessage, of session: Session) async -> OutgoingMessage {
        let rules = try? await engine.stores.clients.tenants.tenant(session.clientID)?.rules
        let country = message.pending.number.flatMap { engine.network.numbers.country(of: $0) }
        var code: OTP?
        var linkToken: String?
        switch message.pending.content {
        case .code(let sent, _, _):
            code = sent
            linkToken = engine.context.carriedLink(of: session)
        case .link(let token, _, _):
            linkToken = token
        }
        let ordinal = session.request.policy.sends - message.pending.sendsLeft - 1
        var previous: OutgoingMessage.Taken?
        if ordinal > 0 { previous = await taken(before: message) }
        return OutgoingMessage(
            id: message.id, to: message.pending.to,
            forms: engine.context.forms(of: message.pending, in: session, rules),
            code: code,
            link: linkToken.map { MessageWording.link($0, below: engine.server.linkURL) }, linkToken: linkToken,
            correlationID: session.correlationID, tenant: session.clientID, country: country,
            ordinal: ordinal, previous: previous, avoids: message.avoids, sentAt: engine.now(),
            usefulUntil: message.pending.usefulUntil,
            receiptToken: { [keyed = engine.crypto.keyed] in ReceiptService.token(of: message, from: $0, keyed) },
            isKept: { [outbox = engine.stores.outbox] in outbox.surelyKeepsMessages })
    }

    /// The newest earlier message of the session that a gateway took. Another server may have sent it. `nil`: there is
    /// none, or it cannot be read.
    private func taken(before message: OutboundMessage) async -> OutgoingMessage.Taken? {
        guard let standings = try? await engine.stores.outbox.standings(of: message.correlationID) else { return nil }
        for standing in standings.reversed() where standing.id != message.id {
            if let gateway = standing.gateway { return OutgoingMessage.Taken(standing.id, by: gateway) }
        }
        return nil
    }
}

extension GatewayFault {
    /// If no gateway was asked, the fault itself has the reason.
    fileprivate var allRefusals: [GatewayRefusal] {
        refusals.isEmpty ? [GatewayRefusal(outcome: kind.rawValue, code: code, reason: reason)] : refusals
    }
}
