package import Text

/// The accounts of messages and proofs: the limits that count them.
extension RuleContext {
    /// The account of a proof by Mobile Auth; `nil`: it is not counted.
    /// - Parameters:
    ///   - number: the number that is proven; `nil`: no number is proven.
    ///   - address: the client's address, if known. An address named by the backend takes precedence, as for messages.
    package func mobileAuthAccount(
        _ number: PhoneNumber?, in session: Session, from address: IPAddress?, at now: Timestamp
    ) -> MessageAccount? {
        guard rules.limits.overSessions != nil, let number, let address = session.namedAddress ?? address,
            server.testNumber(number, of: session.clientID, at: now) == nil
        else { return nil }
        return MessageAccount(.number(number), from: MessageSource(address), of: session.clientID, country: nil)
    }

    /// The recipient and the caller of a command's message, with the account that counts it.
    func subject(
        of command: SessionCommand, _ request: MessageRequest, in session: Session, to target: Target, at now: Timestamp
    ) -> SessionChange.SendSubject {
        let (kind, isOwn, isConfirmed): (Session.MessageKind, Bool, Bool) =
            switch command.action {
            // Its answer would be the backend's word.
            case .sendCode(_, let code, _): (.code, code.own != nil, false)
            case .relayCode(_, _, let isConfirmed): (.code, false, isConfirmed)
            default: (.link, false, false)
            }
        let named = session.namedAddress
        // A backend names the person's address with each call. For a client, the address that its backend named counts first.
        let own = request.isAskedByBackend ? request.address ?? named : named ?? request.address
        return subject(
            kind, from: MessageSource(own), in: session, to: target, at: now, isAutomatic: false, isOwn: isOwn,
            isConfirmed: isConfirmed)
    }

    /// The same for a message that the server sends without a call: it goes where the message went before.
    package func subject(
        ofAutomatic kind: Session.MessageKind, in session: Session, to target: Target, at now: Timestamp
    ) -> SessionChange.SendSubject {
        subject(
            kind, from: session.askers.last ?? MessageSource(session.namedAddress), in: session, to: target,
            at: now, isAutomatic: true, isOwn: false, isConfirmed: false)
    }

    private func subject(
        _ kind: Session.MessageKind, from source: MessageSource, in session: Session, to target: Target,
        at now: Timestamp, isAutomatic: Bool, isOwn: Bool, isConfirmed: Bool
    ) -> SessionChange.SendSubject {
        let country = target.number.flatMap { server.country($0) }
        if target.isNobody { _ = server.country(.ofNobody) }
        return SessionChange.SendSubject(
            target: target, kind: kind, tenant: session.clientID,
            account: MessageAccount(
                target, from: source, of: session.clientID, country: country,
                isAnswerKnown: !isOwn && !session.request.policy.isAnsweredElsewhere),
            isTrusted: source.address.map { rules.limits.overSessions?.knownNetworks.contains($0) ?? false } ?? false,
            isClosed: target.number.map { number in
                server.closedPrefixes().contains { now < $0.until && $0.prefix.begins(number) }
            } ?? false,
            isThrottled: server.isThrottled(source, session.clientID, now),
            isNeverSentTo: server.testNumber(target, of: session.clientID, at: now) != nil,
            isAnonymous: session.flowDigest != nil || session.request.policy.isAskedByAnyone,
            isAutomatic: isAutomatic, isConfirmed: isConfirmed)
    }

    /// The account of a silent chain's code, which proves the number as the operator's answer does; `nil`: the session awaits no
    /// such code.
    func silentAccount(in session: Session, from address: IPAddress?, at now: Timestamp) -> MessageAccount? {
        mobileAuthAccount(session.awaitsSilentCode ? session.currentNumber : nil, in: session, from: address, at: now)
    }
}
