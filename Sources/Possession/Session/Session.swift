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

    /// Next step of the client.
    package enum Step: String, Sendable, CaseIterable {
        case device, mobileAuth, otpStart, otpFinish, linkStart, linkWait
    }

    package enum Outcome: String, Sendable, CaseIterable {
        case succeeded, failed, possessionRequired, cancelled, expired
    }

    /// Credential that may act for the client: the first one that redeemed the token, and no other.
    package enum Binding: Sendable, Equatable {
        case unbound
        /// The token alone, where the surface takes that (contract section 4).
        case bearer
        case key(Thumbprint)
        /// The tenant's backend drives the session itself: no token lets a client in.
        case backend
    }

    /// Facts that the client gave about itself when it redeemed the token.
    package struct Declaration: Sendable, Equatable {
        package enum Fallback: String, Sendable { case otp, link }
        package enum Cellular: String, Sendable { case yes, no, unknown }

        package let platform: Platform
        package let fallback: Fallback?
        package let deviceKey: Bool
        package let cellular: Cellular
        package let testMode: Bool
        /// Takes the code out of a text message by itself: the hash of an Android app, or the host of a web page, as the
        /// client says. Only one that the tenant has registered gets into a message (`TenantRules.registers`).
        package let codeReader: String?
        /// Web only: the page that Mobile Auth navigates back to.
        package let mobileAuthReturnURL: String?

        package init(
            platform: Platform, fallback: Fallback?, deviceKey: Bool, cellular: Cellular, testMode: Bool = false,
            codeReader: String? = nil, mobileAuthReturnURL: String? = nil
        ) {
            self.platform = platform
            self.fallback = fallback
            self.deviceKey = deviceKey
            self.cellular = cellular
            self.testMode = testMode
            self.codeReader = codeReader
            self.mobileAuthReturnURL = mobileAuthReturnURL
        }

        /// Declaration of an app or a page that reads codes, whose backend drives the session by them.
        package static func reading(codesBy reader: String, on platform: Platform) -> Declaration {
            Declaration(platform: platform, fallback: .otp, deviceKey: false, cellular: .no, codeReader: reader)
        }
    }

    /// The evidence of a success: which check, of which number or address, when.
    package struct Proof: Sendable, Equatable {
        package enum Method: String, Sendable, CaseIterable {
            case deviceKey, mobileAuth, otp, instantLink, customer
            /// The session ended as somebody said, without a check.
            case assumed
        }

        package let method: Method

        /// A person has shown here that the target is theirs. A tenant's word alone proves nothing to limits.
        package var isOfPerson: Bool {
            switch method {
            case .deviceKey, .mobileAuth, .otp, .instantLink: true
            case .customer, .assumed: false
            }
        }

        package let target: Target
        package let at: Timestamp

        package init(method: Method, target: Target, at: Timestamp) {
            self.method = method
            self.target = target
            self.at = at
        }

        /// `nil`: an address was proven.
        package var number: PhoneNumber? { target.number }
    }

    package let correlationID: CorrelationID
    package let authID: AuthID
    package let clientID: ClientID
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    package let request: SessionRequest
    /// Set where a person's own browser or phone drives the run: what finds the session for it.
    package let flowDigest: FlowDigest?

    /// All that changes, in one block that copies share until one of them changes it: a session is copied at every step.
    package internal(set) var block: StateBlock

    /// Events since the value was loaded; the store appends them to the timeline in the same transaction.
    package private(set) var newEvents: [SessionEvent] = []
    /// Events stored so far.
    package private(set) var storedEventCount: Int
    /// A session whose timeline is this long records no more of what a client can repeat for nothing; its own steps
    /// never come near.
    static let maxAuditedEvents = 64

    /// A new session, with its first event.
    /// - Parameter lifetime: from now to its end; `nil`: as the limits say.
    package init(
        correlationID: CorrelationID, authID: AuthID, clientID: ClientID, request: SessionRequest,
        flowDigest: FlowDigest? = nil, languages: Languages? = nil, lifetime: Duration? = nil, at now: Timestamp,
        limits: Limits
    ) {
        self.correlationID = correlationID
        self.authID = authID
        self.clientID = clientID
        self.createdAt = now
        self.expiresAt = now.adding(lifetime ?? limits.sessionLifetime)
        self.request = request
        self.flowDigest = flowDigest
        var state = State(
            device: DeviceCheck(challengesLeft: limits.deviceChallengesPerSession),
            mobileAuth: MobileAuthCheck(attemptsLeft: limits.mobileAuthAttemptsPerSession),
            sends: SendBudget(
                sendsLeft: request.policy.sends, entriesLeft: request.policy.numberEntries),
            otp: OTPCheck(codeLength: request.policy.code.length, attemptsLeft: request.policy.code.tries),
            bindTriesLeft: limits.bindTriesPerSession)
        state.languages = languages
        if request.policy.prefill != nil {
            state.prefill = PrefillCheck(
                challengesLeft: flowDigest == nil ? Limits.challengesFromBackend : Limits.challengesFromApp)
        }
        block = StateBlock(state)
        self.storedEventCount = 0
        record(.created, at: now, detail: request.flow.rawValue)
    }

    mutating func record(_ kind: SessionEvent.Kind, at now: Timestamp, detail: String? = nil) {
        if kind.isRepeatable, storedEventCount + newEvents.count >= Session.maxAuditedEvents { return }
        newEvents.append(SessionEvent(kind, at: now, detail: detail))
    }

    /// Records that a limit allowed no message. Half of the timeline is room enough for what a client can repeat so.
    mutating func recordRefusedSend(_ limit: LimitName, seconds: Int?, at now: Timestamp) {
        guard storedEventCount + newEvents.count < Session.maxAuditedEvents / 2 else { return }
        record(.sendRefused, at: now, detail: limit.rawValue + (seconds.map { " \($0)" } ?? ""))
    }

    /// A session that a store has read back: without new events.
    package init(
        correlationID: CorrelationID, authID: AuthID, clientID: ClientID, createdAt: Timestamp, expiresAt: Timestamp,
        request: SessionRequest, flowDigest: FlowDigest?, state: State, eventCount: Int
    ) {
        self.correlationID = correlationID
        self.authID = authID
        self.clientID = clientID
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.request = request
        self.flowDigest = flowDigest
        block = StateBlock(state)
        self.storedEventCount = eventCount
    }

    /// The same session once it is stored: its new events are among the stored ones.
    package var asStored: Session {
        var stored = self
        stored.storedEventCount += newEvents.count
        stored.newEvents = []
        return stored
    }

    /// The languages to word a message in, the best first. What the backend says comes before what the client says, and what it
    /// has said last before what it said at the start.
    package var wantedLanguages: [LanguageTag] {
        let (first, told) = (request.options.locale.map { [$0] } ?? [], languages?.tags ?? [])
        return languages?.source == .backend ? told + first : first + told
    }

    /// Every number and address that the session has to do with: what an erasure looks for.
    package var targets: [Target] {
        var found: PhoneNumber?
        if case .found(let number) = mobileAuth.verdict { found = number }
        let numbers = [enteredNumber, found].compactMap { $0.map(Target.number) }
        return [request.subject.target, proof?.target].compactMap { $0 } + numbers
    }
}
