internal import Possession

// The parts of a session that stand in a record of their own, and only when they are not as a new session has them.
// What is personal or secret in them is handed in, from the sealed record.

extension LinkCheck {
    private static let column: StaticString = "sessions.link_check"

    /// `nil` for a session without a link.
    func record() throws(StorageFault) -> [UInt8]? {
        if self == LinkCheck() { return nil }
        var record = RecordWriter(version: 2)
        record.text(state.word)
        record.bytes(digest?.bytes)
        record.time(sentAt)
        record.time(waitUntil)
        switch state {
        case .idle, .expired, .passed, .closed: break
        case .waiting(let expiresAt): record.time(expiresAt)
        case .failed(let failure): record.text(failure.rawValue)
        }
        record.integer(addressesAgree.map { $0 ? 1 : 0 })
        return try record.finished(LinkCheck.column)
    }

    init(_ record: [UInt8]?, _ subject: SealedSubject) throws(StorageFault) {
        guard let record else {
            guard subject.matchCode == nil, subject.browser == nil else { throw .corrupt(LinkCheck.column) }
            self.init()
            return
        }
        var reader = try RecordReader(record, versions: 1...2, LinkCheck.column)
        let word = try reader.text()
        let digest = try reader.optionalBytes()
        let sentAt = try reader.optionalTime()
        let waitUntil = try reader.optionalTime()
        let state: State
        switch word {
        case "idle": state = .idle
        case "waiting": state = .waiting(expiresAt: try reader.time())
        case "expired": state = .expired
        case "passed": state = .passed
        case "failed": state = .failed(try reader.choice())
        case "closed": state = .closed
        default: throw .corrupt(LinkCheck.column)
        }
        let agree = reader.version < 2 ? nil : try reader.optionalCount(0...1).map { $0 == 1 }
        try reader.end()
        self.init(
            state: state, digest: digest.map(LinkDigest.init), sentAt: sentAt, waitUntil: waitUntil,
            matchCode: subject.matchCode, browser: subject.browser, addressesAgree: agree)
    }
}

extension LinkCheck.State {
    fileprivate var word: String {
        switch self {
        case .idle: "idle"
        case .waiting: "waiting"
        case .expired: "expired"
        case .passed: "passed"
        case .failed: "failed"
        case .closed: "closed"
        }
    }
}

extension MobileAuthCheck {
    private static let column: StaticString = "sessions.mobile_auth_check"
    /// What NULL stands for; also in rows from before the column.
    static let unplanned = MobileAuthCheck(attemptsLeft: Limits().mobileAuthAttemptsPerSession)

    /// `nil` for a session whose plan has no Mobile Auth.
    func record() throws(StorageFault) -> [UInt8]? {
        if self == MobileAuthCheck.unplanned { return nil }
        var record = RecordWriter(version: 1)
        record.text(state.word)
        record.integer(attemptsLeft)
        record.bytes(attempt?.bytes)
        switch state {
        case .absent, .ready, .asking: break
        case .offered(let ticket, let expiresAt):
            record.bytes(ticket.bytes)
            record.time(expiresAt)
        case .travelling(let address, let operatorName, let expiresAt):
            record.bytes(address.bytes)
            record.text(operatorName)
            record.time(expiresAt)
        case .answered(let verdict, let result):
            record.text(verdict.word)
            record.bytes(result)
        case .late(let result): record.bytes(result)
        case .ended(let failure): record.text(failure?.rawValue)
        }
        return try record.finished(MobileAuthCheck.column)
    }

    init(_ record: [UInt8]?, _ subject: SealedSubject) throws(StorageFault) {
        guard let record else {
            guard subject.found == nil else { throw .corrupt(MobileAuthCheck.column) }
            self = MobileAuthCheck.unplanned
            return
        }
        var reader = try RecordReader(record, versions: 1...1, MobileAuthCheck.column)
        let word = try reader.text()
        let attemptsLeft = try reader.count(0...Column.maxCount)
        let bytes = try reader.optionalBytes()
        let attempt = bytes.flatMap(AttemptID.init)
        guard (attempt == nil) == (bytes == nil) else { throw .corrupt(MobileAuthCheck.column) }
        let state = try State(word, found: subject.found, &reader)
        try reader.end()
        self.init(state: state, attempt: attempt, attemptsLeft: attemptsLeft)
    }
}

