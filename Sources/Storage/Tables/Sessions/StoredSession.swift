internal import Engine
internal import Possession
internal import Records

/// A row of `sessions` as read, with its place.
struct StoredSession {
    let rowID: Int64
    let record: SessionRecord

    /// The columns that `SessionsTable` and `Erasures` read, in order.
    init(_ row: inout Row) throws(StorageFault) {
        rowID = try row.integer("sessions.rowid")
        record = SessionRecord(
            correlationID: try row.identifier("sessions.correlation_id"),
            authID: try row.identifier("sessions.auth_id"), clientID: try row.clientID("sessions.client_id"),
            flowDigest: try row.optionalBlob("session_keys.key_digest").map(FlowDigest.init),
            otpDigest: try row.optionalBlob("sessions.otp_digest").map(OTPDigest.init),
            sealed: try row.blob("sessions.record_sealed"))
    }
    /// - Returns: `nil`: the session is outside of the fence.
    func session(_ sealing: Sealing, in fence: SessionFence) throws(StorageFault) -> Session? {
        let session = try record.session(sealing)
        return fence.admits(session) ? session : nil
    }
}
