internal import HTTPServer
internal import Possession
internal import SurfaceKit
internal import Text

/// What the calls share: how a request is begun, found and checked. A request is a session that its backend drives, and its
/// id is the session's.
struct OtplessRequests: Sendable {
    let engine: Engine
    let backend: BackendVerifications
    private let fallback: ChannelFallback
    /// Who may be played where a provider is asked who somebody is; empty but in a sandbox.
    private let people: @Sendable () -> [PlayedPerson]
    /// Whether a message can leave by a channel.
    let carries: @Sendable (OutgoingMessage.Channel) -> Bool

    /// What a submitted code comes to.
    enum Checked: Sendable { case passed, wrong, usedUp, expired, done }

    init(
        _ engine: Engine, people: @escaping @Sendable () -> [PlayedPerson],
        carries: @escaping @Sendable (OutgoingMessage.Channel) -> Bool
    ) {
        self.engine = engine
        self.people = people
        backend = BackendVerifications(engine)
        fallback = ChannelFallback(engine)
        self.carries = carries
    }

    // MARK: Codes

    /// Begins a request and sends its code, or its link; returns when the carrier did not refuse it.
    func sendCode(_ order: CodeOrder, for tenant: Tenant) async throws(OtplessError) -> Session {
        try await begin(order, for: tenant).session
    }

    /// The same for an app. Its requests are found by its state, and not by their number: a request of the backend for the
    /// same number is another one.
    func sendCode(_ order: CodeOrder, for app: StartedApp) async throws(OtplessError) -> OperationReply {
        try await begin(order, for: app.tenant, app)
    }

    private func begin(
        _ order: CodeOrder, for tenant: Tenant, _ app: StartedApp? = nil
    ) async throws(OtplessError) -> OperationReply {
        let mailbox = order.number == nil ? try mailbox(of: order) : nil
        let channels = try carriers(of: order, toMailbox: mailbox != nil)
        var wanted = try session(of: order, to: mailbox, by: channels, for: tenant, isAskedByAnyone: app != nil)
        wanted.languages = app?.languages
        let sessionOrder = wanted
        var step = Self.step(of: app)
        step.declaration = order.appHash.map { .ofAndroid(appHash: $0) }
        if let link = order.link { step.sendsLink = !link.hasCode }
        let asked = step
        let reply: OperationReply
        do throws(PlatformRefusal) {
            reply = try await backend.start(
                sessionOrder, for: tenant, asked, counting: startKeys(of: app)
            ).reply
        } catch {
            if let link = order.link, case .invalidField(.finalTarget, let reason) = error {
                throw .field(FieldDefect(link.pageField, reason))
            }
            throw OtplessError(error)
        }
        _ = try Self.sent(reply)
        return reply
    }

    static func step(of app: StartedApp?) -> BackendVerifications.Step {
        var step = BackendVerifications.Step()
        guard let app else { return step }
        step.address = app.address
        step.isAskedByPerson = true
        step.names = [app.state.name]
        return step
    }

    /// What requests of apps count under: anybody can make them.
    func startKeys(of app: StartedApp?) -> [LimitKey] {
        guard let app, engine.limits.overSessions != nil else { return [] }
        return LimitKey.starts(from: app.address, of: app.tenant.id)
    }

    /// Sends the first code of an app's request: of one that was created, or whose phone the operator has not vouched for.
    /// - Returns: `nil`: another call has done so.
    func sendCode(of session: Session, for app: StartedApp) async throws(OtplessError) -> OperationReply? {
        let reply: OperationReply?
        do throws(EngineFault) {
            let key = SessionKey.correlation(session.correlationID)
            reply =
                session.phase == .created
                ? try await backend.begin(Self.step(of: app), on: key, of: .otpless, for: app.tenant.id)
                : try await backend.sendFirstCode(Self.step(of: app), on: key, of: .otpless, for: app.tenant.id)
        } catch { throw OtplessError(error) }
        guard let reply else { throw .unknownRequest }
        if reply.refusal == .invalidState { return nil }
        _ = try Self.sent(reply)
        return reply
    }

