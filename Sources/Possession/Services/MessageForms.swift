/// Text of a message for each way that it may take.
extension Engine {
    /// The preferred way first; never empty.
    /// - Parameter rules: of the session's tenant; `nil`: they cannot be read.
    func forms(
        of message: Session.PendingMessage, in session: Session, _ rules: TenantRules?
    ) -> [OutgoingMessage.Form] {
        let carried = message.kind == .code ? carriedLink(of: session) : nil
        let (texts, country) = (texts(), message.number.flatMap { numbers.country(of: $0) })
        return session.channels(of: message).map { channel in
            let wording = MessageWording(
                texts, session, rules, over: MessageCatalog.Channel(channel), to: country, linkURL: linkURL,
                ownHost: messageOrigin, carriedLink: carried)
            let worded = wording.words(of: message)
            return OutgoingMessage.Form(
                channel, subject: worded.subject, text: worded.text, locale: worded.locale, sender: worded.sender)
        }
    }

    /// Whether limits ask for `parts`.
    var budgetsCountParts: Bool { limits.overSessions.map { $0.spend.countsParts && $0.spend.mode != .off } ?? false }

    /// As how many messages it is billed at most, whichever way it takes.
    func parts(of message: Session.PendingMessage, in session: Session, _ rules: TenantRules?) -> Int {
        forms(of: message, in: session, rules).map(\.parts).max() ?? 1
    }
}

extension Session {
    /// The ways that a message may take, the preferred one first; never empty.
    func channels(of message: PendingMessage) -> [OutgoingMessage.Channel] {
        if message.to.email != nil { return [.email] }
        var channels = message.channel.map { [$0] } ?? request.policy.channels
        // Nobody can open what a voice reads out.
        if message.kind == .link { channels.removeAll { $0 == .voice } }
        return channels.isEmpty ? [.sms] : channels
    }
}
