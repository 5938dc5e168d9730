internal import Possession

/// Bounds of stored numbers.
enum Column {
    /// Tries, sends and challenges: far above every limit, far below trouble.
    static let maxCount = 1000
    /// What grows by one a change or an event: no session gets there, and one more never overflows.
    static let maxChanges = 1 << 53
    /// Moments from 1970 to the end of year 9999, in milliseconds: sums with any duration of ours stay in range.
    static let times: ClosedRange<Int64> = 0...253_402_300_799_999
}

// How the parts of a session stand in its row: writing and reading of each side by side.

extension SessionRequest {
    /// Without what is sealed: its subject, references, page, message text, device and terms.
    convenience init(_ row: inout Row) throws(StorageFault) {
        let flow: Flow = try row.choice("sessions.flow")
        let product: Product = try row.choice("sessions.product")
        var options = Options()
        options.allowOTPRetry = try row.flag("sessions.allow_otp_retry")
        options.rebind = try row.flag("sessions.rebind")
        options.checkReputation = try row.flag("sessions.check_reputation")
        options.mobileAuth = try row.flag("sessions.mobile_auth")
        options.allowPhoneChange = try row.flag("sessions.allow_phone_change")
        options.linkMatchCode = try row.flag("sessions.link_match_code")
        options.linkNeedsSameAddress = try row.flag("sessions.link_same_address")
        self.init(flow: flow, product: product, subject: Subject(), options: options, references: References())
    }
}

extension Session.Phase {
    /// Columns `phase`, `step`, `outcome`, `ended_at_ms`.
    func bind(_ values: inout Parameters) {
        switch self {
        case .created:
            values.text("created")
            values.null()
            values.null()
            values.null()
        case .active(let step):
            values.text("active")
            values.text(step.rawValue)
            values.null()
            values.null()
        case .done(let outcome, let at):
            values.text("done")
            values.null()
            values.text(outcome.rawValue)
            values.time(at)
        }
    }

    init(_ row: inout Row) throws(StorageFault) {
        let phase = try row.text("sessions.phase")
        let step: Session.Step? = try row.optionalChoice("sessions.step")
        let outcome: Session.Outcome? = try row.optionalChoice("sessions.outcome")
        let endedAt = try row.optionalTime("sessions.ended_at_ms")
        switch (phase, step, outcome, endedAt) {
        case ("created", nil, nil, nil): self = .created
        case ("active", let step?, nil, nil): self = .active(step)
        case ("done", nil, let outcome?, let at?): self = .done(outcome, at: at)
        default: throw .corrupt("sessions.phase")
        }
    }
}

extension Session.Binding {
    /// Columns `binding`, `binding_thumbprint`.
    func bind(_ values: inout Parameters) {
        switch self {
        case .unbound:
            values.text("unbound")
            values.null()
        case .bearer:
            values.text("bearer")
            values.null()
        case .key(let thumbprint):
            values.text("key")
            values.blob(thumbprint.bytes)
        }
    }

    init(_ row: inout Row) throws(StorageFault) {
        let binding = try row.text("sessions.binding")
        let thumbprint = try row.optionalThumbprint("sessions.binding_thumbprint")
        switch (binding, thumbprint) {
        case ("unbound", nil): self = .unbound
        case ("bearer", nil): self = .bearer
        case ("key", let thumbprint?): self = .key(thumbprint)
        default: throw .corrupt("sessions.binding")
        }
    }
}

extension Session.Declaration {
    /// `nil` before the first redeem: then all of its columns are NULL.
    init?(ifAnyIn row: inout Row) throws(StorageFault) {
        let platform: Platform? = try row.optionalChoice("sessions.platform")
        let deviceKey = try row.optionalFlag("sessions.declared_device_key")
        let cellular: Cellular? = try row.optionalChoice("sessions.cellular")
        let testMode = try row.optionalFlag("sessions.test_mode")
        let fallback: Fallback? = try row.optionalChoice("sessions.fallback")
        let appHash = try row.optionalText("sessions.app_hash")
        let returnURL = try row.optionalText("sessions.mobile_auth_return_url")
        switch (platform, deviceKey, cellular, testMode) {
        case (let platform?, let deviceKey?, let cellular?, let testMode?):
            self.init(
                platform: platform, fallback: fallback, deviceKey: deviceKey, cellular: cellular, testMode: testMode,
                appHash: appHash, mobileAuthReturnURL: returnURL)
        case (nil, nil, nil, nil) where fallback == nil && appHash == nil && returnURL == nil: return nil
        default: throw .corrupt("sessions.platform")
        }
    }
}