    private func session(
        of order: CodeOrder, to mailbox: EmailAddress?, by channels: [OutgoingMessage.Channel]?, for tenant: Tenant,
        isAskedByAnyone: Bool = false
    ) throws(OtplessError) -> PlatformService.SessionOrder {
        var order = order
        var read: SubmittedNumber?
        if let text = order.number { read = try self.read(text, for: tenant, order.numberField) }
        order.number = read?.asSent
        do throws(Policy.Defect) {
            var session = try OtplessRules.session(
                of: order, to: mailbox, by: channels, isAskedByAnyone: isAskedByAnyone)
            session.number = read
            return session
        } catch { throw .internalFault("policy: \(error.what)") }
    }

    /// Sends another code of a request, or the first one of a request whose silent proof has failed.
    func sendAgain(_ id: CorrelationID, for tenant: Tenant) async throws(OtplessError) -> Session {
        guard try await find(.correlation(id), for: tenant).phase != .created else { throw .unknownRequest }
        let reply: OperationReply?
        do throws(EngineFault) {
            reply = try await backend.sendCode(on: .correlation(id), of: .otpless, for: tenant.id)
        } catch { throw OtplessError(error) }
        guard let reply else { throw .unknownRequest }
        return try Self.sent(reply)
    }

    private static func sent(_ reply: OperationReply) throws(OtplessError) -> Session {
        switch reply.refusal {
        case nil: return reply.session
        case .sessionDone: throw reply.session.outcome == .succeeded ? .alreadyVerified : .codeExpired
        // It has no codes.
        case .invalidState: throw .unknownRequest
        case .sendsExhausted: throw .sendsUsedUp
        case .messageFailed: throw .notSent
        case .rateLimited(let hit): throw .rateLimited(hit)
        case let refusal?: throw .internalFault("a code was not sent: \(refusal)")
        }
    }

    /// Takes one code.
    /// - Parameter number: that the request has to be of; `nil`: of any.
    func check(
        _ code: OTP?, on key: SessionKey, number: PhoneNumber?, for tenant: Tenant
    ) async throws(OtplessError) -> (checked: Checked, session: Session) {
        let found = try await find(key, for: tenant)
        guard number == nil || found.currentNumber == number else { throw .unknownRequest }
        // What can be no code costs no try.
        guard let code else { return (found.isDone ? Self.ended(found) : .wrong, found) }
        let reply: OperationReply?
        do throws(EngineFault) {
            reply = try await backend.check(
                code, on: .correlation(found.correlationID), of: .otpless, for: tenant.id)
        } catch { throw OtplessError(error) }
        guard let reply else { throw .unknownRequest }
        switch reply.refusal {
        case nil: return (.passed, reply.session)
        case .otpMismatch: return (.wrong, reply.session)
        case .otpExpired: return (.expired, reply.session)
        case .sessionDone: return (Self.ended(reply.session), reply.session)
        // No code has left.
        case .invalidState: throw .unknownRequest
        case .rateLimited(let hit): throw .rateLimited(hit)
        case let refusal?: throw .internalFault("a code was not checked: \(refusal)")
        }
    }

    /// Of the verifier that has to come with the code of a link (RFC 7636).
    /// - Throws: `.field`.
    func challenge(_ text: String?, by method: String?) throws(OtplessError) -> CodeChallenge? {
        guard let text else {
            guard method == nil else { throw .field(.missing("code_challenge")) }
            return nil
        }
        // Without a method it would be plain (RFC 7636 section 4.3), which shows the verifier to whoever reads the URL.
        guard let method, method.isSame(as: ProofKey.method) else {
            throw .field(FieldDefect("code_challenge_method", "must be \(ProofKey.method); plain is not served"))
        }
        guard let bytes = engine.keyed.bytes(text), bytes.count == 32 else {
            throw .field(FieldDefect("code_challenge", "must be a SHA-256 digest in base64url, 43 characters"))
        }
        return CodeChallenge(bytes)
    }

