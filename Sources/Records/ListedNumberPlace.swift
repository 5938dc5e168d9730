package import Engine
package import Possession

/// The place of a number in a tenant's list: its sealed number opens only there (DAT-02).
package struct ListedNumberPlace: Sendable {
    private static let column: StaticString = "listed_numbers.number_sealed"

    package let index: [UInt8]
    private let context: [UInt8]

    /// - Parameter index: the keyed digest of the number.
    package init(index: [UInt8], client: ClientID, list: NumberList) {
        self.index = index
        context = SealingContext(Self.column, row: index, client.text, list.rawValue).bytes
    }

    package func sealed(_ number: PhoneNumber, with sealing: Sealing) throws(StorageFault) -> [UInt8] {
        var record = RecordWriter(RecordVersions.listedNumberPlace)
        record.number(number)
        return try sealing.seal(try record.finished(Self.column), context)
    }

    package func number(_ sealed: [UInt8], with sealing: Sealing) throws(StorageFault) -> PhoneNumber {
        var record = try RecordReader(try sealing.open(sealed, context), RecordVersions.listedNumberPlace, Self.column)
        let number = try record.number()
        try record.end()
        return number
    }
}
