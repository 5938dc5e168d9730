/// Text of a message for each channel.
extension RuleContext {
    /// The preferred channel first; never empty.
    /// - Parameter rules: the rules of the session's tenant; `nil`: they cannot be read.
    package func forms(
        of message: Session.PendingMessage, in session: Session, _ rules: TenantRules?
    ) -> [OutgoingMessage.Form] {
        let carried = message.kind == .code ? carriedLink(of: session) : nil
        let (texts, country) = (server.texts(), message.number.flatMap { server.country($0) })
        return session.channels(of: message).map { channel in
            let wording = MessageWording(
                texts, session, rules, over: MessageCatalog.Channel(channel), to: country, linkURL: server.linkURL,
                ownHost: server.messageOrigin, carriedLink: carried)
            let worded = wording.words(of: message)
            return OutgoingMessage.Form(
                channel, subject: worded.subject, text: worded.text, locale: worded.locale, sender: worded.sender)
        }
    }

    /// Maximum number of messages that it is billed as, over all channels.
    package func parts(of message: Session.PendingMessage, in session: Session, _ rules: TenantRules?) -> Int {
        forms(of: message, in: session, rules).map(\.parts).max() ?? 1
    }
}

extension Limits {
    /// Whether budgets need the number of messages that a message is billed as.
    package var budgetsCountParts: Bool { overSessions.map { $0.spend.countsParts && $0.spend.mode != .off } ?? false }
}

extension Session {
    /// The channels for a message, the preferred one first; never empty.
    func channels(of message: PendingMessage) -> [OutgoingMessage.Channel] {
        if message.to.email != nil { return [.email] }
        var channels = message.channel.map { [$0] } ?? request.policy.channels
        // A link that a voice reads aloud cannot be opened.
        if message.kind == .link { channels.removeAll { $0 == .voice } }
        return channels.isEmpty ? [.sms] : channels
    }
}
