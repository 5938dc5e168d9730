/// One run of proving a number, from the backend's call to its outcome: the whole state as a value.
///
/// Events go in (`Session+*.swift`), the new state comes out. `now` and all random values are arguments. All surfaces
/// call these methods (client protocol 4.6).
package struct Session: Sendable, Equatable {
    package enum Phase: Sendable, Equatable {
        /// Started by the backend, not yet redeemed by a client.
        case created
        case active(Step)
        case done(Outcome, at: Timestamp)
    }

    /// The client's next step.
    package enum Step: String, Sendable, CaseIterable {
        case device, mobileAuth, otpStart, otpFinish, linkStart, linkWait
    }

    package enum Outcome: String, Sendable, CaseIterable {
        case succeeded, failed, possessionRequired, cancelled, expired
    }

    /// Credential that may act for the client: the first one that redeemed the token.
    package enum Binding: Sendable, Equatable {
        case unbound
        /// Only the token, if the surface accepts that (contract section 4).
        case bearer
        case key(Thumbprint)
        /// The tenant's backend drives the session itself. No client token exists for it.
        case backend
    }

    /// Facts that the client declared when it redeemed the token.
    package struct Declaration: Sendable, Equatable {
        package enum Fallback: String, Sendable { case otp, link }
        package enum Cellular: String, Sendable { case yes, no, unknown }

        package let platform: Platform
        package let fallback: Fallback?
        package let deviceKey: Bool
        package let cellular: Cellular
        package let testMode: Bool
        /// Identifies the program that reads the code from a message: the hash of an Android app, or the host of a web
        /// page, as the client declares. It is put into a message only if the tenant has registered it
        /// (`TenantRules.registers`).
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

        /// The declaration of an app or page that reads codes, if its backend drives the session.
        package static func reading(codesBy reader: String, on platform: Platform) -> Declaration {
            Declaration(platform: platform, fallback: .otp, deviceKey: false, cellular: .no, codeReader: reader)
        }
    }

    /// The evidence of a success: which check, which number or address, when.
    package struct Proof: Sendable, Equatable {
        package enum Method: String, Sendable, CaseIterable {
            case deviceKey, mobileAuth, otp, instantLink, customer
            /// A caller set the outcome without a check.
            case assumed
        }

        package let method: Method

        /// A person has proven the target here. Limits do not count a tenant's statement as a proof.
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
    /// Set if a person's own browser or phone drives the session: the digest that finds it.
    package let flowDigest: FlowDigest?

    /// Everything that changes, in one block that copies share until one of them changes it, because a session is
    /// copied at every step.
    package internal(set) var block: StateBlock

    /// Events since the value was loaded. The store appends them to the timeline in the same transaction.
    package private(set) var newEvents: [SessionEvent] = []
    /// Number of stored events.
    package private(set) var storedEventCount: Int
    /// When a timeline is this long, the session no longer records what a client can repeat without effect. Its own
    /// steps never come near this number.
    static let maxAuditedEvents = 64

    /// A new session, with its first event.
    /// - Parameter lifetime: from now to its end; `nil`: from the limits.
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

    package mutating func record(_ kind: SessionEvent.Kind, at now: Timestamp, detail: String? = nil) {
        if kind.isRepeatable, storedEventCount + newEvents.count >= Session.maxAuditedEvents { return }
        newEvents.append(SessionEvent(kind, at: now, detail: detail))
    }

    /// Records that a limit refused a message. A client can repeat such requests, so they may fill only half of the
    /// timeline.
    mutating func recordRefusedSend(_ limit: LimitName, seconds: Int?, at now: Timestamp) {
        guard storedEventCount + newEvents.count < Session.maxAuditedEvents / 2 else { return }
        record(.sendRefused, at: now, detail: limit.rawValue + (seconds.map { " \($0)" } ?? ""))
    }

    /// A session read from a store, without new events.
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

    /// The session after it was stored: its new events count as stored.
    package var asStored: Session {
        var stored = self
        stored.storedEventCount += newEvents.count
        stored.newEvents = []
        return stored
    }

    /// The languages for a message, the best first. The backend's languages come before the client's, and the backend's
    /// newest before those it gave at the start.
    package var wantedLanguages: [LanguageTag] {
        let (first, told) = (request.options.locale.map { [$0] } ?? [], languages?.tags ?? [])
        return languages?.source == .backend ? told + first : first + told
    }

    /// Every number and address in the session, for an erasure.
    package var targets: [Target] {
        var found: PhoneNumber?
        if case .found(let number) = mobileAuth.verdict { found = number }
        let numbers = [enteredNumber, found].compactMap { $0.map(Target.number) }
        return [request.subject.target, proof?.target].compactMap { $0 } + numbers
    }
}
