/// What a change has promised leaves here: the message of a code or a link.
struct MessageDelivery: Sendable {
    let engine: Engine

    /// Sends the message that a change of `session` has promised. A send that the carrier refuses is taken back and not
    /// counted.
    /// - Parameter retry: of the call, whose kept reply is then another one.
    /// - Returns: `nil`: the session is gone.
    func deliver(
        _ message: Session.PendingMessage, of session: Session, retry: RetryKey? = nil
    ) async throws(EngineFault) -> OperationReply? {
        if await isTaken(message, of: session) { return OperationReply(refusal: nil, session: session) }
        var lookup = ChangeInputs()
        lookup.retry = retry
        let now = engine.now()
        let changed = try await engine.change(
            .auth(session.authID), by: .server, lookup, at: now,
            append: { unit, _ in
                guard let retry else { return }
                unit.reply = KeptReply(
                    requestBody: retry.body, reply: OperationReply(refusal: .messageFailed, session: unit.session))
            }
        ) { (unit) throws(Never) in
            unit.session.undo(message.undo, at: now)
        }
        switch changed {
        case .made(_, let left), .revoked(let left): return OperationReply(refusal: .messageFailed, session: left)
        case .unknown: return nil
        }
    }

    private func isTaken(_ message: Session.PendingMessage, of session: Session) async -> Bool {
        let outgoing = await outgoing(message, of: session)
        let isTaken: Bool
        do {
            try await engine.gateway.send(outgoing)
            isTaken = true
        } catch {
            engine.report("a message to \(message.number) was not taken: \(error.reason)")
            isTaken = false
        }
        engine.noteNews(.message(message.kind, to: message.number, isTaken: isTaken))
        return isTaken
    }

    private func outgoing(_ message: Session.PendingMessage, of session: Session) async -> OutgoingMessage {
        let text: String
        var code: OTP?
        var link: String?
        var linkToken: String?
        switch message.content {
        case .code(let sent):
            let template = session.request.template(for: .code) ?? .otp(codeLength: session.otp.codeLength)
            text = template.filled(with: sent.text) + (await lastLine(for: session, code: sent))
            code = sent
        case .link(let token):
            let url = "\(engine.linkURL)/l/\(token)"
            text = (session.request.template(for: .link) ?? .link).filled(with: url)
            link = url
            linkToken = token
        }
        return OutgoingMessage(
            to: message.number, channel: .sms, text: text, code: code, link: link,
            linkToken: linkToken, correlationID: session.correlationID, sentAt: engine.now())
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
