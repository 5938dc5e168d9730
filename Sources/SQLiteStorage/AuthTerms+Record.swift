internal import Possession

/// A field of the sealed record of a session: message texts and the caller's id of the person stand in it.
extension AuthTerms {
    private static let column: StaticString = "sessions.subject_sealed"

    func record() throws(StorageFault) -> [UInt8] {
        var record = RecordWriter(version: 1)
        for subject in Subject.allCases { record.flag(subjects.contains(subject)) }
        for message in [code, link] {
            record.text(message?.template.text)
            record.flag(message?.allowPhoneChange == true)
        }
        record.flag(deviceKey)
        record.integer(maxKeyAgeSeconds)
        record.text(user?.id)
        record.flag(user?.isProvided == true)
        return try record.finished(AuthTerms.column)
    }

    /// `nil` for a session of another call.
    init?(_ record: [UInt8]?) throws(StorageFault) {
        guard let record else { return nil }
        var reader = try RecordReader(record, versions: 1...1, AuthTerms.column)
        var subjects: Set<Subject> = []
        for subject in Subject.allCases where try reader.flag() { subjects.insert(subject) }
        let code = try Message(&reader)
        let link = try Message(&reader)
        let deviceKey = try reader.flag()
        let maxKeyAgeSeconds = try reader.optionalCount(1...AuthTerms.maxKeyAgeLimit)
        let userID = try reader.optionalText()
        let isProvided = try reader.flag()
        try reader.end()
        guard userID != nil || !isProvided else { throw .corrupt(AuthTerms.column) }
        self.init(
            subjects: subjects, code: code, link: link, deviceKey: deviceKey, maxKeyAgeSeconds: maxKeyAgeSeconds,
            user: userID.map { User(id: $0, isProvided: isProvided) })
    }
}

extension AuthTerms.Message {
    fileprivate init?(_ reader: inout RecordReader) throws(StorageFault) {
        let text = try reader.optionalText()
        let allowPhoneChange = try reader.flag()
        guard let text else {
            guard !allowPhoneChange else { throw .corrupt("sessions.subject_sealed") }
            return nil
        }
        let template: MessageTemplate
        do { template = try MessageTemplate(text) } catch { throw .corrupt("sessions.subject_sealed") }
        self.init(template: template, allowPhoneChange: allowPhoneChange)
    }
}

/// Column `key_finding` (migration 0010).
extension AuthTerms.KeyFinding {
    private static let column: StaticString = "sessions.key_finding"

    func record() throws(StorageFault) -> [UInt8] {
        var record = RecordWriter(version: 1)
        record.time(boundAt)
        record.flag(userAgrees)
        return try record.finished(Self.column)
    }

    /// `nil` for a session that has found no key, or is of another call.
    init?(_ record: [UInt8]?) throws(StorageFault) {
        guard let record else { return nil }
        var reader = try RecordReader(record, versions: 1...1, Self.column)
        let boundAt = try reader.time()
        let userAgrees = try reader.flag()
        try reader.end()
        self.init(boundAt: boundAt, userAgrees: userAgrees)
    }
}
