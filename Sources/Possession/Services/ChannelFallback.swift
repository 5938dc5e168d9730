/// Sends a message by the next channel of its session once the one that took it has said nothing for as long as it had.
///
///     let fallback = ChannelFallback(engine)
///     if await fallback.isDue(newest, of: session, after: 20, at: engine.now()) { try await fallback.send(newest, of: session) }
///
/// Nobody asks for the message: all of `NextRoute` holds for it.
package struct ChannelFallback: Sendable {
    private let engine: Engine

    package init(_ engine: Engine) {
        self.engine = engine
    }

    /// Whether the channel's time is over: the session still waits, and nobody has said that the message arrived.
    /// - Parameters:
    ///   - newest: of the session's messages.
    ///   - seconds: that a channel has.
    package func isDue(
        _ newest: MessageStanding, of session: Session, after seconds: Int, at now: Timestamp
    ) -> Bool {
        guard engine.limits.sendsByNextRoute, newest.state == .sent, newest.end == nil, newest.gateway != nil,
            session.phase == .active(.otpFinish) || session.phase == .active(.linkWait)
        else { return false }
        return now >= newest.id.createdAt.adding(.seconds(seconds))
    }

    /// Sends the message once more, and by no gateway of its channel. Of several calls at the same time one does it.
    /// - Returns: the message as it stands then, with the channel that took it as far as that is known; `nil`: this call sent
    ///   none.
    package func send(
        _ newest: MessageStanding, of session: Session
    ) async throws(EngineFault) -> MessageStanding? {
        let now = engine.now()
        let subject = ReceiptService.Subject(correlationID: session.correlationID, message: newest.id)
        guard let next = try await NextRoute(after: subject, engine, at: now) else { return nil }
        var lookup = ChangeInputs()
        lookup.message = newest.id
        next.look(&lookup)
        let changed = try await engine.change(
            .correlation(session.correlationID), by: .server, lookup, at: now
        ) { (change) throws(Never) -> OutboundMessage? in
            guard change.messageState == .sent, change.messageEnd == nil, let gateway = change.messageGateway else {
                return nil
            }
            let way = change.messageChannel.map(AvoidedWay.init(every:)) ?? AvoidedWay(gateway)
            return next.send(in: &change, from: gateway, avoiding: way, at: now)
        }
        guard case .made(let message?, let session) = changed else { return nil }
        engine.noteNews(
            .sentAgain(
                from: newest.gateway ?? "", country: session.currentNumber.flatMap(engine.numbers.country)))
        let reply = try await MessageDelivery(engine: engine).deliver(message, of: session)
        return MessageStanding(id: message.id, state: .queued, channel: reply?.channel)
    }
}
