package import Engine
package import Possession

/// An endpoint in one record that is sealed in its row: URL, format and keys.
extension WebhookEndpoint {
    private static let column: StaticString = "webhook_endpoints.endpoint_sealed"

    /// Parts of an endpoint that have their own columns.
    package struct Columns: Sendable {
        package var clientID: ClientID
        package var createdAt: Timestamp
        package var stop: Stop?
        package var stoppedAt: Timestamp?
        package var failingSince: Timestamp?
        package var failures: Int

        package init(
            clientID: ClientID, createdAt: Timestamp, stop: Stop?, stoppedAt: Timestamp?, failingSince: Timestamp?,
            failures: Int
        ) {
            self.clientID = clientID
            self.createdAt = createdAt
            self.stop = stop
            self.stoppedAt = stoppedAt
            self.failingSince = failingSince
            self.failures = failures
        }
    }

    package func sealed(with sealing: Sealing) throws(StorageFault) -> [UInt8] {
        var record = RecordWriter(RecordVersions.webhookEndpoint, expecting: 256)
        record.text(url)
        record.integer(filter.words.count)
        for word in filter.words { record.text(word) }
        for inclusion in Inclusion.allCases { record.flag(includes.contains(inclusion)) }
        record.choice(format)
        record.choice(ordering)
        record.flag(hasHandshake)
        keys.write(to: &record)
        record.time(otherKeysUntil)
        if otherKeysUntil != nil { otherKeys?.write(to: &record) }
        return try sealing.seal(
            try record.finished(Self.column), SealingContext(Self.column, row: id).bytes)
    }

    package init(
        _ id: WebhookEndpointID, _ columns: Columns, sealed: [UInt8], with sealing: Sealing
    ) throws(StorageFault) {
        let bytes = try sealing.open(sealed, SealingContext(Self.column, row: id).bytes)
        var record = try RecordReader(bytes, RecordVersions.webhookEndpoint, Self.column)
        let url = try record.text()
        var words: [String] = []
        for _ in 0..<(try record.count(1...WebhookFilter.mostWords)) { words.append(try record.text()) }
        let filter: WebhookFilter
        do { filter = try WebhookFilter(words) } catch { throw .corrupt(Self.column) }
        var includes: Set<Inclusion> = []
        for inclusion in Inclusion.recorded(in: record.version) where try record.flag() { includes.insert(inclusion) }
        let format: Format = try record.choice()
        let ordering: Ordering = try record.choice()
        let hasHandshake = record.version >= 4 ? try record.flag() : false
        let keys = try Keys(&record)
        let otherKeysUntil = try record.optionalTime()
        var otherKeys: Keys?
        if otherKeysUntil != nil { otherKeys = try Keys(&record) }
        try record.end()
        self.init(
            id: id, clientID: columns.clientID, url: url, filter: filter, includes: includes, format: format,
            ordering: ordering, hasHandshake: hasHandshake, keys: keys, otherKeys: otherKeys,
            otherKeysUntil: otherKeysUntil,
            createdAt: columns.createdAt, stop: columns.stop, stoppedAt: columns.stoppedAt,
            failingSince: columns.failingSince, failures: columns.failures)
    }
}

extension WebhookEndpoint.Inclusion {
    /// The inclusions that a version of the record has a flag for, in order.
    fileprivate static func recorded(in version: UInt8) -> [Self] {
        switch version {
        case 1: [.phoneNumber]
        case 2: [.phoneNumber, .statement]
        default: [.phoneNumber, .statement, .server]
        }
    }
}

extension WebhookEndpoint.Format: RecordedChoice {
    static let recorded: [Self] = [.standard, .cloudevents, .prelude, .otpless]
}

extension WebhookEndpoint.Ordering: RecordedChoice {
    static let recorded: [Self] = [.none, .session]
}

extension WebhookEndpoint.Keys {
    fileprivate func write(to record: inout RecordWriter) {
        record.bytes(secret)
        record.bytes(seed)
    }

    fileprivate init(_ record: inout RecordReader) throws(StorageFault) {
        self.init(secret: try record.bytes(), seed: try record.optionalBytes())
    }
}
