package import Engine
package import Possession

/// The content of an event, in one record that is sealed in its row.
extension WebhookNews {
    private static let column: StaticString = "webhook_events.event_sealed"
    private static let mostFacts = 32
    private static let mostTexts = 64

    package func sealed(for id: WebhookEventID, with sealing: Sealing) throws(StorageFault) -> [UInt8] {
        var record = RecordWriter(RecordVersions.webhookEvent, expecting: 256)
        // Versions up to 2 had only numbers.
        record.target(target)
        record.integer(facts.count)
        for fact in facts {
            record.text(fact.name)
            fact.value.write(to: &record)
        }
        record.identifier(callback?.endpoint)
        if let callback { record.text(callback.url) }
        return try sealing.seal(try record.finished(Self.column), SealingContext(Self.column, row: id).bytes)
    }

    package init(
        _ id: WebhookEventID, _ type: WebhookEventType, at time: Timestamp, session: CorrelationID?, sealed: [UInt8],
        with sealing: Sealing
    ) throws(StorageFault) {
        let bytes = try sealing.open(sealed, SealingContext(Self.column, row: id).bytes)
        var record = try RecordReader(bytes, RecordVersions.webhookEvent, Self.column)
        let target = try record.optionalTarget()
        var facts: [WebhookFact] = []
        for _ in 0..<(try record.count(0...Self.mostFacts)) {
            facts.append(WebhookFact(try record.text(), try WebhookFact.Value(&record, mostTexts: Self.mostTexts)))
        }
        var callback: SessionRequest.Callback?
        if record.version >= 2, let endpoint: WebhookEndpointID = try record.optionalIdentifier() {
            callback = SessionRequest.Callback(endpoint: endpoint, url: try record.text())
        }
        try record.end()
        self.init(type, at: time, session: session, of: target, facts, callback: callback)
    }
}

extension WebhookFact.Value {
    fileprivate func write(to record: inout RecordWriter) {
        switch self {
        case .text(let text):
            record.integer(0)
            record.text(text)
        case .integer(let number):
            record.integer(1)
            record.integer(number)
        case .texts(let texts):
            record.integer(2)
            record.integer(texts.count)
            for text in texts { record.text(text) }
        case .time(let time):
            record.integer(3)
            record.time(time)
        case .map(let map):
            // Versions up to 3 had none.
            record.integer(4)
            map.write(to: &record)
        }
    }

    fileprivate init(_ record: inout RecordReader, mostTexts: Int) throws(StorageFault) {
        switch try record.count(0...4) {
        case 0: self = .text(try record.text())
        case 1: self = .integer(try record.count(0...Int.max - 1))
        case 2:
            var texts: [String] = []
            for _ in 0..<(try record.count(0...mostTexts)) { texts.append(try record.text()) }
            self = .texts(texts)
        case 3: self = .time(try record.time())
        default: self = .map(try SessionMetadata(&record))
        }
    }
}
