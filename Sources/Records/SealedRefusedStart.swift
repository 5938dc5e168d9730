package import Engine
package import Possession

/// The person of a refused call, in one record that is sealed in its row (DAT-02).
package struct SealedRefusedStart {
    private static let column: StaticString = "refused_starts.start_sealed"

    package let number: PhoneNumber
    package let reference: String?
    package let address: String?

    package init(_ start: RefusedStart) {
        (number, reference, address) = (start.number, start.reference, start.address)
    }

    /// - Parameter id: the row's key.
    package func sealed(with sealing: Sealing, row id: CorrelationID) throws(StorageFault) -> [UInt8] {
        var record = RecordWriter(RecordVersions.refusedStart)
        record.number(number)
        record.text(reference)
        record.text(address)
        return try sealing.seal(try record.finished(Self.column), SealingContext(Self.column, row: id).bytes)
    }

    package init(_ sealed: [UInt8], with sealing: Sealing, row id: CorrelationID) throws(StorageFault) {
        let bytes = try sealing.open(sealed, SealingContext(Self.column, row: id).bytes)
        var record = try RecordReader(bytes, RecordVersions.refusedStart, Self.column)
        number = try record.number()
        reference = try record.optionalText()
        address = try record.optionalText()
        try record.end()
    }
}
