package import Engine
package import Possession

/// The number and the code of a test number, in one record that is sealed in its row (DAT-02).
package struct SealedTestNumber {
    private static let column: StaticString = "test_numbers.entry_sealed"

    package let number: PhoneNumber
    package let code: OTP

    package init(_ entry: TestNumber) {
        number = entry.number
        code = entry.code
    }

    /// - Parameter index: the row's key.
    package func sealed(with sealing: Sealing, row index: [UInt8]) throws(StorageFault) -> [UInt8] {
        var record = RecordWriter(RecordVersions.testNumber)
        record.number(number)
        record.text(code.text)
        return try sealing.seal(try record.finished(Self.column), SealingContext(Self.column, row: index).bytes)
    }

    package init(_ sealed: [UInt8], with sealing: Sealing, row index: [UInt8]) throws(StorageFault) {
        let bytes = try sealing.open(sealed, SealingContext(Self.column, row: index).bytes)
        var record = try RecordReader(bytes, RecordVersions.testNumber, Self.column)
        number = try record.number()
        code = try record.value(try record.text()) { OTP($0) }
        try record.end()
    }
}