    /// Takes the code that a link gave to a browser. The request has succeeded by it.
    /// - Parameters:
    ///   - verifier: that came with it.
    ///   - session: that it has to be of; `nil`: of any of the API client's.
    func redeem(
        _ code: String, verifier: String?, of session: Session? = nil, for tenant: Tenant
    ) async throws(OtplessError) -> Session {
        let reply: OperationReply?
        do throws(EngineFault) {
            reply = try await backend.redeem(
                code, verifier: verifier, on: session.map { .correlation($0.correlationID) }, of: .otpless,
                for: tenant.id)
        } catch { throw OtplessError(error) }
        guard let reply else { throw .codeInvalid }
        switch reply.refusal {
        case nil where reply.session.outcome == .succeeded: return reply.session
        // The standing of its number has made the request a failure.
        case nil: throw .codeInvalid
        case .invalidState, .sessionDone: throw .codeInvalid
        case let refusal?: throw .internalFault("a code of a link was not redeemed: \(refusal)")
        }
    }

    /// Begins a request whose link plays a provider.
    func playProvider(
        _ order: SocialOrder, for tenant: Tenant
    ) async throws(OtplessError) -> (session: Session, link: String) {
        guard !people().isEmpty else { throw .socialNotEnabled }
        do throws(PlatformRefusal) {
            return try await backend.handOutLink(OtplessRules.session(of: order), for: tenant)
        } catch {
            if case .invalidField(.finalTarget, let reason) = error { throw .field(FieldDefect("redirectURI", reason)) }
            throw OtplessError(error)
        }
    }

    private static func ended(_ session: Session) -> Checked {
        switch session.outcome {
        case .succeeded: .done
        case .failed: .usedUp
        case .expired, .cancelled, .possessionRequired, nil: .expired
        }
    }

    // MARK: Silent proofs, and requests that an app begins

    /// - Throws: `.field`, `.countryClosed`, `.channelNotEnabled`.
    func session(
        of order: SilentOrder, for tenant: Tenant, isAskedByAnyone: Bool
    ) throws(OtplessError) -> PlatformService.SessionOrder {
        var code = order.fallback ?? CodeOrder()
        (code.number, code.metadata) = (order.number, order.metadata)
        let channels = try carriers(of: code, toMailbox: false)
        var session = try self.session(
            of: code, to: nil, by: channels, for: tenant, isAskedByAnyone: isAskedByAnyone)
        session.checks = order.fallback == nil ? .mobileAuth : [.mobileAuth, .code]
        if let seconds = order.lifetimeSeconds { session.lifetimeSeconds = seconds }
        session.references.clientRequestID = order.reference
        return session
    }

    /// Stores a request that an app begins. It can be begun by a code, and a number's silently too.
    func create(_ order: CreateRequest.Order, for tenant: Tenant) async throws(OtplessError) -> Session {
        var code = CodeOrder(email: order.email, mayBeEmail: true)
        code.number = try order.wholeNumber()
        let mailbox = code.number == nil ? try mailbox(of: code) : nil
        var wanted = try session(of: code, to: mailbox, by: nil, for: tenant)
        wanted.checks = [.mobileAuth, .code]
        wanted.lifetimeSeconds = order.lifetimeSeconds
        do throws(PlatformRefusal) { return try await backend.create(wanted, for: tenant) } catch {
            throw OtplessError(error)
        }
    }

    /// The request that an app is to begin.
    /// - Parameter text: as `create` has answered it.
    /// - Throws: `.field`, `.unknownRequest`: also for one that has begun.
    func created(_ text: String, for tenant: Tenant) async throws(OtplessError) -> Session {
        guard let id = CreatedID.session(text) else { throw .field(FieldDefect("requestId", "is no id of a request")) }
        let session = try await find(.correlation(id), for: tenant)
        guard session.phase == .created else { throw .unknownRequest }
        return session
    }

