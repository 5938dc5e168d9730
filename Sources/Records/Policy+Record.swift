internal import Engine
internal import Possession

// The policy of a session in its record. Writing and reading are side by side, in the same order.

extension Policy {
    func write(to record: inout RecordWriter) {
        record.text(product.text)
        record.integer(Int(checks.rawValue))
        record.integer(code.length)
        record.integer(code.lifetimeSeconds)
        record.integer(code.tries)
        record.choice(code.tryCount)
        record.integer(code.earlierCodes)
        record.integer(link.lifetimeSeconds)
        record.integer(link.waitSeconds)
        record.integer(channels.count)
        for channel in channels { record.choice(channel) }
        record.integer(sends)
        record.integer(numberEntries)
        record.integer(resultLifetimeSeconds)
        record.choice(prefill)
        record.flags([
            code.mayChangeNumber, link.mayChangeNumber, bindsPendingKeysOnly, asksOperatorOfKnownNumber,
            isFoundByNumber, letsBackendVouch, isAnsweredElsewhere, isAskedByAnyone, tellsNothingOfMessages,
        ])
        record.integer(maxKeyAgeSeconds)
    }

    /// A policy outside its bounds was not written by this server.
    init(_ record: inout RecordReader) throws(StorageFault) {
        let product = try record.value(try record.text(), ProductName.init)
        let checks = Checks(rawValue: UInt8(try record.count(0...Int(Checks.all.rawValue))))
        let length = try record.count(Code.lengths)
        let codeLifetime = try record.count(Code.lifetimes)
        let tries = try record.count(Code.triesBounds)
        let tryCount: TryCount = try record.choice()
        let earlierCodes = try record.count(Code.earlierBounds)
        let linkLifetime = try record.count(Link.lifetimes)
        let waitSeconds = try record.count(Link.lifetimes)
        var channels: [OutgoingMessage.Channel] = []
        for _ in 0..<(try record.smallCount()) { channels.append(try record.choice()) }
        let sends = try record.count(Self.sendsBounds)
        let numberEntries = try record.count(Self.sendsBounds)
        let resultLifetime = try record.count(Self.resultLifetimes)
        let prefill: Prefill? = try record.optionalChoice()
        // Flags from the sixth on are unset in records from before they existed.
        let flags = try record.flags(9)
        let maxKeyAge = try record.optionalCount(Self.maxKeyAges)
        do throws(Defect) {
            try self.init(
                product: product, checks: checks,
                code: Code(
                    length: length, lifetimeSeconds: codeLifetime, tries: tries, tryCount: tryCount,
                    earlierCodes: earlierCodes, mayChangeNumber: flags[0]),
                link: Link(lifetimeSeconds: linkLifetime, waitSeconds: waitSeconds, mayChangeNumber: flags[1]),
                channels: channels, sends: sends, numberEntries: numberEntries, resultLifetimeSeconds: resultLifetime,
                prefill: prefill, bindsPendingKeysOnly: flags[2], asksOperatorOfKnownNumber: flags[3],
                isFoundByNumber: flags[4], letsBackendVouch: flags[5], isAnsweredElsewhere: flags[6],
                isAskedByAnyone: flags[7], tellsNothingOfMessages: flags[8], maxKeyAgeSeconds: maxKeyAge)
        } catch {
            throw .corrupt(SessionRecord.column)
        }
    }
}

extension Policy.TryCount: RecordedChoice {
    static let recorded: [Self] = [.session, .code]
}

extension Policy.Prefill: RecordedChoice {
    static let recorded: [Self] = [.afterChallenge, .atOnce]
}

extension OutgoingMessage.Channel: RecordedChoice {
    static let recorded: [Self] = [.sms, .voice, .whatsapp, .email, .viber]
}
