internal import Possession

// The request of a session in its record: writing and reading side by side, in the same order.

extension SessionRequest {
    func write(to record: inout RecordWriter) {
        record.choice(flow)
        record.choice(product)
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
        record.flag(authTerms != nil)
        authTerms?.write(to: &record)
    }

    convenience init(_ record: inout RecordReader) throws(StorageFault) {
        let flow: Flow = try record.choice()
        let product: Product = try record.choice()
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
        let authTerms = try record.flag() ? try AuthTerms(&record) : nil
        try record.require((product == .auth) == (authTerms != nil))
        self.init(
            flow: flow, product: product, subject: subject, options: options, references: references,
            authTerms: authTerms)
    }
}

extension SessionRequest.Options {
    fileprivate func write(to record: inout RecordWriter) {
        record.flags([
            allowOTPRetry, rebind, checkReputation, mobileAuth, allowPhoneChange, linkMatchCode, linkNeedsSameAddress,
        ])
        record.identifier(deviceID)
        record.text(finalTargetURL)
        record.text(messageTemplate?.text)
    }

    fileprivate init(_ record: inout RecordReader) throws(StorageFault) {
        let flags = try record.flags(7)
        self.init(
            allowOTPRetry: flags[0], rebind: flags[1], checkReputation: flags[2], mobileAuth: flags[3],
            allowPhoneChange: flags[4], linkMatchCode: flags[5], linkNeedsSameAddress: flags[6],
            deviceID: try record.optionalIdentifier(), finalTargetURL: try record.optionalText(),
            messageTemplate: try record.optionalTemplate())
    }
}

extension AuthTerms {
    fileprivate func write(to record: inout RecordWriter) {
        record.flags(Subject.recorded.map(subjects.contains))
        for message in [code, link] {
            record.text(message?.template.text)
            record.flag(message?.allowPhoneChange)
        }
        record.flag(deviceKey)
        record.integer(maxKeyAgeSeconds)
        record.text(user?.id)
        record.flag(user?.isProvided)
    }

    fileprivate init(_ record: inout RecordReader) throws(StorageFault) {
        let flags = try record.flags(Subject.recorded.count)
        let subjects = Set(zip(Subject.recorded, flags).filter(\.1).map(\.0))
        let code = try Message(ifAnyIn: &record)
        let link = try Message(ifAnyIn: &record)
        let deviceKey = try record.flag()
        let maxKeyAgeSeconds = try record.optionalCount(1...AuthTerms.maxKeyAgeLimit)
        let userID = try record.optionalText()
        let isProvided = try record.optionalFlag()
        try record.require((userID == nil) == (isProvided == nil))
        var user: User?
        if let userID, let isProvided { user = User(id: userID, isProvided: isProvided) }
        self.init(
            subjects: subjects, code: code, link: link, deviceKey: deviceKey, maxKeyAgeSeconds: maxKeyAgeSeconds,
            user: user)
    }
}

extension AuthTerms.Message {
    fileprivate init?(ifAnyIn record: inout RecordReader) throws(StorageFault) {
        let template = try record.optionalTemplate()
        let allowPhoneChange = try record.optionalFlag()
        try record.require((template == nil) == (allowPhoneChange == nil))
        guard let template, let allowPhoneChange else { return nil }
        self.init(template: template, allowPhoneChange: allowPhoneChange)
    }
}

extension SessionRequest.Flow: RecordedChoice {
    static let recorded: [Self] = [.mobile, .desktop, .none]
}

extension SessionRequest.Product: RecordedChoice {
    static let recorded: [Self] = [.unify, .prefill, .identity, .auth]
}

extension AuthTerms.Subject: RecordedChoice {
    static let recorded: [Self] = [.mobile, .device, .user]
}
