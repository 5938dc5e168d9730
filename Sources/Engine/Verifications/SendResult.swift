package import Possession

/// Result of a call that asks for the message of a verification, or for the operator's word in its place.
package enum SendResult: Sendable, Equatable {
    /// The session goes on, and needs no other message now.
    case sent(SentMessage)
    /// The phone's operator is asked first: the phone has to open the attempt of the offer.
    case silent(Session, MobileAuthOffer)
    /// The bad standing of the number ended the session. No message left.
    case stopped(Session)
}

extension SendResult {
    /// For calls that say nothing of operators and of a number's standing: their callers read the session.
    package var message: SentMessage {
        switch self {
        case .sent(let sent): sent
        case .silent(let session, _), .stopped(let session): SentMessage(session: session, isNew: true, channel: nil)
        }
    }
}

/// A message that no carrier has refused, or an earlier one of the session that still serves.
package struct SentMessage: Sendable, Equatable {
    package let session: Session
    /// The call has started the session. `false`: the session was there before.
    package let isNew: Bool
    /// The channel that took the message, where the carrier has named it by now.
    package let channel: OutgoingMessage.Channel?
}

/// Why a call that asks for a message gets none. A surface has one table from these to its own errors.
package enum SendRefusal: Error, Sendable, Equatable {
    // MARK: The order is refused, and nothing is stored

    /// The text can be no phone number.
    case malformedNumber
    /// This server does not know the number, or the API client does not have the number's product. A reason is the end of a
    /// sentence, and names no number.
    case numberNotServed(reason: String)
    /// No message goes to lines of this kind.
    case lineRefused(reason: String)
    /// The number's country is not open to the API client.
    case countryClosed
    /// The code has fewer digits than the API client may use.
    case codeTooShort(reason: String)
    /// The page that a link would lead to.
    case pageRefused(reason: String)
    case callbackRefused(reason: String)
    /// A limit of session starts.
    case startsLimited(LimitHit)
    /// A call with another body has used the retry key.
    case retryKeyReused
    /// The API client was revoked during the call.
    case clientRevoked

    // MARK: The session takes no message

    /// The API client has no such session of the product.
    case noSession
    /// The session is over.
    /// - Parameter secondsLeft: until it would have expired; `nil`: that time is over.
    case over(Session, secondsLeft: Int?)
    /// The session takes no message at this point: it has no code, or another call was first.
    case notAwaited(Session)
    /// The session has had all its messages.
    /// - Parameter secondsLeft: until it expires.
    case sendsUsedUp(Session, secondsLeft: Int)
    /// A limit of messages. The session of a first message is not stored.
    case sendLimited(LimitHit, Session)
    /// No carrier took the message.
    /// - Parameter reason: `nil`: none was asked, or the answer is a kept one.
    case notDelivered(reason: GatewayFault.Kind?, Session)

    case engine(EngineFault)
}

extension SendRefusal {
    /// Why a number cannot be read.
    package init(_ refusal: NumberRefusal) {
        switch refusal {
        case .malformed: self = .malformedNumber
        case .notServed(let reason), .otherProduct(let reason): self = .numberNotServed(reason: reason)
        case .refusedKind(let reason): self = .lineRefused(reason: reason)
        }
    }

    /// Why no message goes to a number that can be read.
    package init(_ closure: SendBlock) {
        switch closure {
        case .country: self = .countryClosed
        case .line(let reason): self = .lineRefused(reason: reason)
        }
    }
}

extension OperationReply {
    /// The result of a call that asked for a message.
    func sendResult(isNew: Bool, at now: Timestamp) throws(SendRefusal) -> SendResult {
        switch refusal {
        case nil:
            if session.isDone { return .stopped(session) }
            if let offer { return .silent(session, offer) }
            return .sent(SentMessage(session: session, isNew: isNew, channel: channel))
        case .sessionDone: throw .over(session, secondsLeft: session.secondsLeft(at: now))
        case .invalidState: throw .notAwaited(session)
        case .sendsExhausted: throw .sendsUsedUp(session, secondsLeft: session.secondsLeft(at: now) ?? 1)
        case .rateLimited(let hit): throw .sendLimited(hit, session)
        case .messageFailed: throw .notDelivered(reason: carrierFault, session)
        case .otpMismatch, .otpLength, .otherPayment, .otpExpired, .phoneNumberRequired, .phoneNumberInvalid,
            .phoneNumberNotAllowed, .phoneNumberNotAccepted, .phoneChangeNotAllowed, .phoneEntriesExhausted,
            .fingerprintInvalid, .fingerprintExpired, .deviceProofInvalid, .deviceNumberMismatch:
            throw .engine(.failed("a message was refused: \(String(describing: refusal))"))
        }
    }
}

extension Session {
    /// Whole seconds until the session expires, or would have expired, at least 1; `nil`: that time is over.
    func secondsLeft(at now: Timestamp) -> Int? {
        guard now < expiresAt else { return nil }
        return max(1, Int((expiresAt.milliseconds - now.milliseconds + 999) / 1000))
    }
}
