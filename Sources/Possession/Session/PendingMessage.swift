extension Session {
    /// A message that a change of the session will send: recipient, content, and its place among the session's
    /// messages. By the place the session knows whether the message is still useful and how to take it back.
    package struct PendingMessage: Sendable, Equatable, CustomStringConvertible {
        package enum Content: Sendable, Equatable {
            /// The code as the message shows it, and the digest that the session compares.
            /// - Parameter after: the check's state before this message. It may hold an older code, which this one
            ///   voids.
            case code(OTP, digest: OTPDigest, after: OTPCheck.State)
            /// - Parameter after: the check before this message. It may hold an older link, which this one supersedes.
            case link(token: String, digest: LinkDigest, after: LinkCheck)
        }

        /// Which message of the session it is.
        package enum Place: Sendable, Equatable {
            /// The session's first message, requested at this step.
            case first(from: Step)
            /// Replaces an earlier message to the same number.
            case again
            /// Replaces an earlier message to another number; `nil`: the number that the backend gave.
            case toNumber(from: PhoneNumber?)

            /// Whether the message uses up a number entry.
            var namesNumber: Bool {
                switch self {
                case .first, .toNumber: true
                case .again: false
                }
            }
        }

        package let to: Target
        package let content: Content
        package let place: Place
        /// When its code or link expires.
        package let usefulUntil: Timestamp
        /// The only channel it may take, if the call named one; `nil`: the channels of the session's policy.
        package let channel: OutgoingMessage.Channel?
        /// How many messages the session could still send after this one.
        package let sendsLeft: Int
        /// Tries of codes that the session had left once this message was sent.
        package let triesLeft: Int
        /// Tries before it was sent. They differ from `triesLeft` if each code has its own tries.
        package let triesBefore: Int

        package init(
            to target: Target, content: Content, place: Place, usefulUntil: Timestamp,
            channel: OutgoingMessage.Channel? = nil, sendsLeft: Int, triesLeft: Int, triesBefore: Int? = nil
        ) {
            to = target
            self.content = content
            self.place = place
            self.usefulUntil = usefulUntil
            self.channel = channel
            self.sendsLeft = sendsLeft
            self.triesLeft = triesLeft
            self.triesBefore = triesBefore ?? triesLeft
        }

        /// The same message by this channel only.
        package func by(_ channel: OutgoingMessage.Channel?) -> PendingMessage {
            PendingMessage(
                to: to, content: content, place: place, usefulUntil: usefulUntil, channel: channel,
                sendsLeft: sendsLeft, triesLeft: triesLeft, triesBefore: triesBefore)
        }

        package var kind: MessageKind {
            switch content {
            case .code: .code
            case .link: .link
            }
        }

        /// `nil`: the message goes to an e-mail address.
        package var number: PhoneNumber? { to.number }

        /// Without number, code and link.
        package var description: String { "<\(kind.rawValue)>" }

        /// Every number and address in the message, for an erasure.
        package var targets: [Target] {
            if case .toNumber(let earlier?) = place { return [to, .number(earlier)] }
            return [to]
        }
    }

    /// Whether the message is still useful: the session waits for its code or link, which has not expired.
    package func awaits(_ message: PendingMessage, at now: Timestamp) -> Bool {
        isNewest(message, orLate: false) && now < message.usefulUntil && now < expiresAt
    }

    /// Sends the same message again, because its carrier could not deliver it. It counts as one of the session's
    /// messages. Its code or link and their expiry do not change.
    /// - Throws: `.invalidState`: the session no longer waits for it; `.sendsExhausted`.
    package mutating func sendAgain(_ message: PendingMessage, at now: Timestamp) throws(StepRefusal) -> PendingMessage
    {
        guard awaits(message, at: now) else { throw .invalidState }
        guard sends.sendsLeft > 0 else { throw .sendsExhausted }
        sends.spend(newNumber: false)
        let content: PendingMessage.Content
        switch message.content {
        case .code(let code, let digest, _):
            content = .code(code, digest: digest, after: otp.state)
            record(.otpSent, at: now, detail: "next_route")
        case .link(let token, let digest, _):
            content = .link(token: token, digest: digest, after: link)
            record(.linkSent, at: now, detail: "next_route")
        }
        return PendingMessage(
            to: message.to, content: content, place: .again, usefulUntil: message.usefulUntil,
            channel: message.channel, sendsLeft: sends.sendsLeft, triesLeft: otp.attemptsLeft)
    }

    /// Takes back a message that was not sent, so that it does not count (client protocol 4.11). The step, the number
    /// and the older code or link are restored. Nothing changes if another message followed, if its code was tried, or
    /// if the session is over. Nothing changes either if the session's link was opened and this message was the first
    /// to its number.
    /// - Parameter orLate: also if the session has already reported the code or link as expired.
    package mutating func giveBack(_ message: PendingMessage, orLate: Bool = false, at now: Timestamp) {
        guard isNewest(message, orLate: orLate), otp.attemptsLeft == message.triesLeft else { return }
        guard exchange == nil || !message.place.namesNumber else { return }
        sends.giveBack(newNumber: message.place.namesNumber)
        switch message.place {
        case .first(let step):
            phase = .active(step)
            enteredNumber = nil
            device.reopen()
        case .again: break
        case .toNumber(let earlier): enteredNumber = earlier
        }
        switch message.content {
        case .code(_, _, let earlier):
            otp.takeBack(to: earlier, tries: message.triesBefore)
            record(.otpSendFailed, at: now)
        case .link(_, _, let earlier):
            link = earlier
            record(.linkSendFailed, at: now)
        }
    }

    /// Whether the session waits for what this message carries. The digest of a code is dropped when it expires, so the
    /// count of messages is compared too.
    private func isNewest(_ message: PendingMessage, orLate: Bool) -> Bool {
        guard phase == .active(message.kind.waitStep), sends.sendsLeft == message.sendsLeft else { return false }
        switch (message.content, otp.state) {
        case (.code(_, let digest, _), .waiting(let awaited, message.usefulUntil)):
            return awaited == digest || awaited.bytes.isEmpty
        case (.code, .expired(message.usefulUntil)): return orLate
        case (.code, _): return false
        case (.link(_, let digest, _), _):
            let isWaiting = link.state == .waiting(expiresAt: message.usefulUntil)
            return link.digest == digest && (isWaiting || orLate && link.state == .expired)
        }
    }
}
