internal import Possession

/// Everything personal or secret in a session, as the one record that is sealed in its row.
struct SealedSubject: Equatable {
    private static let column: StaticString = "sessions.subject_sealed"

    var claimed: SubmittedNumber?
    var entered: PhoneNumber?
    var proven: PhoneNumber?
    var emailAddress: String?
    var ipAddress: String?
    /// What Mobile Auth found, until the session's client brings its fingerprint.
    var found: PhoneNumber?
    /// Of the instant link.
    var matchCode: String?
    /// The browser that waits for the instant link, in words.
    var browser: String?
    /// Of a Pre-Fill run: what the request brought.
    var claim = PersonClaim()

    init() {}

    init(of session: Session) {
        claimed = session.request.subject.number
        entered = session.enteredNumber
        proven = session.proof?.number
        emailAddress = session.request.subject.emailAddress
        ipAddress = session.request.subject.ipAddress
        if case .answered(.found(let number), _) = session.mobileAuth.state { found = number }
        matchCode = session.link.matchCode
        browser = session.link.browser
        claim = session.request.subject.claim
    }

    /// Every number the session has to do with.
    var numbers: [PhoneNumber] { [claimed?.number, entered, proven, found].compactMap { $0 } }

    /// `nil` when there is nothing to seal.
    func sealed(with sealing: Sealing, for id: CorrelationID) throws(StorageFault) -> [UInt8]? {
        if self == SealedSubject() { return nil }
        return try sealing.seal(try encoded(), SealingContext(SealedSubject.column, row: id).bytes)
    }

    init(_ sealed: [UInt8]?, with sealing: Sealing, for id: CorrelationID) throws(StorageFault) {
        guard let sealed else {
            self.init()
            return
        }
        let bytes = try sealing.open(sealed, SealingContext(SealedSubject.column, row: id).bytes)
        try self.init(encoded: bytes)
    }

    // MARK: The record

    /// Version 1 has the fields before `found`, version 2 those before the claim. Each is still written where it is
    /// enough: most sessions have neither link nor Mobile Auth.
    private func encoded() throws(StorageFault) -> [UInt8] {
        let isShort = found == nil && matchCode == nil && browser == nil && claim.isEmpty
        let version: UInt8 = isShort ? 1 : claim.isEmpty ? 2 : 3
        var record = RecordWriter(version: version)
        record.text(claimed?.asSent)
        record.text(claimed?.number.e164)
        record.text(entered?.e164)
        record.text(proven?.e164)
        record.text(emailAddress)
        record.text(ipAddress)
        if !isShort {
            record.text(found?.e164)
            record.text(matchCode)
            record.text(browser)
        }
        if version > 2 {
            record.text(claim.dob?.text)
            record.text(claim.ssn?.text)
        }
        return try record.finished(SealedSubject.column)
    }

    private init(encoded bytes: [UInt8]) throws(StorageFault) {
        var record = try RecordReader(bytes, versions: 1...3, SealedSubject.column)
        let asSent = try record.optionalText()
        let number = try SealedSubject.number(&record)
        if let asSent {
            guard let number else { throw .corrupt(SealedSubject.column) }
            claimed = SubmittedNumber(asSent: asSent, number: number)
        }
        entered = try SealedSubject.number(&record)
        proven = try SealedSubject.number(&record)
        emailAddress = try record.optionalText()
        ipAddress = try record.optionalText()
        if record.version > 1 {
            found = try SealedSubject.number(&record)
            matchCode = try record.optionalText()
            browser = try record.optionalText()
        }
        if record.version > 2 {
            claim.dob = try SealedSubject.value(try record.optionalText(), PartialDate.init)
            claim.ssn = try SealedSubject.value(try record.optionalText(), PartialSSN.init)
        }
        try record.end()
    }

    private static func number(_ record: inout RecordReader) throws(StorageFault) -> PhoneNumber? {
        try value(try record.optionalText()) { PhoneNumber(e164: $0) }
    }

    private static func value<Value>(_ text: String?, _ read: (String) -> Value?) throws(StorageFault) -> Value? {
        guard let text else { return nil }
        guard let value = read(text) else { throw .corrupt(column) }
        return value
    }
}
