internal import Possession
internal import Records

/// The columns that a session writes at each change.
struct SessionRow {
    let record: SessionRecord
    private let phase: String
    private let otpExpiresAt: Timestamp?

    init(_ session: __shared Session, _ sealing: Sealing) throws(StorageFault) {
        record = try SessionRecord(session, sealing)
        phase = session.phase.word
        otpExpiresAt = session.otp.expiresAt
    }

    /// `phase` to `record_sealed`.
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

/// What else a session is found by. A new link or attempt finds it from now on; the older ones still do.
struct SearchKeys {
    private var link: LinkDigest?
    private var attempt: AttemptID?

    init(of session: Session) {
        link = session.link.digest
        attempt = session.mobileAuth.attempt
    }

    /// Those that `earlier` does not have.
    init(of session: Session, since earlier: SearchKeys) {
        self.init(of: session)
        if link == earlier.link { link = nil }
        if attempt == earlier.attempt { attempt = nil }
    }

    func add(for id: CorrelationID, _ connection: Connection) throws(StorageFault) {
        if let link { try SessionLinksTable.add(link, of: id, connection) }
        if let attempt { try MobileAuthAttemptsTable.add(attempt, of: id, connection) }
    }
}

/// The rows that a new session writes.
final class NewSessionRows: Sendable {
    private enum SQL {
        static let insert: StaticString = """
            INSERT INTO sessions
              (phase, otp_digest, otp_expires_at_ms, record_sealed, correlation_id, auth_id, client_id, flow_digest,
               number_index, number_product)
              VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            """
    }

    private let row: SessionRow
    private let keys: SearchKeys
    private let events: [SessionEvent]
    private let numberIndex: [UInt8]?
    private let product: ProductName

    /// Sealing costs more than the insert, so it is done before the one writer is asked for, where it can be.
    convenience init?(of session: __shared Session, _ sealing: Sealing) throws(StorageFault) {
        guard session.proof == nil else { return nil }
        try self.init(session, sealing)
    }

    // Shared: what an initialiser owns is copied for it, some 16 references a session.
    init(_ session: __shared Session, _ sealing: Sealing) throws(StorageFault) {
        row = try SessionRow(session, sealing)
        keys = SearchKeys(of: session)
        events = session.newEvents
        numberIndex = session.searchTarget.map { sealing.blindIndex($0) }
        product = session.request.policy.product
    }

    func add(_ connection: Connection) throws(StorageFault) {
        let id = row.record.correlationID
        try connection.run(SQL.insert) {
            row.bind(&$0)
            $0.identifier(id)
            $0.identifier(row.record.authID)
            $0.text(row.record.clientID.text)
            $0.blob(row.record.flowDigest?.bytes)
            $0.blob(numberIndex)
            $0.text(numberIndex == nil ? nil : product.text)
        }
        try keys.add(for: id, connection)
        try SessionEventsTable.append(events, to: id, after: 0, connection)
    }
}
