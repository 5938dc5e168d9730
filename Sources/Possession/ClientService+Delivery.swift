/// What a change has promised leaves here: the message of a code or a link.
extension ClientService {
    /// A message to send, and the session as it was when that was promised.
    final class Delivery: Sendable {
        let message: Session.PendingMessage
        let session: Session

        init(_ message: Session.PendingMessage, of session: Session) {
            self.message = message
            self.session = session
        }
    }

    /// Sends what the change promised; a send the carrier refuses is taken back and not counted.
    func deliver(
        _ delivery: Delivery, _ answer: StoredAnswer, _ call: Call
    ) async throws(Fault) -> StoredAnswer {
        let message = delivery.message
        let outgoing = await outgoing(message, of: delivery.session)
        do {
            try await engine.gateway.send(outgoing)
        } catch {
            engine.noteNews(.message(message.kind, to: message.number, isTaken: false))
            engine.report("a message to \(message.number) was not taken: \(error.reason)")
            return try await takeBack(message, call)
        }
        engine.noteNews(.message(message.kind, to: message.number, isTaken: true))
        if case .link(let token) = message.content { try await playPhone(message.number, token) }
        return answer
    }

    private func takeBack(_ message: Session.PendingMessage, _ call: Call) async throws(Fault) -> StoredAnswer {
        let now = engine.now()
        var lookup = SessionLookup()
        lookup.retry = call.retry
        let kept: (answer: StoredAnswer, news: Session.News?)?
        do {
            kept = try await engine.sessions.update(
                .auth(call.authID), lookup, freshProveID: try engine.fresh(ProveID.self, at: now)
            ) { unit in
                unit.session.settle(at: now)
                let settled = unit.session
                unit.session.undo(message.undo, at: now)
                unit.session.countRevision(since: settled)
                let answer = call.render(unit.session, .messageFailed)
                unit.answer = answer
                return (answer, unit.session.news)
            }
        } catch {
            throw Fault(error)
        }
        engine.announce(call.authID)
        guard let kept else { throw .unknownSession }
        engine.tell(kept.news)
        return kept.answer
    }

    /// A sandbox user whose person answers a link without being asked. A link that arrives later is left to whoever
    /// opens it.
    private func playPhone(_ number: PhoneNumber, _ token: String) async throws(Fault) {
        guard let user = engine.numbers.sandboxUser(number), user.deliveryDelaySeconds == 0 else { return }
        let links = LinkService(engine)
        switch user.link {
        case .open, .mismatch: return
        case .approve: try await links.playPerson(token, approves: true)
        case .deny: try await links.playPerson(token, approves: false)
        }
    }

    private func outgoing(_ message: Session.PendingMessage, of session: Session) async -> OutgoingMessage {
        let text: String
        var code: OTP?
        var link: String?
        switch message.content {
        case .code(let sent):
            let template = session.request.template(for: .code) ?? .otp(codeLength: session.otp.codeLength)
            text = template.filled(with: sent.text) + (await lastLine(for: session, code: sent))
            code = sent
        case .link(let token):
            let url = "\(engine.linkURL)/l/\(token)"
            text = (session.request.template(for: .link) ?? .link).filled(with: url)
            link = url
        }
        return OutgoingMessage(
            to: message.number, channel: .sms, text: text, code: code, link: link,
            correlationID: session.correlationID, sentAt: engine.now())
    }

    /// The machine-readable last line by platform: origin-bound for web and iOS, the app hash for Android (client
    /// protocol 3.6). A hash that the tenant did not register would let any app read the code, so it is left out.
    private func lastLine(for session: Session, code: OTP) async -> String {
        guard let declaration = session.declaration else { return "" }
        let rules = try? await engine.tenants.tenant(session.clientID)?.rules
        switch declaration.platform {
        case .web, .ios:
            return (rules?.messageHost ?? engine.messageOrigin).map { "\n@\($0) #\(code.text)" } ?? ""
        case .android:
            guard let hash = declaration.appHash, rules?.appHashes.contains(hash) == true else { return "" }
            return "\n\(hash)"
        }
    }
}
