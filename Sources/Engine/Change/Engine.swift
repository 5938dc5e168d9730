package import Possession
internal import Locks

/// Runs the rules: reads and changes sessions in the stores, and reports what is durable. Built once at start. The
/// services are small structs over it, or over the groups of its ports that they use.
package final class Engine: Sendable {
    private let rulesNow: Locked<Rules>
    /// The current rules, without the standing of a number: see `rules(of:judging:)`.
    package var rules: Rules { rulesNow.withLock { $0 } }
    /// The part of a rule's context that is the same for all calls.
    let server: RuleContext.Server
    /// Context of a rule that judges no number.
    var context: RuleContext { RuleContext(rules, server) }
    let stores: Stores
    package let crypto: Cryptography
    package let network: Network
    package let reports: Reports
    package let now: Now
    let carrierTimes = CarrierTimes()
    /// Networks that were refused too often.
    let throttledSources: ThrottledSources
    private let servers: @Sendable () -> Int
    let multiPartTexts = MultiPartTexts()

    package var limits: Limits { rules.limits }
    package var texts: MessageTexts { server.texts() }

    /// The settings of rules that this server has.
    package struct Settings: Sendable {
        package var codes = CodeRules.random
        /// The current texts of messages.
        package var texts: @Sendable () -> MessageTexts = { .english }
        package var testNumbers: @Sendable () -> [TestNumber] = { [] }
        package var closedPrefixes: @Sendable () -> [ClosedPrefix] = { [] }
        package var messageOrigin: String?
        package var linkURL: String
        /// Servers that use the stores now. Callers are spread over them.
        package var servers: @Sendable () -> Int = { 1 }

        package init(linkURL: String) {
            self.linkURL = linkURL
        }
    }

    package init(
        rules: Rules, _ settings: Settings, stores: Stores, crypto: Cryptography, network: Network, reports: Reports,
        now: @escaping Now
    ) {
        rulesNow = Locked(network.reputation.map { rules.knowing($0.knowing(nil)) } ?? rules)
        let (throttledSources, servers) = (ThrottledSources(), settings.servers)
        self.throttledSources = throttledSources
        self.servers = servers
        server = RuleContext.Server(
            keyed: crypto.keyed, codes: settings.codes,
            silentCodes: SilentCodes(
                fingerprint: { crypto.mobileAuthTokens.fingerprint(in: $0) },
                code: { crypto.mobileAuthTokens.code(of: $0, $1, length: $2) }),
            country: { network.numbers.country(of: $0) }, testNumbers: settings.testNumbers,
            closedPrefixes: settings.closedPrefixes,
            isThrottled: { throttledSources.isThrottled($0, of: $1, among: servers(), at: $2) }, texts: settings.texts,
            messageOrigin: settings.messageOrigin, linkURL: settings.linkURL)
        self.stores = stores
        self.crypto = crypto
        self.network = network
        self.reports = reports
        self.now = now
    }

    /// Why a tenant may not send messages to a readable number; `nil`: it may.
    package func sendBlock(of number: PhoneNumber, by rules: TenantRules) -> SendBlock? {
        network.numbers.sendBlock(of: number, by: rules, limits)
    }

    /// The part of a limit, counted in memory, that this server may use up: an equal part of it, rounded up.
    package func share(of count: Int) -> Int { count.share(among: servers()) }

    /// Applies other limits. A call in progress may still use the previous ones.
    package func take(_ limits: Limits) { rulesNow.withLock { $0 = $0.limited(by: limits) } }

    /// Person of a number; `nil`: no person is known.
    /// - Throws: `.sourceUnavailable`, and reports the cause: the caller may try again.
    func person(_ number: PhoneNumber) async throws(PlatformRefusal) -> Person? {
        do throws(IdentityFault) { return try await network.people.person(number) } catch {
            switch error {
            case .unavailable(let reason):
                reports.log("identity data: \(reason)")
                throw .sourceUnavailable
            }
        }
    }

    /// Reads a number that a backend sent, or that a person has typed.
    /// - Throws: `.invalidField`, `.numberNotServed`, `.otherProduct`.
    func submittedNumber(
        _ text: String, for tenant: ClientID, isTyped: Bool = false
    ) throws(PlatformRefusal) -> SubmittedNumber {
        do {
            return isTyped
                ? try network.numbers.read(typed: text, for: tenant) : try network.numbers.read(text, for: tenant)
        } catch {
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
}

extension Int {
    /// An equal part of a limit for each of some servers, rounded up.
    func share(among servers: Int) -> Int {
        let servers = Swift.max(1, servers)
        return self / servers + (self % servers == 0 ? 0 : 1)
    }
}
