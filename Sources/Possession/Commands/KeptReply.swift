/// Result of a client's call, stored for a retry (API-11): the surface makes the same response from it.
package struct KeptReply: Sendable, Equatable {
    /// Digest of the call's body. Another body under the same retry key is an error.
    package let requestBody: BodyDigest
    package let reply: OperationReply
    /// When the call was answered; `nil` in replies of older servers, which did not store it.
    package let at: Timestamp?

    package init(requestBody: BodyDigest, reply: OperationReply, at: Timestamp?) {
        self.requestBody = requestBody
        self.at = at
        self.reply = OperationReply(refusal: reply.refusal, session: reply.session.kept, offer: reply.offer)
    }
}

extension Session {
    /// As a store returns it, and without the digest of an awaited code.
    fileprivate var kept: Session {
        var state = state
        state.otp.forgetDigest()
        return Session(
            correlationID: correlationID, authID: authID, clientID: clientID, createdAt: createdAt,
            expiresAt: expiresAt, request: request, flowDigest: flowDigest, state: state,
            eventCount: storedEventCount + newEvents.count)
    }
}

/// Result of an operation: everything that a response needs.
package struct OperationReply: Sendable, Equatable {
    /// `nil`: the operation succeeded.
    package let refusal: StepRefusal?
    /// The session after the call. A stored one has no digest of an awaited code, because no response contains it
    /// (OTP-08).
    package let session: Session
    /// Offer of a call that opened a Mobile Auth attempt.
    package let offer: MobileAuthOffer?
    /// Why the carrier did not take this call's message; a stored reply does not have it.
    package var carrierFault: GatewayFault.Kind?
    /// The channel that took this call's message, if the carrier has named it; a stored reply does not have it.
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
    /// Opens the attempt once. The session stores only its digest.
    package let ticket: String

    package init(attempt: AttemptID, ticket: String) {
        self.attempt = attempt
        self.ticket = ticket
    }
}
