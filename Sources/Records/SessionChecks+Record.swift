internal import Engine
internal import Possession

// The checks of a session in its record. Writing and reading are side by side. Each begins with the number of its
// state.

extension DeviceCheck {
    func write(to record: inout RecordWriter) {
        switch state {
        case .absent: record.integer(0)
        case .challenged(let challenge):
            record.integer(1)
            record.bytes(challenge.bytes)
            record.time(challenge.expiresAt)
        case .pending(let key):
            record.integer(2)
            record.bytes(key.thumbprint.bytes)
            record.publicKey(key.publicKey)
        case .recognized(let id):
            record.integer(3)
            record.identifier(id)
        case .mismatch(let id):
            record.integer(4)
            record.identifier(id)
        case .skipped(let challenge):
            record.integer(5)
            record.bytes(challenge.bytes)
            record.time(challenge.expiresAt)
        }
        record.integer(challengesLeft)
        record.choice(retired)
    }

    init(_ record: inout RecordReader) throws(StorageFault) {
        let state: State
        switch try record.count(0...5) {
        case 0: state = .absent
        case 1: state = .challenged(Challenge(bytes: try record.bytes(), expiresAt: try record.time()))
        case 2:
            state = .pending(
                PendingKey(
                    thumbprint: try record.value(try record.bytes(), Thumbprint.init),
                    publicKey: try record.publicKey()))
        case 3: state = .recognized(try record.identifier())
        case 4: state = .mismatch(try record.identifier())
        default: state = .skipped(Challenge(bytes: try record.bytes(), expiresAt: try record.time()))
        }
        self.init(state: state, challengesLeft: try record.smallCount(), retired: try record.optionalChoice())
    }
}

extension OTPCheck {
    /// Without the digests of the accepted codes, which are stored beside the record.
    func write(to record: inout RecordWriter) {
        switch state {
        case .idle: record.integer(0)
        case .waiting(_, let expiresAt):
            record.integer(1)
            record.time(expiresAt)
            record.integer(earlier.count)
            for code in earlier { record.time(code.expiresAt) }
        case .expired(let at):
            record.integer(2)
            record.time(at)
        case .passed: record.integer(3)
        case .failed: record.integer(4)
        }
        record.integer(codeLength)
        record.integer(attemptsLeft)
    }

    init(_ record: inout RecordReader, _ digest: OTPDigest?) throws(StorageFault) {
        let state: State
        var earlier: [EarlierCode] = []
        switch (try record.count(0...4), digest) {
        case (0, nil): state = .idle
        case (1, let digests?):
            let expiresAt = try record.time()
            var times: [Timestamp] = []
            for _ in 0..<(try record.count(Policy.Code.earlierBounds)) { times.append(try record.time()) }
            let all = try digests.split(1 + times.count)
            state = .waiting(all[0], expiresAt: expiresAt)
            // A sweep has erased all digests together.
            if !all[0].bytes.isEmpty {
                earlier = zip(all.dropFirst(), times).map { EarlierCode(digest: $0, expiresAt: $1) }
            }
        case (2, nil): state = .expired(at: try record.time())
        case (3, nil): state = .passed
        case (4, nil): state = .failed
        default: throw .corrupt("sessions.otp_digest")
        }
        self.init(
            state: state, codeLength: try record.count(Policy.Code.lengths), attemptsLeft: try record.smallCount(),
            earlier: earlier)
    }

    /// The digests of all accepted codes in one value, the newest first. `nil`: no code is awaited.
    var awaitedDigests: OTPDigest? {
        guard case .waiting(let newest, _) = state else { return nil }
        guard !earlier.isEmpty, !newest.bytes.isEmpty else { return newest }
        return OTPDigest(newest.bytes + earlier.flatMap(\.digest.bytes))
    }
}

extension OTPDigest {
    /// - Throws: `.corrupt` unless the value is `count` digests of one length. A swept value becomes `count` empty
    ///   digests.
    fileprivate func split(_ count: Int) throws(StorageFault) -> [OTPDigest] {
        guard count > 1 else { return [self] }
        guard bytes.count % count == 0 else { throw .corrupt("sessions.otp_digest") }
        let length = bytes.count / count
        return (0..<count).map { OTPDigest(Array(bytes[$0 * length..<($0 + 1) * length])) }
    }
}

