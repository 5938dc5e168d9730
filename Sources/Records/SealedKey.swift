package import Engine
package import Possession

/// Personal data of a device key, in one record that is sealed in its row (DAT-02).
package struct SealedKey {
    private static let column: StaticString = "device_keys.key_sealed"

    package let id: DeviceID
    package let number: PhoneNumber
    package let clientCustomerID: String?
    package let clientHumanID: String?

    package init(_ key: DeviceKey) {
        id = key.id
        number = key.number
        clientCustomerID = key.clientCustomerID
        clientHumanID = key.clientHumanID
    }

    /// - Parameter index: the row's key.
    package func sealed(with sealing: Sealing, row index: [UInt8]) throws(StorageFault) -> [UInt8] {
        var record = RecordWriter(RecordVersions.key)
        record.identifier(id)
        record.number(number)
        record.text(clientCustomerID)
        record.text(clientHumanID)
        return try sealing.seal(try record.finished(Self.column), SealingContext(Self.column, row: index).bytes)
    }

    package init(_ sealed: [UInt8], with sealing: Sealing, row index: [UInt8]) throws(StorageFault) {
        let bytes = try sealing.open(sealed, SealingContext(Self.column, row: index).bytes)
        var record = try RecordReader(bytes, RecordVersions.key, Self.column)
        id = try record.identifier()
        number = try record.number()
        clientCustomerID = try record.optionalText()
        clientHumanID = try record.optionalText()
        try record.end()
    }
}
