internal import Locks

/// Everything the services depend on: the rules, the ports and the configured values. Built once at start.
///
/// One object: every service and every rule of a call has it, and a copy counts one reference, not one for each port.
package final class Engine: Sendable {
    private let rulesNow: Locked<Rules>
    /// The rules as they are now, without the standing of any number: see `rules(of:judging:)`.
    package var rules: Rules { rulesNow.withLock { $0 } }
    /// How the standing of numbers is learned; `nil`: nobody is asked.
    package let reputation: ReputationCheck?
    /// Source that knows the SIM of numbers; `nil`: there is none.
    package let simSwaps: (any SIMSwapSource)?
    package let sessions: any SessionStore
    package let outbox: any Outbox
    package let deviceKeys: any DeviceKeyStore
    package let identities: any IdentityStore
    /// Source that knows the person behind a number, for prefill and verification.
    package let people: any IdentitySource
    package let tenants: any TenantStore
    package let apiKeys: any APIKeyStore
    package let applications: any ApplicationKeyStore
    package let limitCounts: any LimitStore
    package let webhooks: any WebhookStore
    package let audit: any AuditLog
    package let tokens: any TokenService
    package let proofs: any ProofVerifier
    package let gateway: any MessageGateway
    /// Runs the sending of messages, so that a call need not wait for a slow carrier.
    package let sending: any BackgroundWork
    package let operators: any MobileOperators
    package let mobileAuthTokens: any MobileAuthTokens
    package let numbers: any NumberDirectory
    package let emails: any EmailDirectory
    package let codes: any CodeSource
    /// Numbers that nothing is sent to.
    package let testNumbers: @Sendable () -> [TestNumber]
    let carrierTimes = CarrierTimes()
    /// Networks that ask in vain.
    let refusedAskers = RefusedAskers()
    let dearTexts = DearTexts()
    /// Beginnings of numbers that get no messages.
    package let closedPrefixes: @Sendable () -> [ClosedPrefix]
    package let keyed: KeyedDigests
    package let now: Now
    package let randomBytes: RandomBytes
    /// Told after every durable change of a session, for those who wait for it.
    package let announce: @Sendable (AuthID) -> Void
    /// Told when a send went wrong or a value was not as it must be: for the log, without personal data.
    package let report: @Sendable (String) -> Void
    /// Told of every call that a limit refused, once that is durable: for the log and the metrics, which mask the number
    /// (ABU-12).
    package let noteLimit: @Sendable (LimitName, PhoneNumber?) -> Void
    /// Told what has happened, once it is durable: for the figures (OPS-06). On a loop: it must not wait.
    package let noteNews: @Sendable (EngineNews) -> Void
    /// The texts of messages as they are now.
    package let texts: @Sendable () -> MessageTexts
    /// Told for which endpoints something waits, once it is durable or about to be. On a loop: it must not wait.
    package let wakeWebhooks: @Sendable ([WebhookEndpointID]) -> Void
    /// The host of an origin-bound last line of code messages (client protocol 3.6); `nil`: no such line.
    package let messageOrigin: String?
    /// Beginning of the links of messages, before `/l/`.
    package let linkURL: String
    /// That no statement is made for.
    package let reservedAudiences: ReservedAudiences

    package var limits: Limits { rules.limits }

    package init(
        rules: Rules, reputation: ReputationCheck? = nil, simSwaps: (any SIMSwapSource)? = nil,
        sessions: any SessionStore, outbox: any Outbox,
        deviceKeys: any DeviceKeyStore,
        identities: any IdentityStore, people: any IdentitySource, tenants: any TenantStore,
        apiKeys: any APIKeyStore = NoAPIKeys(), applications: any ApplicationKeyStore = NoApplicationKeys(),
        limitCounts: any LimitStore, webhooks: any WebhookStore = NoWebhooks(),
        audit: any AuditLog = NoAudit(), tokens: any TokenService,
        proofs: any ProofVerifier,
        gateway: any MessageGateway, sending: any BackgroundWork = WorkInCall(), operators: any MobileOperators,
        mobileAuthTokens: any MobileAuthTokens,
        numbers: any NumberDirectory, emails: any EmailDirectory = WorldEmails { false },
        codes: any CodeSource = DrawnCodes(),
        testNumbers: @escaping @Sendable () -> [TestNumber] = { [] },
        closedPrefixes: @escaping @Sendable () -> [ClosedPrefix] = { [] }, keyed: KeyedDigests, now: @escaping Now,
        randomBytes: @escaping RandomBytes,
        announce: @escaping @Sendable (AuthID) -> Void, report: @escaping @Sendable (String) -> Void,
        noteLimit: @escaping @Sendable (LimitName, PhoneNumber?) -> Void = { _, _ in },
        noteNews: @escaping @Sendable (EngineNews) -> Void = { _ in },
        wakeWebhooks: @escaping @Sendable ([WebhookEndpointID]) -> Void = { _ in },
        texts: @escaping @Sendable () -> MessageTexts = { .english },
        messageOrigin: String?, linkURL: String, reservedAudiences: ReservedAudiences = ReservedAudiences()
    ) {
        rulesNow = Locked(reputation.map { rules.knowing($0.knowing(nil)) } ?? rules)
        self.reputation = reputation
        self.simSwaps = simSwaps
        self.sessions = sessions
        self.outbox = outbox
        self.deviceKeys = deviceKeys
        self.identities = identities
        self.people = people
        self.tenants = tenants
        self.apiKeys = apiKeys
        self.applications = applications
        self.limitCounts = limitCounts
        self.webhooks = webhooks
        self.audit = audit
        self.tokens = tokens
        self.proofs = proofs
        self.gateway = gateway
        self.sending = sending
        self.operators = operators
        self.mobileAuthTokens = mobileAuthTokens
        self.numbers = numbers
        self.emails = emails
        self.codes = codes
        self.testNumbers = testNumbers
        self.closedPrefixes = closedPrefixes
        self.keyed = keyed
        self.now = now
        self.randomBytes = randomBytes
        self.announce = announce
        self.report = report
        self.noteLimit = noteLimit
        self.noteNews = noteNews
        self.texts = texts
        self.wakeWebhooks = wakeWebhooks
        self.messageOrigin = messageOrigin
        self.linkURL = linkURL
        self.reservedAudiences = reservedAudiences
    }

    /// Why no message of a tenant goes to a number that can be read; `nil`: one may.
    package func closure(of number: PhoneNumber, by rules: TenantRules) -> NumberClosure? {
        numbers.closure(of: number, by: rules, limits)
    }

    /// Takes other limits into use. A call that is under way may end by those of before.
    package func take(_ limits: Limits) { rulesNow.withLock { $0 = $0.limited(by: limits) } }

    /// Person behind a number; `nil`: nobody that is known.
    /// - Throws: `.sourceUnavailable`, and reports why: the caller may try again.
    func person(_ number: PhoneNumber) async throws(PlatformRefusal) -> Person? {
        do throws(IdentityFault) { return try await people.person(number) } catch {
            switch error {
            case .unavailable(let reason):
                report("identity data: \(reason)")
                throw .sourceUnavailable
            }
        }
    }

    /// Reads a number that a backend sent, or that a person has typed.
    /// - Throws: `.invalidField`, `.numberNotServed`, `.otherProduct`.
    func submittedNumber(
        _ text: String, for tenant: ClientID, isTyped: Bool = false
    ) throws(PlatformRefusal) -> SubmittedNumber {
        do { return isTyped ? try numbers.read(typed: text, for: tenant) : try numbers.read(text, for: tenant) } catch {
            switch error {
            case .malformed: throw .invalidField(.phoneNumber, reason: "is not a possible phone number")
            case .notServed: throw .numberNotServed
            case .otherProduct: throw .otherProduct
            case .refusedKind(let reason): throw .invalidField(.phoneNumber, reason: reason)
            }
        }
    }

    /// The session as it stands at `now`. What time has ended is stored before anybody is told of it: so it stays over,
    /// also for a call that took its time before and waits for its transaction, and when a clock that is played goes back
    /// (DUR-13).
    /// - Throws: also when it cannot be stored; a session that time has not changed is not written.
    func settled(_ stored: Session, at now: Timestamp) async throws(EngineFault) -> Session {
        guard let expiry = stored.nextExpiry, now >= expiry else { return stored }
        var session = stored
        session.settle(at: now)
        guard session != stored else { return stored }
        let key = SessionKey.correlation(stored.correlationID)
        return switch try await change(key, by: .server, at: now, { (_) throws(Never) in }) {
        case .made(_, let kept), .revoked(let kept): kept
        // Removed meanwhile: over as well.
        case .unknown: session
        }
    }

    /// A new identifier of any kind, from the clock and 16 random bytes.
    func fresh<ID: Identifier>(_ type: ID.Type, at now: Timestamp) throws(EntropyFault) -> ID {
        ID(at: now, random: try randomBytes(16))
    }
}
