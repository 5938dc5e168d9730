package import Engine
package import Possession

/// A tenant's data about an identity, in one record that is sealed in its row (DAT-02).
package struct SealedDetails: Equatable {
    private static let column: StaticString = "identities.attributes_sealed"

    package var references = Identity.References()
    package var attributes: [IdentityAttribute] = []

    /// `nil` if there is nothing to seal.
    package func sealed(with sealing: Sealing, for id: HolderID) throws(StorageFault) -> [UInt8]? {
        if self == SealedDetails() { return nil }
        var record = RecordWriter(RecordVersions.details)
        record.text(references.clientCustomerID)
        record.text(references.clientHumanID)
        record.identifier(references.deviceID)
        record.integer(attributes.count)
        for attribute in attributes {
            record.text(attribute.name)
            record.text(attribute.value)
        }
        return try sealing.seal(try record.finished(Self.column), SealingContext(Self.column, row: id).bytes)
    }

    package init() {}

    package init(_ sealed: [UInt8]?, with sealing: Sealing, for id: HolderID) throws(StorageFault) {
        guard let sealed else { return }
        let bytes = try sealing.open(sealed, SealingContext(Self.column, row: id).bytes)
        var record = try RecordReader(bytes, RecordVersions.details, Self.column)
        references.clientCustomerID = try record.optionalText()
        references.clientHumanID = try record.optionalText()
        references.deviceID = try record.optionalIdentifier()
        for _ in 0..<(try record.count(0...Identity.Limit.attributes)) {
            attributes.append(IdentityAttribute(name: try record.text(), value: try record.text()))
        }
        try record.end()
    }
}
