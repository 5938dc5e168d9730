/// Outcome of a client's call, kept for a retry of it (API-11): a surface makes the very same answer of it again.
package struct KeptReply: Sendable, Equatable {
    /// Digest of the call's body; another body under the same retry key is an error.
    package let requestBody: BodyDigest
    package let reply: OperationReply
    /// When the call was answered so; `nil` in what servers have kept that did not note it.
    package let at: Timestamp?

    package init(requestBody: BodyDigest, reply: OperationReply, at: Timestamp?) {
        self.requestBody = requestBody
        self.at = at
        self.reply = OperationReply(refusal: reply.refusal, session: reply.session.kept, offer: reply.offer)
    }
}

extension Session {
    /// As a store gives it back, and without the digest of an awaited code.
    fileprivate var kept: Session {
        var state = state
        state.otp.forgetDigest()
        return Session(
            correlationID: correlationID, authID: authID, clientID: clientID, createdAt: createdAt,
            expiresAt: expiresAt, request: request, flowDigest: flowDigest, state: state,
            eventCount: storedEventCount + newEvents.count)
    }
}

/// Outcome of an operation: all that an answer follows from.
package struct OperationReply: Sendable, Equatable {
    /// `nil`: it was carried out.
    package let refusal: StepRefusal?
    /// As it is after the call. A kept one has no digest of the code that is awaited: no answer shows it (OTP-08).
    package let session: Session
    /// Offer of a call that opened a Mobile Auth attempt.
    package let offer: MobileAuthOffer?
    /// Why the carrier did not take the message of this call; a kept reply does not say.
    package var carrierFault: GatewayFault.Kind?
    /// The channel that took the message of this call, where the carrier has named it by now; a kept reply does not say.
    package var channel: OutgoingMessage.Channel?

    package init(refusal: StepRefusal?, session: Session, offer: MobileAuthOffer? = nil) {
        self.refusal = refusal
        self.session = session
        self.offer = offer
    }
}

/// Values of a Mobile Auth attempt, drawn before the call that opens it.
package struct MobileAuthOffer: Sendable, Equatable {
    package let attempt: AttemptID
    /// Opens the attempt once; the session keeps its digest only.
    package let ticket: String

    package init(attempt: AttemptID, ticket: String) {
        self.attempt = attempt
        self.ticket = ticket
    }
}
