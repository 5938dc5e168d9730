package import Possession
internal import Locks

/// Everything the services depend on: the rules, the ports and the configured values. Built once at start.
///
/// One object, because every service and every rule of a call has it: a copy counts one reference, not one for each
/// port.
package final class Engine: Sendable {
    private let rulesNow: Locked<Rules>
    /// The current rules, without the standing of a number: see `rules(of:judging:)`.
    package var rules: Rules { rulesNow.withLock { $0 } }
    /// The part of a rule's context that is the same for all calls.
    package let server: RuleContext.Server
    /// Context of a rule that judges no number.
    package var context: RuleContext { RuleContext(rules, server) }
    /// How the standing of numbers is learned; `nil`: it is never learned.
    package let reputation: ReputationCheck?
    /// Source for the SIM of a number, or `nil`.
    package let simSwaps: (any SIMSwapSource)?
    package let sessions: any SessionStore
    package let outbox: any Outbox
    package let deviceKeys: any DeviceKeyStore
    package let identities: any IdentityStore
    /// Source for the person of a number, for prefill and verification.
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
    let carrierTimes = CarrierTimes()
    /// Networks that were refused too often.
    let throttledSources: ThrottledSources
    let multiPartTexts = MultiPartTexts()
    package var keyed: KeyedDigests { server.keyed }
    package let now: Now
    package let randomBytes: RandomBytes
    /// Called after every durable change of a session, to wake the clients that wait for it.
    package let announce: @Sendable (AuthID) -> Void
    /// Called if a send failed or a value is not as it must be. The text is for the log and has no personal data.
    package let report: @Sendable (String) -> Void
    /// Called for every call that a limit refused, once that is durable. Log and metrics mask the number (ABU-12).
    package let noteLimit: @Sendable (LimitName, PhoneNumber?) -> Void
    /// Called with events for the metrics, once they are durable (OPS-06). It runs on an event loop and must not wait.
    package let noteNews: @Sendable (EngineNews) -> Void
    /// Called with endpoints that have pending deliveries, once these are durable or about to be. It runs on an event
    /// loop and must not wait.
    package let wakeWebhooks: @Sendable ([WebhookEndpointID]) -> Void
    /// Audiences that statements must not name: this server and its operators.
    package let reservedAudiences: ReservedAudiences

    package var limits: Limits { rules.limits }
    package var texts: MessageTexts { server.texts() }

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
        codes: CodeRules = .random,
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
        let throttledSources = ThrottledSources()
        self.throttledSources = throttledSources
        server = RuleContext.Server(
            keyed: keyed, codes: codes,
            silentCodes: SilentCodes(
                fingerprint: { mobileAuthTokens.fingerprint(in: $0) },
                code: { mobileAuthTokens.code(of: $0, $1, length: $2) }),
            country: { numbers.country(of: $0) }, testNumbers: testNumbers, closedPrefixes: closedPrefixes,
            isThrottled: { throttledSources.isThrottled($0, of: $1, at: $2) }, texts: texts,
            messageOrigin: messageOrigin, linkURL: linkURL)
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
        self.now = now
        self.randomBytes = randomBytes
        self.announce = announce
        self.report = report
        self.noteLimit = noteLimit
        self.noteNews = noteNews
        self.wakeWebhooks = wakeWebhooks
        self.reservedAudiences = reservedAudiences
    }

    /// Why a tenant may not send messages to a readable number; `nil`: it may.
    package func sendBlock(of number: PhoneNumber, by rules: TenantRules) -> SendBlock? {
        numbers.sendBlock(of: number, by: rules, limits)
    }

    /// Applies other limits. A call in progress may still use the previous ones.
    package func take(_ limits: Limits) { rulesNow.withLock { $0 = $0.limited(by: limits) } }

    /// Person of a number; `nil`: no person is known.
    /// - Throws: `.sourceUnavailable`, and reports the cause: the caller may try again.
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

    /// The session with expiries applied at `now`. An expiry is stored before the caller learns of it. So the session
    /// stays expired for a call that took its time earlier and waits for its transaction, and if a simulated clock goes
    /// back (DUR-13).
    /// - Throws: also if an expiry cannot be stored. A session without a new expiry is not written.
    func withExpiries(_ stored: Session, at now: Timestamp) async throws(EngineFault) -> Session {
        guard let expiry = stored.nextExpiry, now >= expiry else { return stored }
        var session = stored
        session.expire(at: now)
        guard session != stored else { return stored }
        let key = SessionKey.correlation(stored.correlationID)
        return switch try await change(key, by: .server, at: now, { (_) throws(Never) in }) {
        case .made(_, let kept), .revoked(let kept): kept
        // The session was removed meanwhile, so it is over too.
        case .unknown: session
        }
    }

    /// A new identifier of any kind, from the clock and 16 random bytes.
    func fresh<ID: Identifier>(_ type: ID.Type, at now: Timestamp) throws(EntropyFault) -> ID {
        ID(at: now, random: try randomBytes(16))
    }
}
