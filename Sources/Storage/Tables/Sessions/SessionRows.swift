internal import Engine
internal import Possession
internal import Records

/// The columns of a session that every change writes.
struct SessionRow {
    let record: SessionRecord
    private let phase: String
    private let otpExpiresAt: Timestamp?

    init(_ session: __shared Session, _ sealing: Sealing) throws(StorageFault) {
        record = try SessionRecord(session, sealing)
        phase = session.phase.word
        otpExpiresAt = session.otp.expiresAt
    }

    /// Binds the columns from `phase` to `record_sealed`.
    func bind(_ values: inout Parameters) {
        values.text(phase)
        values.blob(record.otpDigest?.bytes)
        values.time(otpExpiresAt)
        values.blob(record.sealed)
    }
}

extension Session.Phase {
    fileprivate var word: String {
        switch self {
        case .created: "created"
        case .active: "active"
        case .done: "done"
        }
    }
}

/// The rows that a new session writes.
final class NewSessionRows: Sendable {
    private enum SQL {
        static let insert: Statement = """
            INSERT INTO sessions
              (phase, otp_digest, otp_expires_at_ms, record_sealed, correlation_id, auth_id, client_id, number_product)
              VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """
    }

    private let row: SessionRow
    private let keys: SessionKeysTable.Keys
    private let events: [SessionEvent]
    /// Set if a number or address finds the session.
    private let product: ProductName?

    /// Sealing costs more than the insert, so it is done before the writer runs, if possible.
    convenience init?(of session: __shared Session, _ sealing: Sealing) throws(StorageFault) {
        guard session.proof == nil else { return nil }
        try self.init(session, sealing)
    }

    // Shared: an owned parameter would be copied for the initializer, about 16 references a session.
    /// - Parameter names: in addition to the session's own.
    init(_ session: __shared Session, _ sealing: Sealing, names: [SessionName] = []) throws(StorageFault) {
        row = try SessionRow(session, sealing)
        let names = session.names + names
        keys = SessionKeysTable(sealing: sealing).keys(names, of: session)
        product = names.contains { $0.kind == .target } ? session.request.policy.product : nil
        events = session.newEvents
    }

    func add(_ connection: any Connection) throws(StorageFault) {
        let id = row.record.correlationID
        try connection.run(SQL.insert) {
            row.bind(&$0)
            $0.identifier(id)
            $0.identifier(row.record.authID)
            $0.text(row.record.clientID.text)
            $0.text(product?.text)
        }
        try SessionKeysTable.add(keys, of: id, connection)
        try SessionEventsTable.append(events, to: id, after: 0, connection)
    }
}
