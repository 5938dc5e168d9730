internal import Possession

/// The attributes of an identity as the one record that is sealed in its row.
enum SealedAttributes {
    private static let column: StaticString = "identities.attributes_sealed"
    private static let version: UInt8 = 1

    /// `nil` where there is nothing to seal.
    static func seal(
        _ attributes: [IdentityAttribute], of id: ProveID, _ sealing: Sealing
    ) throws(StorageFault) -> [UInt8]? {
        if attributes.isEmpty { return nil }
        var record = RecordWriter(version: version)
        record.integer(attributes.count)
        for attribute in attributes {
            record.text(attribute.name)
            record.text(attribute.value)
        }
        return try sealing.seal(try record.finished(column), SealingContext(column, row: id).bytes)
    }

    static func open(
        _ sealed: [UInt8]?, of id: ProveID, _ sealing: Sealing
    ) throws(StorageFault) -> [IdentityAttribute] {
        guard let sealed else { return [] }
        let bytes = try sealing.open(sealed, SealingContext(column, row: id).bytes)
        var record = try RecordReader(bytes, versions: version...version, column)
        var attributes: [IdentityAttribute] = []
        for _ in 0..<(try record.count(1...Identity.Limit.attributes)) {
            attributes.append(IdentityAttribute(name: try record.text(), value: try record.text()))
        }
        try record.end()
        return attributes
    }
}
