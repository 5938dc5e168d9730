internal import Engine
internal import Possession
internal import Text

// The state of a session in its record. Writing and reading are side by side, in the same order. The parts are in
// `SessionChecks+Record.swift`.

extension Session.State {
    func write(to record: inout RecordWriter) {
        phase.write(to: &record)
        record.integer(revision)
        binding.write(to: &record)
        record.flag(declaration != nil)
        declaration?.write(to: &record)
        record.number(enteredNumber)
        device.write(to: &record)
        mobileAuth.write(to: &record)
        record.integer(sends.sendsLeft)
        record.integer(sends.entriesLeft)
        otp.write(to: &record)
        link.write(to: &record)
        record.integer(bindTriesLeft)
        record.choice(proof?.method)
        if let proof {
            record.target(proof.target)
            record.time(proof.at)
        }
        record.choice(prefill?.step)
        if let prefill { record.integer(prefill.challengesLeft) }
        record.integer(riskReasons.count)
        for reason in riskReasons {
            record.text(reason.code)
            record.text(reason.text)
        }
        record.identifier(deviceID)
        record.time(keyFinding?.boundAt)
        if let keyFinding { record.flag(keyFinding.holderAgrees) }
        record.identifier(holderID)
        record.text(languages?.text)
        record.flag(hasOwnCode)
        record.integer(askers.count)
        for asker in askers { record.bytes(asker.address?.bytes ?? []) }
        record.text(askedCountry)
        record.bytes(exchange?.digest.bytes)
        if let exchange { record.time(exchange.expiresAt) }
    }

    init(_ record: inout RecordReader, otpDigest: OTPDigest?) throws(StorageFault) {
        let phase = try Session.Phase(&record)
        let revision = try record.count(0...StoredBounds.maxChanges)
        let binding = try Session.Binding(&record)
        let declaration = try record.flag() ? try Session.Declaration(&record) : nil
        let enteredNumber = try record.optionalNumber()
        let device = try DeviceCheck(&record)
        let mobileAuth = try MobileAuthCheck(&record)
        let sends = SendBudget(sendsLeft: try record.smallCount(), entriesLeft: try record.smallCount())
        let otp = try OTPCheck(&record, otpDigest)
        let link = try LinkCheck(&record)
        self.init(
            device: device, mobileAuth: mobileAuth, sends: sends, otp: otp, bindTriesLeft: try record.smallCount())
        self.phase = phase
        self.revision = revision
        self.binding = binding
        self.declaration = declaration
        self.enteredNumber = enteredNumber
        self.link = link
        if let method: Session.Proof.Method = try record.optionalChoice() {
            proof = Session.Proof(method: method, target: try record.target(), at: try record.time())
        }
        if let step: PrefillCheck.Step = try record.optionalChoice() {
            prefill = PrefillCheck(step: step, challengesLeft: try record.smallCount())
        }
        for _ in 0..<(try record.smallCount()) {
            riskReasons.append(Reputation.Reason(code: try record.text(), text: try record.text()))
        }
        deviceID = try record.optionalIdentifier()
        if let boundAt = try record.optionalTime() {
            keyFinding = KeyFinding(boundAt: boundAt, holderAgrees: try record.flag())
        }
        holderID = try record.optionalIdentifier()
        // In every record that contains a state, version 1 has no languages.
        if record.version >= 2 {
            languages = try record.optionalValue(try record.optionalText()) { Languages(text: $0) }
        }
        if record.version >= 4 { hasOwnCode = try record.flag() }
        guard record.version >= 7 else { return }
        for _ in 0..<(try record.smallCount()) {
            let bytes = try record.bytes()
            let address = try bytes.isEmpty ? nil : record.value(bytes) { IPAddress(ipv6: $0) }
            askers.append(MessageSource(address))
        }
        askedCountry = try record.optionalText()
        if record.version >= 8, let digest = try record.optionalBytes() {
            exchange = ExchangeCode(digest: ExchangeDigest(digest), expiresAt: try record.time())
        }
    }
}

extension Session.Phase {
    fileprivate func write(to record: inout RecordWriter) {
        switch self {
        case .created: record.integer(0)
        case .active(let step):
            record.integer(1)
            record.choice(step)
        case .done(let outcome, let at):
            record.integer(2)
            record.choice(outcome)
            record.time(at)
        }
    }

    fileprivate init(_ record: inout RecordReader) throws(StorageFault) {
        switch try record.count(0...2) {
        case 0: self = .created
        case 1: self = .active(try record.choice())
        default: self = .done(try record.choice(), at: try record.time())
        }
    }
}

extension Session.Binding {
    fileprivate func write(to record: inout RecordWriter) {
        switch self {
        case .unbound: record.integer(0)
        case .bearer: record.integer(1)
        case .key(let thumbprint):
            record.integer(2)
            record.bytes(thumbprint.bytes)
        case .backend: record.integer(3)
        }
    }

    fileprivate init(_ record: inout RecordReader) throws(StorageFault) {
        switch try record.count(0...3) {
        case 0: self = .unbound
        case 1: self = .bearer
        case 3: self = .backend
        default: self = .key(try record.value(try record.bytes(), Thumbprint.init))
        }
    }
}

extension Session.Declaration {
    fileprivate func write(to record: inout RecordWriter) {
        record.choice(platform)
        record.choice(fallback)
        record.flag(deviceKey)
        record.choice(cellular)
        record.flag(testMode)
        record.text(codeReader)
        record.text(mobileAuthReturnURL)
    }

    fileprivate init(_ record: inout RecordReader) throws(StorageFault) {
        self.init(
            platform: try record.choice(), fallback: try record.optionalChoice(), deviceKey: try record.flag(),
            cellular: try record.choice(), testMode: try record.flag(), codeReader: try record.optionalText(),
            mobileAuthReturnURL: try record.optionalText())
    }
}

extension Session.Step: RecordedChoice {
    static let recorded: [Self] = [.device, .mobileAuth, .otpStart, .otpFinish, .linkStart, .linkWait]
}

extension Session.Outcome: RecordedChoice {
    static let recorded: [Self] = [.succeeded, .failed, .possessionRequired, .cancelled, .expired]
}

extension Session.Proof.Method: RecordedChoice {
    static let recorded: [Self] = [.deviceKey, .mobileAuth, .otp, .instantLink, .customer, .assumed]
}

extension Session.Declaration.Fallback: RecordedChoice {
    static let recorded: [Self] = [.otp, .link]
}

extension Session.Declaration.Cellular: RecordedChoice {
    static let recorded: [Self] = [.yes, .no, .unknown]
}

extension Platform: RecordedChoice {
    static let recorded: [Self] = [.web, .android, .ios]
}

extension PrefillCheck.Step: RecordedChoice {
    static let recorded: [Self] = [.started, .validated, .challenged, .completed, .failed]
}
