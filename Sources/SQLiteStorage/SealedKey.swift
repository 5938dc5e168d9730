internal import Possession

/// What is personal in a device key, as the one record that is sealed in its row (DAT-02).
struct SealedKey {
    private static let column: StaticString = "device_keys.key_sealed"

    let id: DeviceID
    let number: PhoneNumber
    let clientCustomerID: String?
    let clientHumanID: String?

    init(_ key: DeviceKey) {
        id = key.id
        number = key.number
        clientCustomerID = key.clientCustomerID
        clientHumanID = key.clientHumanID
    }

    /// - Parameter index: the row's key.
    func sealed(with sealing: Sealing, row index: [UInt8]) throws(StorageFault) -> [UInt8] {
        var record = RecordWriter(version: 1)
        record.identifier(id)
        record.text(number.e164)
        record.text(clientCustomerID)
        record.text(clientHumanID)
        return try sealing.seal(try record.finished(Self.column), SealingContext(Self.column, row: index).bytes)
    }

    init(_ sealed: [UInt8], with sealing: Sealing, row index: [UInt8]) throws(StorageFault) {
        let bytes = try sealing.open(sealed, SealingContext(Self.column, row: index).bytes)
        var record = try RecordReader(bytes, versions: 1...1, Self.column)
        id = try record.identifier()
        guard let number = PhoneNumber(e164: try record.text()) else { throw .corrupt(Self.column) }
        self.number = number
        clientCustomerID = try record.optionalText()
        clientHumanID = try record.optionalText()
        try record.end()
    }
}