extension DeviceCheck {
    /// Columns `device_state` to `device_retired`. The id of a shown key is sealed.
    func bind(_ values: inout Parameters) {
        var challenge: Challenge?
        var pending: PendingKey?
        switch state {
        case .absent: values.text("absent")
        case .challenged(let open):
            values.text("challenged")
            challenge = open
        case .pending(let key):
            values.text("pending")
            pending = key
        case .recognized: values.text("recognized")
        case .mismatch: values.text("mismatch")
        }
        values.blob(challenge?.bytes)
        values.time(challenge?.expiresAt)
        values.blob(pending?.thumbprint.bytes)
        values.blob(pending.map { $0.publicKey.x + $0.publicKey.y })
        values.integer(challengesLeft)
        values.text(retired?.rawValue)
    }
}

/// The same columns as they were read.
struct DeviceColumns: Sendable {
    private let word: String
    private let challenge: [UInt8]?
    private let expiresAt: Timestamp?
    private let thumbprint: Thumbprint?
    private let publicKey: PublicKey?
    private let challengesLeft: Int
    private let retired: DeviceCheck.Retired?

    init(_ row: inout Row) throws(StorageFault) {
        word = try row.text("sessions.device_state")
        challenge = try row.optionalBlob("sessions.device_challenge")
        expiresAt = try row.optionalTime("sessions.device_challenge_expires_at_ms")
        thumbprint = try row.optionalThumbprint("sessions.pending_thumbprint")
        publicKey = try row.optionalPublicKey("sessions.pending_public_key")
        challengesLeft = try row.count(0...Column.maxCount, "sessions.device_challenges_left")
        retired = try row.optionalChoice("sessions.device_retired")
    }

    /// - Parameter shown: the id of the key, from the sealed record.
    func check(shown: DeviceID?) throws(StorageFault) -> DeviceCheck {
        let state: DeviceCheck.State
        switch (word, challenge, expiresAt, thumbprint, publicKey, shown) {
        case ("absent", nil, nil, nil, nil, nil): state = .absent
        case ("challenged", let bytes?, let expiresAt?, nil, nil, nil):
            state = .challenged(DeviceCheck.Challenge(bytes: bytes, expiresAt: expiresAt))
        case ("pending", nil, nil, let thumbprint?, let publicKey?, nil):
            state = .pending(DeviceCheck.PendingKey(thumbprint: thumbprint, publicKey: publicKey))
        case ("recognized", nil, nil, nil, nil, let id?): state = .recognized(id)
        case ("mismatch", nil, nil, nil, nil, let id?): state = .mismatch(id)
        default: throw .corrupt("sessions.device_state")
        }
        return DeviceCheck(state: state, challengesLeft: challengesLeft, retired: retired)
    }
}

extension OTPCheck {
    /// Columns `otp_state` to `otp_attempts_left`.
    func bind(_ values: inout Parameters) {
        var digest: OTPDigest?
        switch state {
        case .idle: values.text("idle")
        case .waiting(let awaited, _):
            values.text("waiting")
            digest = awaited
        case .expired: values.text("expired")
        case .passed: values.text("passed")
        case .failed: values.text("failed")
        }
        values.blob(digest?.bytes)
        values.time(expiresAt)
        values.integer(codeLength)
        values.integer(attemptsLeft)
    }

    init(_ row: inout Row) throws(StorageFault) {
        let word = try row.text("sessions.otp_state")
        let digest = try row.optionalBlob("sessions.otp_digest")
        let expiresAt = try row.optionalTime("sessions.otp_expires_at_ms")
        let state: State
        switch (word, digest, expiresAt) {
        case ("idle", nil, nil): state = .idle
        case ("waiting", let digest?, let expiresAt?): state = .waiting(OTPDigest(digest), expiresAt: expiresAt)
        case ("expired", nil, let expiresAt?): state = .expired(at: expiresAt)
        case ("passed", nil, nil): state = .passed
        case ("failed", nil, nil): state = .failed
        default: throw .corrupt("sessions.otp_state")
        }
        self.init(
            state: state, codeLength: try row.count(4...10, "sessions.otp_code_length"),
            attemptsLeft: try row.count(0...Column.maxCount, "sessions.otp_attempts_left"))
    }
}

extension SendBudget {
    /// Columns `sends_left`, `entries_left`.
    func bind(_ values: inout Parameters) {
        values.integer(sendsLeft)
        values.integer(entriesLeft)
    }

    init(_ row: inout Row) throws(StorageFault) {
        self.init(
            sendsLeft: try row.count(0...Column.maxCount, "sessions.sends_left"),
            entriesLeft: try row.count(0...Column.maxCount, "sessions.entries_left"))
    }
}
