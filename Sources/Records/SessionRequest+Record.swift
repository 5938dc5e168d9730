internal import Engine
internal import Possession

// The request of a session in its record. Writing and reading are side by side, in the same order.

extension SessionRequest {
    func write(to record: inout RecordWriter) {
        record.choice(flow)
        policy.write(to: &record)
        record.text(subject.number?.asSent)
        record.number(subject.number?.number)
        record.text(subject.emailAddress)
        record.text(subject.ipAddress)
        record.text(subject.claim.dob?.text)
        record.text(subject.claim.ssn?.text)
        options.write(to: &record)
        record.text(references.clientRequestID)
        record.text(references.clientCustomerID)
        record.text(references.clientHumanID)
        record.integer(Int(questions.rawValue))
        record.text(keyHolder?.id)
        if let keyHolder { record.flag(keyHolder.isKept) }
        record.text(subject.mailbox?.text)
        metadata.write(to: &record)
        record.bytes(subject.unknown?.digest)
    }

    convenience init(_ record: inout RecordReader) throws(StorageFault) {
        let flow: Flow = try record.choice()
        let policy = try Policy(&record)
        var subject = Subject()
        let asSent = try record.optionalText()
        let number = try record.optionalNumber()
        if asSent != nil || number != nil {
            subject.number = SubmittedNumber(asSent: try record.required(asSent), number: try record.required(number))
        }
        subject.emailAddress = try record.optionalText()
        subject.ipAddress = try record.optionalText()
        subject.claim.dob = try record.optionalValue(try record.optionalText(), PartialDate.init)
        subject.claim.ssn = try record.optionalValue(try record.optionalText(), PartialSSN.init)
        let options = try Options(&record)
        var references = References()
        references.clientRequestID = try record.optionalText()
        references.clientCustomerID = try record.optionalText()
        references.clientHumanID = try record.optionalText()
        let questions = Questions(rawValue: UInt8(try record.count(0...Int(Questions.all.rawValue))))
        var keyHolder: KeyHolder?
        if let id = try record.optionalText() { keyHolder = KeyHolder(id: id, isKept: try record.flag()) }
        if record.version >= 5 {
            subject.mailbox = try record.optionalValue(try record.optionalText()) { EmailAddress($0) }
            try record.require(subject.number == nil || subject.mailbox == nil)
        }
        // Versions up to 7 had no metadata.
        let metadata = record.version >= 8 ? try SessionMetadata(&record) : SessionMetadata()
        // Versions up to 8 had no unknown people.
        if record.version >= 9 {
            subject.unknown = try record.optionalValue(try record.optionalBytes(), UnknownPerson.init(digest:))
            try record.require(subject.unknown == nil || (subject.number == nil && subject.mailbox == nil))
        }
        self.init(
            flow: flow, policy: policy, subject: subject, options: options, references: references,
            questions: questions, keyHolder: keyHolder, metadata: metadata)
    }
}

extension SessionMetadata {
    func write(to record: inout RecordWriter) {
        record.integer(entries.count)
        for entry in entries {
            record.text(entry.name)
            record.text(entry.value)
        }
    }

    init(_ record: inout RecordReader) throws(StorageFault) {
        var entries: [Entry] = []
        for _ in 0..<(try record.count(0...Self.mostEntries)) {
            entries.append(Entry(try record.text(), try record.text()))
        }
        self.init(entries)
    }
}

extension SessionRequest.Options {
    fileprivate func write(to record: inout RecordWriter) {
        let isOneText = linkTemplate == codeTemplate
        record.flags([rebind, checkReputation, linkMatchCode, linkNeedsSameAddress, isOneText])
        record.identifier(deviceID)
        record.text(finalTargetURL)
        record.text(codeTemplate?.text)
        if !isOneText { record.text(linkTemplate?.text) }
        record.text(locale?.text)
        record.identifier(callback?.endpoint)
        if let callback { record.text(callback.url) }
        record.flag(exchange != nil)
        if let exchange { record.bytes(exchange.challenge?.bytes) }
        record.bytes(payment?.bytes)
        record.identifier(brand?.id)
        if let brand { record.text(brand.name) }
    }

    fileprivate init(_ record: inout RecordReader) throws(StorageFault) {
        let flags = try record.flags(5)
        self.init(
            rebind: flags[0], checkReputation: flags[1], linkMatchCode: flags[2], linkNeedsSameAddress: flags[3],
            deviceID: try record.optionalIdentifier(), finalTargetURL: try record.optionalText(),
            codeTemplate: try record.optionalTemplate())
        linkTemplate = flags[4] ? codeTemplate : try record.optionalTemplate()
        if record.version >= 2 { locale = try record.optionalValue(try record.optionalText()) { LanguageTag($0) } }
        if record.version >= 3, let endpoint: WebhookEndpointID = try record.optionalIdentifier() {
            callback = SessionRequest.Callback(endpoint: endpoint, url: try record.text())
        }
        if record.version >= 8, try record.flag() {
            exchange = SessionRequest.Exchange(challenge: try record.optionalBytes().map(CodeChallenge.init))
        }
        if record.version >= 10 { payment = try record.optionalBytes().map(PaymentDigest.init) }
        if record.version >= 11, let id: BrandID = try record.optionalIdentifier() {
            brand = SessionBrand(id, name: try record.optionalText())
        }
    }
}

extension SessionRequest.Flow: RecordedChoice {
    static let recorded: [Self] = [.mobile, .desktop, .none]
}