extension MobileAuthCheck.State {
    private static let column: StaticString = "sessions.mobile_auth_check"

    fileprivate var word: String {
        switch self {
        case .absent: "absent"
        case .ready: "ready"
        case .offered: "offered"
        case .travelling: "travelling"
        case .asking: "asking"
        case .answered: "answered"
        case .late: "late"
        case .ended: "ended"
        }
    }

    fileprivate init(
        _ word: String, found: PhoneNumber?, _ reader: inout RecordReader
    ) throws(StorageFault) {
        // A number is kept for the state that carries it, and no longer.
        guard found == nil || word == "answered" else { throw .corrupt(Self.column) }
        switch word {
        case "absent": self = .absent
        case "ready": self = .ready
        case "offered": self = .offered(TicketDigest(try reader.bytes()), expiresAt: try reader.time())
        case "travelling":
            self = .travelling(
                from: AddressDigest(try reader.bytes()), operatorName: try reader.text(), expiresAt: try reader.time())
        case "asking": self = .asking
        case "answered":
            let verdict = try reader.text()
            let result = try reader.bytes()
            switch (verdict, found) {
            case ("found", let number?): self = .answered(.found(number), result: result)
            case ("agrees", nil): self = .answered(.agrees, result: result)
            case ("differs", nil): self = .answered(.differs, result: result)
            case ("unavailable", nil): self = .answered(.unavailable, result: result)
            default: throw .corrupt(Self.column)
            }
        case "late": self = .late(result: try reader.bytes())
        case "ended": self = .ended(try reader.optionalChoice())
        default: throw .corrupt(Self.column)
        }
    }
}

extension MobileAuthCheck.Verdict {
    fileprivate var word: String {
        switch self {
        case .found: "found"
        case .agrees: "agrees"
        case .differs: "differs"
        case .unavailable: "unavailable"
        }
    }
}

extension PrefillCheck {
    private static let column: StaticString = "sessions.prefill_check"

    func record() throws(StorageFault) -> [UInt8] {
        var record = RecordWriter(version: 1)
        record.text(step.rawValue)
        record.integer(challengesLeft)
        return try record.finished(PrefillCheck.column)
    }

    /// `nil` for a session that is no Pre-Fill run.
    init?(_ record: [UInt8]?) throws(StorageFault) {
        guard let record else { return nil }
        var reader = try RecordReader(record, versions: 1...1, PrefillCheck.column)
        let step: Step = try reader.choice()
        let challengesLeft = try reader.count(0...Column.maxCount)
        try reader.end()
        self.init(step: step, challengesLeft: challengesLeft)
    }
}

/// Column `risk_reasons`.
enum RiskReasons {
    private static let column: StaticString = "sessions.risk_reasons"

    /// `nil` when there are none.
    static func record(_ reasons: [Reputation.Reason]) throws(StorageFault) -> [UInt8]? {
        if reasons.isEmpty { return nil }
        var record = RecordWriter(version: 1)
        for reason in reasons {
            record.text(reason.code)
            record.text(reason.text)
        }
        return try record.finished(column)
    }

    static func reasons(_ record: [UInt8]?) throws(StorageFault) -> [Reputation.Reason] {
        guard let record else { return [] }
        var reader = try RecordReader(record, versions: 1...1, column)
        var reasons: [Reputation.Reason] = []
        while !reader.isAtEnd {
            reasons.append(Reputation.Reason(code: try reader.text(), text: try reader.text()))
        }
        guard !reasons.isEmpty else { throw .corrupt(column) }
        return reasons
    }
}
