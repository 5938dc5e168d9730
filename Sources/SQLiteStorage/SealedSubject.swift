internal import Possession

/// Everything personal in a session, as the one record that is sealed in its row.
struct SealedSubject: Equatable {
    private static let column: StaticString = "sessions.subject_sealed"

    var claimed: SubmittedNumber?
    var entered: PhoneNumber?
    var proven: PhoneNumber?
    var emailAddress: String?
    var ipAddress: String?

    init() {}

    init(of session: Session) {
        claimed = session.request.subject.number
        entered = session.enteredNumber
        proven = session.proof?.number
        emailAddress = session.request.subject.emailAddress
        ipAddress = session.request.subject.ipAddress
    }

    /// `nil` when there is nothing to seal.
    func sealed(with sealing: Sealing, for id: CorrelationID) throws(StorageFault) -> [UInt8]? {
        if self == SealedSubject() { return nil }
        return try sealing.seal(try encoded(), SealingContext(SealedSubject.column, row: id).bytes)
    }

    init(_ sealed: [UInt8]?, with sealing: Sealing, for id: CorrelationID) throws(StorageFault) {
        guard let sealed else { return }
        let bytes = try sealing.open(sealed, SealingContext(SealedSubject.column, row: id).bytes)
        guard let fields = SealedSubject.fields(bytes) else { throw .corrupt(SealedSubject.column) }
        if let asSent = fields[0] {
            guard let number = try SealedSubject.number(fields[1]) else { throw .corrupt(SealedSubject.column) }
            claimed = SubmittedNumber(asSent: asSent, number: number)
        }
        entered = try SealedSubject.number(fields[2])
        proven = try SealedSubject.number(fields[3])
        emailAddress = fields[4]
        ipAddress = fields[5]
    }

    private static func number(_ text: String?) throws(StorageFault) -> PhoneNumber? {
        guard let text else { return nil }
        guard let number = PhoneNumber(e164: text) else { throw .corrupt(column) }
        return number
    }

    // MARK: The record

    private static let version: UInt8 = 1
    private static let fieldCount = 6
    /// In place of a length: the field is absent.
    private static let absent: UInt16 = 0xFFFF

    /// A version byte, then each field as its length in two bytes, most significant first, and its UTF-8.
    private func encoded() throws(StorageFault) -> [UInt8] {
        var bytes = [SealedSubject.version]
        for field in [claimed?.asSent, claimed?.number.e164, entered?.e164, proven?.e164, emailAddress, ipAddress] {
            let count = field?.utf8.count ?? Int(SealedSubject.absent)
            guard field == nil || count < SealedSubject.absent else { throw .corrupt(SealedSubject.column) }
            bytes.append(UInt8(count >> 8))
            bytes.append(UInt8(count & 0xFF))
            if let field { bytes += field.utf8 }
        }
        return bytes
    }

    /// `nil` unless the bytes are exactly one record.
    private static func fields(_ bytes: [UInt8]) -> [String?]? {
        var rest = bytes[...]
        guard rest.popFirst() == version else { return nil }
        var fields: [String?] = []
        while fields.count < fieldCount {
            guard let high = rest.popFirst(), let low = rest.popFirst() else { return nil }
            let count = UInt16(high) << 8 | UInt16(low)
            if count == absent {
                fields.append(nil)
                continue
            }
            guard rest.count >= count, let text = String(validating: rest.prefix(Int(count)), as: UTF8.self) else {
                return nil
            }
            fields.append(text)
            rest = rest.dropFirst(Int(count))
        }
        return rest.isEmpty ? fields : nil
    }
}