    // MARK: Results

    func events(of session: Session) async throws(OtplessError) -> [SessionEvent] {
        do throws(StorageFault) { return try await engine.sessions.events(of: session.correlationID) } catch {
            throw OtplessError(EngineFault(error))
        }
    }

    /// The result of a session of this surface; `nil`: it has not succeeded.
    func person(of session: Session) async throws(OtplessError) -> ProvenPerson? {
        guard session.outcome == .succeeded else { return nil }
        return person(of: session, try await messages(of: session))
    }

    /// The same where its messages are known.
    func person(of session: Session, _ messages: [MessageStanding]) -> ProvenPerson? {
        // Who was picked at a played provider.
        let number = session.proof?.method == .assumed ? session.proof?.number : nil
        let played = number.flatMap { number in people().first { $0.number == number } }
        return ProvenPerson(session, messages, engine.keyed, played)
    }

    /// What became of a session's messages, oldest first.
    func messages(of session: Session) async throws(OtplessError) -> [MessageStanding] {
        do throws(StorageFault) { return try await engine.outbox.standings(of: session.correlationID) } catch {
            throw OtplessError(EngineFault(error))
        }
    }

    /// The same, once the message has gone to the next channel if the one that has it said nothing for as long as it had. So it
    /// is for clients that have an order of channels.
    func messages(
        movingOnIn session: Session, for tenant: Tenant
    ) async throws(OtplessError) -> [MessageStanding] {
        let messages = try await messages(of: session)
        let seconds = tenant.rules.secondsPerChannel ?? TenantRules.defaultSecondsPerChannel
        guard !tenant.rules.smartChannels.isEmpty, let newest = messages.last,
            fallback.isDue(newest, of: session, after: seconds, at: engine.now())
        else { return messages }
        let sent: MessageStanding?
        do throws(EngineFault) { sent = try await fallback.send(newest, of: session) } catch {
            throw OtplessError(error)
        }
        // What has become of the message is noted a little later.
        return try await self.messages(of: session).map { message in
            guard let sent, message.id == sent.id, message.state == .queued else { return message }
            return sent
        }
    }

    /// The channel that took the newest message; `nil`: there is none.
    static func channel(of messages: [MessageStanding], in session: Session) -> OtplessChannel? {
        guard let newest = messages.last else { return nil }
        let channels = session.request.policy.channels
        let first = OtplessChannel(channels.first ?? .sms)
        guard newest.channel == nil, newest.state == .queued else {
            return newest.channel.map { OtplessChannel($0) } ?? first
        }
        // Nobody has noted yet who took it. It follows one that its channel did not deliver.
        guard let before = messages.last(where: { $0.channel != nil })?.channel,
            let index = channels.firstIndex(of: before)
        else { return first }
        return OtplessChannel(channels[min(index + 1, channels.count - 1)])
    }

    /// - Throws: `.tokenInvalid` unless it is the token of a success of the client within the last hour.
    func person(
        ofToken text: String, for tenant: Tenant, _ request: Request
    ) async throws(OtplessError) -> ProvenPerson {
        guard let id = OneTapToken.session(of: text, for: tenant.id, engine.keyed) else { throw .tokenInvalid }
        let found: Session?
        do throws(EngineFault) {
            found = try await backend.session(.correlation(id), of: .otpless, for: tenant.id)
        } catch { throw OtplessError(error) }
        guard let found else { throw .tokenInvalid }
        request.note(found.correlationID)
        guard let person = try await person(of: found),
            engine.now() < person.provenAt.adding(OneTapToken.lifetime)
        else { throw .tokenInvalid }
        return person
    }

