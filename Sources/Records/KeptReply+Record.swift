package import Engine
package import Possession

/// The stored reply to a call, without the parts that never change in a session (API-11).
extension KeptReply {
    private static let column: StaticString = "replayed_replies.reply_sealed"

    package func record() throws(StorageFault) -> [UInt8] {
        var record = RecordWriter(RecordVersions.keptReply, expecting: 256)
        record.choice(reply.refusal)
        record.bytes(reply.offer?.attempt.bytes)
        if let offer = reply.offer { record.text(offer.ticket) }
        record.integer(reply.session.storedEventCount + reply.session.newEvents.count)
        record.flag(reply.session.otp.isWaiting)
        reply.session.block.state.write(to: &record)
        record.time(at)
        return try record.finished(Self.column)
    }

    /// - Parameter session: the session of the reply, in its current state.
    package init(record bytes: [UInt8], of session: Session, requestBody: BodyDigest) throws(StorageFault) {
        var record = try RecordReader(bytes, RecordVersions.keptReply, Self.column)
        let refusal: StepRefusal? = try record.optionalChoice()
        let attempt = try record.optionalValue(try record.optionalBytes()) { AttemptID($0) }
        var offer: MobileAuthOffer?
        if let attempt { offer = MobileAuthOffer(attempt: attempt, ticket: try record.text()) }
        let eventCount = try record.count(0...StoredBounds.maxChanges)
        let state = try Session.State(&record, otpDigest: try record.flag() ? OTPDigest([]) : nil)
        let at = record.version < 5 ? nil : try record.optionalTime()
        try record.end()
        self.init(
            requestBody: requestBody,
            reply: OperationReply(
                refusal: refusal,
                session: Session(
                    correlationID: session.correlationID, authID: session.authID, clientID: session.clientID,
                    createdAt: session.createdAt, expiresAt: session.expiresAt, request: session.request,
                    flowDigest: session.flowDigest, state: state, eventCount: eventCount),
                offer: offer),
            at: at)
    }
}

extension StepRefusal: RecordedChoice {
    static let recorded = StepRefusal.outcomes
}
