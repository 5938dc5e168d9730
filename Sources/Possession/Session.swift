/// One run of proving a number, from the backend's call to its outcome: the whole state as a value.
///
/// Events go in (`Session+*.swift`), the new state comes out; `now` and every random value are handed in. All surfaces
/// drive these methods (client protocol 4.6).
package struct Session: Sendable, Equatable {
    package enum Phase: Sendable, Equatable {
        /// Started by the backend, not yet redeemed by a client.
        case created
        case active(Step)
        case done(Outcome, at: Timestamp)
    }

    /// What the client is to do next.
    package enum Step: String, Sendable, CaseIterable {
        case device, mobileAuth, otpStart, otpFinish, linkStart, linkWait
    }

    package enum Outcome: String, Sendable, CaseIterable {
        case succeeded, failed, possessionRequired, cancelled, expired
    }

    /// Who may act for the client: the first key that redeemed the token, and no other.
    package enum Binding: Sendable, Equatable {
        case unbound
        /// Sandbox only: the token alone (contract section 4).
        case bearer
        case key(Thumbprint)
    }

    /// What the client said of itself when it redeemed the token.
    package struct Declaration: Sendable, Equatable {
        package enum Fallback: String, Sendable { case otp, link }
        package enum Cellular: String, Sendable { case yes, no, unknown }

        package let platform: Platform
        package let fallback: Fallback?
        package let deviceKey: Bool
        package let cellular: Cellular
        package let testMode: Bool
        /// Of the Android app, as the client says; only a hash the tenant registered gets into a message.
        package let appHash: String?
        /// Web only: the page that Mobile Auth navigates back to.
        package let mobileAuthReturnURL: String?

        package init(
            platform: Platform, fallback: Fallback?, deviceKey: Bool, cellular: Cellular, testMode: Bool = false,
            appHash: String? = nil, mobileAuthReturnURL: String? = nil
        ) {
            self.platform = platform
            self.fallback = fallback
            self.deviceKey = deviceKey
            self.cellular = cellular
            self.testMode = testMode
            self.appHash = appHash
            self.mobileAuthReturnURL = mobileAuthReturnURL
        }
    }

    /// The evidence of a success: which check, which number, when.
    package struct Proof: Sendable, Equatable {
        package enum Method: String, Sendable, CaseIterable {
            case deviceKey, mobileAuth, otp, instantLink, customer, sandbox
        }

        package let method: Method
        package let number: PhoneNumber
        package let at: Timestamp

        package init(method: Method, number: PhoneNumber, at: Timestamp) {
            self.method = method
            self.number = number
            self.at = at
        }
    }

    package let correlationID: CorrelationID
    package let authID: AuthID
    package let clientID: ClientID
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    package let request: SessionRequest
    /// Set where a person's own browser or phone drives the run: what finds the session for it.
    package let flowDigest: FlowDigest?

    package internal(set) var phase: Phase = .created
    /// Grows by one per change; what a long poll waits for.
    package internal(set) var revision = 0
    package internal(set) var binding: Binding = .unbound
    package internal(set) var declaration: Declaration?
    /// The number the person entered, where the backend gave none or allowed a change. Sealed at rest.
    package internal(set) var enteredNumber: PhoneNumber?
    package internal(set) var device: DeviceCheck
    package internal(set) var mobileAuth: MobileAuthCheck
    package internal(set) var sends: SendBudget
    package internal(set) var otp: OTPCheck
    package internal(set) var link = LinkCheck()
    package internal(set) var bindTriesLeft: Int
    package internal(set) var proof: Proof?
    /// Set for a Pre-Fill run.
    package internal(set) var prefill: PrefillCheck?
    /// Why the number's standing made a passed check a failure; empty otherwise.
    package internal(set) var riskReasons: [Reputation.Reason] = []
    /// The bound key of a success that has one.
    package internal(set) var deviceID: DeviceID?
    /// Set with `deviceID` in a run of the auth calls.
    package internal(set) var keyFinding: AuthTerms.KeyFinding?
    /// Filled in by the store when the proof is stored: one per tenant and number.
    package var proveID: ProveID?

    /// Events since the value was loaded; the store appends them to the timeline in the same transaction.
    package private(set) var newEvents: [SessionEvent] = []
    /// Events stored so far.
    package let storedEventCount: Int
    /// A session whose timeline is this long records no more of what a client can repeat for nothing; its own steps
    /// never come near.
    static let maxAuditedEvents = 64

    /// A new session, with its first event.
    package init(
        correlationID: CorrelationID, authID: AuthID, clientID: ClientID, request: SessionRequest,
        flowDigest: FlowDigest? = nil, at now: Timestamp, limits: Limits
    ) {
        self.correlationID = correlationID
        self.authID = authID
        self.clientID = clientID
        self.createdAt = now
        self.expiresAt = now.adding(limits.sessionLifetime)
        self.request = request
        self.flowDigest = flowDigest
        self.device = DeviceCheck(challengesLeft: limits.deviceChallengesPerSession)
        self.mobileAuth = MobileAuthCheck(attemptsLeft: limits.mobileAuthAttemptsPerSession)
        self.sends = SendBudget(
            sendsLeft: limits.sendsPerSession,
            entriesLeft: request.options.allowPhoneChange ? limits.numberEntriesPerSession : 1)
        self.otp = OTPCheck(
            codeLength: request.template(for: .code)?.placeholderLength ?? limits.otpCodeLength,
            attemptsLeft: request.options.allowOTPRetry ? limits.otpAttemptsWithRetry : 1)
        self.bindTriesLeft = limits.bindTriesPerSession
        if SessionRequest.Product.prefillRuns.contains(request.product) {
            self.prefill = PrefillCheck(
                challengesLeft: flowDigest == nil ? Limits.challengesFromBackend : Limits.challengesFromApp)
        }
        self.storedEventCount = 0
        record(.created, at: now, detail: request.flow.rawValue)
    }

    mutating func record(_ kind: SessionEvent.Kind, at now: Timestamp, detail: String? = nil) {
        if kind.isRepeatable, storedEventCount + newEvents.count >= Session.maxAuditedEvents { return }
        newEvents.append(SessionEvent(kind, at: now, detail: detail))
    }

    /// The same session as a store read it back: every stored member, and no new event.
    package init(stored: Stored) {
        correlationID = stored.correlationID
        authID = stored.authID
        clientID = stored.clientID
        createdAt = stored.createdAt
        expiresAt = stored.expiresAt
        request = stored.request
        flowDigest = stored.flowDigest
        phase = stored.phase
        revision = stored.revision
        binding = stored.binding
        declaration = stored.declaration
        enteredNumber = stored.enteredNumber
        device = stored.device
        mobileAuth = stored.mobileAuth
        sends = stored.sends
        otp = stored.otp
        link = stored.link
        bindTriesLeft = stored.bindTriesLeft
        proof = stored.proof
        prefill = stored.prefill
        riskReasons = stored.riskReasons
        deviceID = stored.deviceID
        keyFinding = stored.keyFinding
        proveID = stored.proveID
        storedEventCount = stored.eventCount
    }

    /// Every member a store keeps, by name, so that forgetting one does not compile.
    package struct Stored: Sendable {
        package let correlationID: CorrelationID
        package let authID: AuthID
        package let clientID: ClientID
        package let createdAt: Timestamp
        package let expiresAt: Timestamp
        package let request: SessionRequest
        package let flowDigest: FlowDigest?
        package let phase: Phase
        package let revision: Int
        package let binding: Binding
        package let declaration: Declaration?
        package let enteredNumber: PhoneNumber?
        package let device: DeviceCheck
        package let mobileAuth: MobileAuthCheck
        package let sends: SendBudget
        package let otp: OTPCheck
        package let link: LinkCheck
        package let bindTriesLeft: Int
        package let proof: Proof?
        package let prefill: PrefillCheck?
        package let riskReasons: [Reputation.Reason]
        package let deviceID: DeviceID?
        package let keyFinding: AuthTerms.KeyFinding?
        package let proveID: ProveID?
        package let eventCount: Int

        package init(
            correlationID: CorrelationID, authID: AuthID, clientID: ClientID, createdAt: Timestamp,
            expiresAt: Timestamp, request: SessionRequest, flowDigest: FlowDigest?, phase: Phase, revision: Int,
            binding: Binding, declaration: Declaration?,
            enteredNumber: PhoneNumber?, device: DeviceCheck, mobileAuth: MobileAuthCheck, sends: SendBudget,
            otp: OTPCheck, link: LinkCheck, bindTriesLeft: Int, proof: Proof?,
            prefill: PrefillCheck?, riskReasons: [Reputation.Reason],
            deviceID: DeviceID?, keyFinding: AuthTerms.KeyFinding?, proveID: ProveID?, eventCount: Int
        ) {
            self.correlationID = correlationID
            self.authID = authID
            self.clientID = clientID
            self.createdAt = createdAt
            self.expiresAt = expiresAt
            self.request = request
            self.flowDigest = flowDigest
            self.phase = phase
            self.revision = revision
            self.binding = binding
            self.declaration = declaration
            self.enteredNumber = enteredNumber
            self.device = device
            self.mobileAuth = mobileAuth
            self.sends = sends
            self.otp = otp
            self.link = link
            self.bindTriesLeft = bindTriesLeft
            self.proof = proof
            self.prefill = prefill
            self.riskReasons = riskReasons
            self.deviceID = deviceID
            self.keyFinding = keyFinding
            self.proveID = proveID
            self.eventCount = eventCount
        }
    }
}