extension LinkCheck {
    func write(to record: inout RecordWriter) {
        switch state {
        case .idle: record.integer(0)
        case .waiting(let expiresAt):
            record.integer(1)
            record.time(expiresAt)
        case .expired: record.integer(2)
        case .passed: record.integer(3)
        case .failed(let failure):
            record.integer(4)
            record.choice(failure)
        case .closed: record.integer(5)
        }
        record.bytes(digest?.bytes)
        record.time(sentAt)
        record.time(waitUntil)
        record.text(matchCode)
        record.text(browser)
        record.flag(addressesAgree)
    }

    init(_ record: inout RecordReader) throws(StorageFault) {
        let state: State
        switch try record.count(0...5) {
        case 0: state = .idle
        case 1: state = .waiting(expiresAt: try record.time())
        case 2: state = .expired
        case 3: state = .passed
        case 4: state = .failed(try record.choice())
        default: state = .closed
        }
        self.init(
            state: state, digest: try record.optionalBytes().map(LinkDigest.init), sentAt: try record.optionalTime(),
            waitUntil: try record.optionalTime(), matchCode: try record.optionalText(),
            browser: try record.optionalText(), addressesAgree: try record.optionalFlag())
    }
}

extension MobileAuthCheck {
    func write(to record: inout RecordWriter) {
        switch state {
        case .absent: record.integer(0)
        case .ready: record.integer(1)
        case .offered(let ticket, let expiresAt):
            record.integer(2)
            record.bytes(ticket.bytes)
            record.time(expiresAt)
        case .travelling(let address, let operatorName, let expiresAt):
            record.integer(3)
            record.bytes(address.bytes)
            record.text(operatorName)
            record.time(expiresAt)
        case .asking: record.integer(4)
        case .answered(let verdict, let result):
            record.integer(5)
            verdict.write(to: &record)
            record.bytes(result)
        case .late(let result):
            record.integer(6)
            record.bytes(result)
        case .ended(let failure):
            record.integer(7)
            record.choice(failure)
        case .handedOver(let verdict, let result, let expiresAt):
            record.integer(8)
            verdict.write(to: &record)
            record.bytes(result)
            record.time(expiresAt)
        }
        record.bytes(attempt?.bytes)
        record.integer(attemptsLeft)
    }

    init(_ record: inout RecordReader) throws(StorageFault) {
        let state: State
        switch try record.count(0...8) {
        case 0: state = .absent
        case 1: state = .ready
        case 2: state = .offered(TicketDigest(try record.bytes()), expiresAt: try record.time())
        case 3:
            state = .travelling(
                from: AddressDigest(try record.bytes()), operatorName: try record.text(), expiresAt: try record.time())
        case 4: state = .asking
        case 5: state = .answered(try Verdict(&record), result: try record.bytes())
        case 6: state = .late(result: try record.bytes())
        case 7: state = .ended(try record.optionalChoice())
        default:
            state = .handedOver(
                try Verdict(&record), result: try record.bytes(), expiresAt: try record.time())
        }
        let attempt = try record.optionalValue(try record.optionalBytes(), AttemptID.init)
        self.init(state: state, attempt: attempt, attemptsLeft: try record.smallCount())
    }
}

extension MobileAuthCheck.Verdict {
    fileprivate func write(to record: inout RecordWriter) {
        switch self {
        case .found(let number):
            record.integer(0)
            record.number(number)
        case .agrees: record.integer(1)
        case .differs: record.integer(2)
        case .unavailable: record.integer(3)
        }
    }

    fileprivate init(_ record: inout RecordReader) throws(StorageFault) {
        switch try record.count(0...3) {
        case 0: self = .found(try record.number())
        case 1: self = .agrees
        case 2: self = .differs
        default: self = .unavailable
        }
    }
}

extension DeviceCheck.Retired: RecordedChoice {
    static let recorded: [Self] = [.revoked, .inactive]
}

extension LinkCheck.Failure: RecordedChoice {
    static let recorded: [Self] = [.denied, .addressMismatch, .phoneMismatch, .wrongMatchCode]
}

extension MobileAuthCheck.Failure: RecordedChoice {
    static let recorded: [Self] = [.unavailable, .mismatch]
}
