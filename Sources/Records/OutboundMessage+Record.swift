package import Engine
package import Possession

/// The content of a queued message, in one record that is sealed in its row: recipients, text, and the data to undo the
/// send (DAT-02).
extension OutboundMessage {
    /// The column of a message while it is queued, and the column of a sent message that may have to be sent again.
    package enum Column: Sendable {
        case message, again

        var name: StaticString {
            switch self {
            case .message: "messages.message_sealed"
            case .again: "messages.again_sealed"
            }
        }
    }

    private static let mostAvoided = 64

    package func sealed(with sealing: Sealing, as column: Column = .message) throws(StorageFault) -> [UInt8] {
        var record = RecordWriter(RecordVersions.message, expecting: 256)
        pending.write(to: &record)
        record.text(retry?.path)
        if let retry {
            record.text(retry.requestID)
            record.bytes(retry.body.bytes)
        }
        let avoids = avoids.suffix(Self.mostAvoided)
        record.integer(avoids.count)
        for way in avoids {
            // An empty name means no gateway.
            record.text(way.gateway ?? "")
            record.choice(way.channel)
        }
        record.choice(pending.channel)
        return try sealing.seal(try record.finished(column.name), Self.context(column, id, correlationID))
    }

    package init(
        id: MessageID, correlationID: CorrelationID, sealed: [UInt8], with sealing: Sealing,
        as column: Column = .message
    ) throws(StorageFault) {
        let bytes = try sealing.open(sealed, Self.context(column, id, correlationID))
        var record = try RecordReader(bytes, RecordVersions.message, column.name)
        var pending = try Session.PendingMessage(&record)
        var retry: RetryKey?
        if let path = try record.optionalText() {
            retry = RetryKey(path: path, requestID: try record.text(), body: BodyDigest(try record.bytes()))
        }
        var avoids: [ExcludedRoute] = []
        if record.version >= 2 {
            for _ in 0..<(try record.count(0...Self.mostAvoided)) {
                let gateway = try record.text()
                let channel: OutgoingMessage.Channel? = record.version >= 4 ? try record.optionalChoice() : nil
                if !gateway.isEmpty {
                    avoids.append(ExcludedRoute(gateway, channel))
                } else if let channel {
                    avoids.append(ExcludedRoute(every: channel))
                } else {
                    throw .corrupt(column.name)
                }
            }
        }
        if record.version >= 3 { pending = pending.by(try record.optionalChoice()) }
        try record.end()
        self.init(id: id, correlationID: correlationID, pending: pending, retry: retry, avoids: avoids)
    }

    private static func context(_ column: Column, _ id: MessageID, _ session: CorrelationID) -> [UInt8] {
        SealingContext(column.name, row: session, id.text).bytes
    }
}

extension Session.PendingMessage {
    fileprivate func write(to record: inout RecordWriter) {
        // Versions up to 4 had only numbers.
        record.target(to)
        record.time(usefulUntil)
        record.integer(sendsLeft)
        record.integer(triesLeft)
        record.integer(triesBefore)
        place.write(to: &record)
        content.write(to: &record)
    }

    fileprivate init(_ record: inout RecordReader) throws(StorageFault) {
        let to = try record.target()
        let usefulUntil = try record.time()
        let sendsLeft = try record.smallCount()
        let triesLeft = try record.smallCount()
        let triesBefore = try record.smallCount()
        let place = try Place(&record)
        self.init(
            to: to, content: try Content(&record), place: place, usefulUntil: usefulUntil,
            sendsLeft: sendsLeft, triesLeft: triesLeft, triesBefore: triesBefore)
    }
}

extension Session.PendingMessage.Place {
    fileprivate func write(to record: inout RecordWriter) {
        switch self {
        case .first(let step):
            record.integer(0)
            record.choice(step)
        case .again: record.integer(1)
        case .toNumber(let earlier):
            record.integer(2)
            record.number(earlier)
        }
    }

    fileprivate init(_ record: inout RecordReader) throws(StorageFault) {
        switch try record.count(0...2) {
        case 0: self = .first(from: try record.choice())
        case 1: self = .again
        default: self = .toNumber(from: try record.optionalNumber())
        }
    }
}

extension Session.PendingMessage.Content {
    fileprivate func write(to record: inout RecordWriter) {
        switch self {
        case .code(let code, let digest, let earlier):
            record.integer(0)
            record.text(code.text)
            record.bytes(digest.bytes)
            let check = OTPCheck(state: earlier, codeLength: code.text.utf8.count, attemptsLeft: 0)
            if case .waiting(let digest, _) = earlier { record.bytes(digest.bytes) } else { record.bytes(nil) }
            check.write(to: &record)
        case .link(let token, let digest, let earlier):
            record.integer(1)
            record.text(token)
            record.bytes(digest.bytes)
            earlier.write(to: &record)
        }
    }

    fileprivate init(_ record: inout RecordReader) throws(StorageFault) {
        if try record.count(0...1) == 0 {
            let code = try record.value(try record.text(), { OTP($0) })
            let digest = OTPDigest(try record.bytes())
            let earlierDigest = try record.optionalBytes().map(OTPDigest.init)
            self = .code(code, digest: digest, after: try OTPCheck(&record, earlierDigest).state)
        } else {
            let token = try record.text()
            let digest = LinkDigest(try record.bytes())
            self = .link(token: token, digest: digest, after: try LinkCheck(&record))
        }
    }
}
