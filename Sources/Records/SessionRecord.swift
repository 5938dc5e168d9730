package import Engine
package import Possession

/// The stored form of a session: the few values that are searched, and one sealed record with all others (DAT-02).
///
///     let record = try SessionRecord(session, sealing)          // to write
///     let session = try SessionRecord(..., sealed: bytes).session(sealing) // to read
package struct SessionRecord: Sendable {
    package static let column: StaticString = "sessions.record_sealed"

    package let correlationID: CorrelationID
    package let authID: AuthID
    package let clientID: ClientID
    package let flowDigest: FlowDigest?
    /// Digest of the awaited code, and of earlier codes that are still accepted; set while the session waits for a
    /// code. It is stored beside the record, so that a sweep can blank it (`[]`) without a key. The check then stays as
    /// it is, expired: no code has the empty digest (OTP-08).
    package let otpDigest: OTPDigest?
    package let sealed: [UInt8]

    /// For a row that was read.
    package init(
        correlationID: CorrelationID, authID: AuthID, clientID: ClientID, flowDigest: FlowDigest?,
        otpDigest: OTPDigest?, sealed: [UInt8]
    ) {
        self.correlationID = correlationID
        self.authID = authID
        self.clientID = clientID
        self.flowDigest = flowDigest
        self.otpDigest = otpDigest
        self.sealed = sealed
    }

    /// For a session that will be written; its new events count as stored.
    package init(_ session: __shared Session, _ sealing: Sealing) throws(StorageFault) {
        correlationID = session.correlationID
        authID = session.authID
        clientID = session.clientID
        flowDigest = session.flowDigest
        otpDigest = session.otp.awaitedDigests
        sealed = try sealing.seal(try Self.encoded(session), Self.context(correlationID))
    }

    /// - Throws: `.corrupt` unless this version has written it for this row.
    package func session(_ sealing: Sealing) throws(StorageFault) -> Session {
        try decoded(try sealing.open(sealed, Self.context(correlationID)))
    }

    private static func context(_ id: CorrelationID) -> [UInt8] { SealingContext(column, row: id).bytes }

    // MARK: The record

    static func encoded(_ session: Session) throws(StorageFault) -> [UInt8] {
        var record = RecordWriter(RecordVersions.session, expecting: 384)
        record.time(session.createdAt)
        record.time(session.expiresAt)
        record.integer(session.storedEventCount + session.newEvents.count)
        session.request.write(to: &record)
        session.block.state.write(to: &record)
        return try record.finished(column)
    }

    func decoded(_ bytes: [UInt8]) throws(StorageFault) -> Session {
        var record = try RecordReader(bytes, RecordVersions.session, Self.column)
        let createdAt = try record.time()
        let expiresAt = try record.time()
        let eventCount = try record.count(0...StoredBounds.maxChanges)
        let request = try SessionRequest(&record)
        let state = try Session.State(&record, otpDigest: otpDigest)
        try record.end()
        return Session(
            correlationID: correlationID, authID: authID, clientID: clientID, createdAt: createdAt,
            expiresAt: expiresAt, request: request, flowDigest: flowDigest, state: state, eventCount: eventCount)
    }
}
