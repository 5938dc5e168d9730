internal import Possession

/// Everything personal or secret in a session, and what its tenant said of it, as the one record that is sealed in its
/// row: one AES-GCM for all of it (DAT-02).
struct SealedSubject: Equatable {
    private static let column: StaticString = "sessions.subject_sealed"

    var claimed: SubmittedNumber?
    var entered: PhoneNumber?
    var proven: PhoneNumber?
    var emailAddress: String?
    var ipAddress: String?
    /// The tenant's own names, and its wishes that name a person's page, text or device.
    var references = SessionRequest.References()
    var finalTargetURL: String?
    var messageTemplate: MessageTemplate?
    var wantedDevice: DeviceID?
    var authTerms: AuthTerms?
    /// The key that was recognized, or that has another number.
    var shownDevice: DeviceID?
    /// The key of a success.
    var boundDevice: DeviceID?
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
        references = session.request.references
        finalTargetURL = session.request.options.finalTargetURL
        messageTemplate = session.request.options.messageTemplate
        wantedDevice = session.request.options.deviceID
        authTerms = session.request.authTerms
        shownDevice = session.device.shownID
        boundDevice = session.deviceID
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

    /// Version 1 has the fields before the tenant's names of customer and person, version 2 those before `found`. Each is
    /// written where it is enough: most sessions have neither device nor link nor Mobile Auth.
    private var version: UInt8 {
        let hasChecks = found != nil || matchCode != nil || browser != nil || !claim.isEmpty || authTerms != nil
        if hasChecks { return 3 }
        let hasWishes =
            references.clientCustomerID != nil || references.clientHumanID != nil || finalTargetURL != nil
            || messageTemplate != nil || wantedDevice != nil || shownDevice != nil || boundDevice != nil
        return hasWishes ? 2 : 1
    }

    private func encoded() throws(StorageFault) -> [UInt8] {
        let version = version
        var record = RecordWriter(version: version)
        record.text(claimed?.asSent)
        record.text(claimed?.number.e164)
        record.text(entered?.e164)
        record.text(proven?.e164)
        record.text(emailAddress)
        record.text(ipAddress)
        record.text(references.clientRequestID)
        if version > 1 {
            record.text(references.clientCustomerID)
            record.text(references.clientHumanID)
            record.text(finalTargetURL)
            record.text(messageTemplate?.text)
            record.identifier(wantedDevice)
            record.identifier(shownDevice)
            record.identifier(boundDevice)
        }
        if version > 2 {
            record.text(found?.e164)
            record.text(matchCode)
            record.text(browser)
            record.text(claim.dob?.text)
            record.text(claim.ssn?.text)
            record.bytes(try authTerms?.record())
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
        references.clientRequestID = try record.optionalText()
        if record.version > 1 { try readWishes(&record) }
        if record.version > 2 {
            found = try SealedSubject.number(&record)
            matchCode = try record.optionalText()
            browser = try record.optionalText()
            claim.dob = try SealedSubject.value(try record.optionalText(), PartialDate.init)
            claim.ssn = try SealedSubject.value(try record.optionalText(), PartialSSN.init)
            authTerms = try AuthTerms(try record.optionalBytes())
        }
        try record.end()
    }

    private mutating func readWishes(_ record: inout RecordReader) throws(StorageFault) {
        references.clientCustomerID = try record.optionalText()
        references.clientHumanID = try record.optionalText()
        finalTargetURL = try record.optionalText()
        if let text = try record.optionalText() {
            do { messageTemplate = try MessageTemplate(text) } catch { throw .corrupt(SealedSubject.column) }
        }
        wantedDevice = try record.optionalIdentifier()
        shownDevice = try record.optionalIdentifier()
        boundDevice = try record.optionalIdentifier()
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

extension DeviceCheck {
    /// The key that was recognized, or that has another number.
    fileprivate var shownID: DeviceID? {
        switch state {
        case .recognized(let id), .mismatch(let id): id
        case .absent, .challenged, .pending: nil
        }
    }
}