    /// The person of a request that has just succeeded by the code of a link.
    func person(
        byCode code: String, _ verifier: String?, for tenant: Tenant, _ request: Request
    ) async throws(OtplessError) -> (session: Session, person: ProvenPerson) {
        let session = try await redeem(code, verifier: verifier, for: tenant)
        request.note(session.correlationID)
        guard let person = try await person(of: session) else {
            throw .internalFault("a request that has succeeded has no result")
        }
        return (session, person)
    }

    // MARK: Find and read

    /// A request as it stands now. A silent proof that nothing can help any more is ended first, so that it stays so.
    /// - Throws: `.unknownRequest` also for what is another client's or another surface's.
    func find(_ key: SessionKey, for tenant: Tenant) async throws(OtplessError) -> Session {
        let found: Session?
        do throws(EngineFault) { found = try await backend.session(key, of: .otpless, for: tenant.id) } catch {
            throw OtplessError(error)
        }
        guard let found, found.isReadable(at: engine.now()) else { throw .unknownRequest }
        guard found.phase == .active(.mobileAuth) else { return found }
        let events = try await events(of: found)
        do throws(EngineFault) { return try await backend.afterMobileAuth(found, events) } catch {
            throw OtplessError(error)
        }
    }

    /// The number as it is written to the engine: always with a plus, since callers always give the country code.
    private func read(
        _ text: String, for tenant: Tenant, _ field: String
    ) throws(OtplessError) -> SubmittedNumber {
        let read = try submitted(text, for: tenant, field)
        switch engine.closure(of: read.number, by: tenant.rules) {
        case nil: return read
        case .country: throw .countryClosed
        case .line(let reason): throw .numberRefused(reason, field: field)
        }
    }

    /// The address of an order that has no number.
    private func mailbox(of order: CodeOrder) throws(OtplessError) -> EmailAddress {
        guard let text = order.email else { throw .noTarget }
        guard order.mayBeEmail else { throw .noEmail }
        do throws(EmailRefusal) { return try engine.emails.read(text) } catch {
            switch error {
            case .noWay: throw .noEmail
            case .malformed: throw .field(FieldDefect("email", "is not an e-mail address"))
            case .notServed(let reason): throw .field(FieldDefect("email", "is not served: \(reason)"))
            }
        }
    }

    /// - Throws: `.field`.
    func number(_ text: String, for tenant: Tenant) throws(OtplessError) -> PhoneNumber {
        try submitted(text, for: tenant, "phoneNumber").number
    }

    private func submitted(
        _ text: String, for tenant: Tenant, _ field: String
    ) throws(OtplessError) -> SubmittedNumber {
        do throws(NumberRefusal) {
            return try engine.numbers.read(Self.withPlus(text), for: tenant.id)
        } catch {
            switch error {
            case .malformed: throw .field(FieldDefect(field, "is not a possible phone number"))
            case .notServed(let reason), .otherProduct(let reason):
                throw .field(FieldDefect(field, "is not served: \(reason)"))
            case .refusedKind(let reason): throw .numberRefused(reason, field: field)
            }
        }
    }

    private static func withPlus(_ text: String) -> String {
        hasPlus(text) ? text : "+" + text
    }

    static func hasPlus(_ text: String) -> Bool {
        text.utf8.first { $0 != UInt8(ascii: " ") } == UInt8(ascii: "+")
    }

    private func carriers(
        of order: CodeOrder, toMailbox: Bool
    ) throws(OtplessError) -> [OutgoingMessage.Channel]? {
        guard let named = order.channels else { return nil }
        var carriers: [OutgoingMessage.Channel] = []
        for channel in named {
            let carrier = channel.carrier
            // Nobody can open what a voice reads out.
            guard (carrier == .email) == toMailbox, carries(carrier), carrier != .voice || order.link == nil else {
                throw .channelNotEnabled(field: order.channelsField)
            }
            carriers.append(carrier)
        }
        return carriers
    }
}
