package import Possession

/// Sends a message by the next channel of its session if the first channel has not confirmed delivery in its time.
///
///     let fallback = ChannelFallback(engine)
///     if await fallback.isDue(newest, of: session, after: 20, at: engine.now()) {
///         try await fallback.send(newest, of: session)
///     }
///
/// The message is not requested by a call, so all rules of `NextRoute` apply.
package struct ChannelFallback: Sendable {
    private let engine: Engine

    package init(_ engine: Engine) {
        self.engine = engine
    }

    /// Whether the channel's time is over while the session still waits and no receipt has come.
    /// - Parameters:
    ///   - newest: the newest of the session's messages.
    ///   - seconds: the time of a channel.
    package func isDue(
        _ newest: MessageStanding, of session: Session, after seconds: Int, at now: Timestamp
    ) -> Bool {
        guard engine.limits.sendsByNextRoute, newest.state == .sent, newest.end == nil, newest.gateway != nil,
            session.phase == .active(.otpFinish) || session.phase == .active(.linkWait)
        else { return false }
        return now >= newest.id.createdAt.adding(.seconds(seconds))
    }

    /// Sends the message again, by a gateway of another channel. Of several simultaneous calls only one sends it.
    /// - Returns: the new message, with the channel that took it if that is known; `nil`: this call sent no message.
    package func send(
        _ newest: MessageStanding, of session: Session
    ) async throws(EngineFault) -> MessageStanding? {
        let now = engine.now()
        let subject = ReceiptService.Subject(correlationID: session.correlationID, message: newest.id)
        guard let next = try await NextRoute(after: subject, engine, at: now) else { return nil }
        var lookup = ChangeInputs()
        lookup.message = newest.id
        next.addInputs(to: &lookup, at: now)
        let changed = try await engine.change(
            .correlation(session.correlationID), by: .server, lookup, at: now
        ) { (change) throws(Never) -> OutboundMessage? in
            guard change.messageState == .sent, change.messageEnd == nil, let gateway = change.messageGateway else {
                return nil
            }
            let way = change.messageChannel.map(ExcludedRoute.init(every:)) ?? ExcludedRoute(gateway)
            return next.send(in: &change, from: gateway, avoiding: way, at: now)
        }
        guard case .made(let message?, let session) = changed else { return nil }
        engine.reports.recordNews(
            .sentAgain(
                from: newest.gateway ?? "", country: session.currentNumber.flatMap(engine.network.numbers.country)))
        let reply = try await MessageDelivery(engine: engine).deliver(message, of: session)
        return MessageStanding(id: message.id, state: .queued, channel: reply?.channel)
    }
}
