internal import Possession
internal import SurfaceKit

/// Work that the calls about verifications share: to find one by a number or a SID, to send messages, and to show it.
struct TwilioVerifications: Sendable {
    /// Which verification a call is about.
    enum Target: Sendable {
        case sid(SID)
        /// As the caller wrote it.
        case number(String)
    }

    private let engine: Engine
    private let backend: Verifications
    private let safe: SafeNumbers
    private let templates: Templates
    /// Whether a message can leave by a channel.
    private let carries: @Sendable (OutgoingMessage.Channel) -> Bool
    private let publicURL: String
    /// `nil` where looks are not limited (sandbox, contract section 8).
    private let polls: SessionPolls?

    init(
        _ engine: Engine, _ safe: SafeNumbers, _ templates: Templates,
        carries: @escaping @Sendable (OutgoingMessage.Channel) -> Bool, publicURL: String
    ) {
        self.engine = engine
        backend = Verifications(engine)
        self.safe = safe
        self.templates = templates
        self.carries = carries
        self.publicURL = publicURL
        polls = engine.limits.overSessions == nil ? nil : SessionPolls()
    }

    // MARK: Begin and send

    /// Begins a verification, or goes on with the one that the number has, and sends a code.
    func send(_ form: VerificationForm, for caller: TwilioCaller) async throws(TwilioError) -> VerificationDocument {
        guard let channel = form.channel.carrier, carries(channel) else { throw .channelDisabled }
        if let refusal = form.refusal { throw refusal }
        if form.customCode != nil, !caller.brand.takesOwnCodes { throw .featureOff("CustomCode") }
        let charges = caller.brand.charges(
            form.rateLimits.map { (name: $0.name, value: $0.value) }, of: caller.tenant.id)
        guard let charges else {
            throw .parameter(FieldDefect("RateLimits", "names a rate limit that this service does not have"))
        }
        let read = try engine.submitted(form.to, "To", for: caller.tenant.id)
        let recipient = try await TwilioError.sending { () async throws(SendRefusal) in
            try backend.recipient(read, for: caller.tenant)
        }
        if channel == .sms, engine.numbers.kind(of: read.number) == .fixedLine { throw .landline }
        try await safe.check(read.number, for: caller.tenant.id)
        var order = VerificationRules.order(form, to: recipient, by: channel, for: caller.brand)
        order.sharedName = name(of: read.number, caller)
        order.message.charges = charges
        order.wording.template = try templates.worded(
            form, codeLength: form.codeLength(for: caller.brand), by: caller.brand, caller.tenant.rules)
        let result: SendResult
        do throws(SendRefusal) { result = try await backend.start(order, for: caller.tenant) } catch {
            throw TwilioError(error)
        }
        return try await document(result.message.session, .pending, of: caller)
    }

    // MARK: Find

    /// The verification that is open.
    /// - Throws: `.notFound` also for one that is over, and for what is no number.
    func open(_ target: Target, for caller: TwilioCaller) async throws(TwilioError) -> Session {
        let found: Session?
        do { found = try await session(target, for: caller) } catch {
            if case .parameter = error { throw .notFound }
            throw error
        }
        guard let found, !found.isDone else { throw .notFound }
        return found
    }

    /// Takes one look at a verification.
    func takeLook(at session: Session) throws(TwilioError) {
        guard let hit = polls?.take(session.correlationID, at: engine.now()) else { return }
        engine.noteLimit(hit.limit, nil)
        throw .rateLimited(hit)
    }

    /// The verification of the caller's service.
    private func session(_ target: Target, for caller: TwilioCaller) async throws(TwilioError) -> Session? {
        let found: Session?
        switch target {
        case .sid(let sid): found = try await look(.correlation(CorrelationID(bytes: sid.bytes)), for: caller)
        case .number(let text):
            let number = try engine.known(text, "To", for: caller.tenant.id)
            let named = try await look(.named(name(of: number, caller)), for: caller)
            // Verifications from before services could be added have no such name.
            let isOld = named == nil && caller.isFirst
            found = isOld ? try await look(.target(.number(number)), for: caller) : named
        }
        return found.flatMap { caller.sids(of: $0) == caller.sids ? $0 : nil }
    }

    private func look(_ key: SessionKey, for caller: TwilioCaller) async throws(TwilioError) -> Session? {
        do throws(EngineFault) {
            return try await backend.session(key, of: .twilioVerify, for: caller.tenant.id)
        } catch { throw TwilioError(error) }
    }

    /// By which the verifications of a number are found in one service.
    private func name(of number: PhoneNumber, _ caller: TwilioCaller) -> SessionName {
        SessionName(
            .numberInService, .digest(engine.keyed.body(caller.brand.id.bytes + Array(number.e164.utf8)).bytes))
    }

    // MARK: Check and end

    /// Takes one code.
    /// - Parameter to: beside a SID, the number that it has to be of.
    /// - Throws: `.notFound`, `.checksUsedUp`, `.parameter`, `.rateLimited`, `.overloaded`, `.internalFault`.
    func check(
        _ code: OTP, of target: Target, to: String?, for caller: TwilioCaller
    ) async throws(TwilioError) -> VerificationDocument {
        let number: PhoneNumber? =
            if case .sid = target, let to { try engine.known(to, "To", for: caller.tenant.id) } else { nil }
        guard let session = try await session(target, for: caller) else { throw .notFound }
        if let number, session.currentNumber != number { throw .notFound }
        let result: CheckResult
        do throws(EngineFault) {
            result = try await backend.check(
                code, on: .correlation(session.correlationID), of: .twilioVerify, for: caller.tenant.id)
        } catch { throw TwilioError(error) }
        switch result {
        case .passed(let session): return try await document(session, .approved, of: caller)
        // Before the first code has left, every code is a wrong one. One of another length costs no check.
        case .wrong(let session), .impossible(let session), .notAwaited(let session):
            return try await document(session, .pending, of: caller)
        case .over(let session, let seconds): throw TwilioError(.over(session, secondsLeft: seconds))
        // The codes here are for no payment, and calls have no retry key.
        case .stopped, .late, .noSession, .otherPayment, .retryKeyReused: throw .notFound
        case .limited(let hit): throw .rateLimited(hit)
        }
    }

    /// Ends a verification.
    func cancel(_ target: Target, for caller: TwilioCaller) async throws(TwilioError) -> VerificationDocument {
        let session = try await open(target, for: caller)
        let result: CancelResult
        do throws(EngineFault) {
            result = try await backend.cancel(
                on: .correlation(session.correlationID), of: .twilioVerify, for: caller.tenant.id)
        } catch { throw TwilioError(error) }
        // Another call may have been faster.
        guard case .cancelled(let cancelled) = result else { throw .notFound }
        return try await document(cancelled, .canceled, of: caller)
    }

    /// Takes the backend's word that the person knows the code that it has made.
    func approve(_ target: Target, for caller: TwilioCaller) async throws(TwilioError) -> VerificationDocument {
        let session = try await open(target, for: caller)
        guard session.request.policy.letsBackendVouch else {
            throw .featureOff("Status approved of a verification without CustomCode")
        }
        let result: CheckResult
        do throws(EngineFault) {
            result = try await backend.vouch(
                on: .correlation(session.correlationID), of: .twilioVerify, for: caller.tenant.id)
        } catch { throw TwilioError(error) }
        // Another call may have been faster, or no code has left.
        guard case .passed(let approved) = result else { throw .notFound }
        return try await document(approved, .approved, of: caller)
    }

    // MARK: Show

    func document(
        _ session: Session, _ status: VerificationDocument.Status, of caller: TwilioCaller
    ) async throws(TwilioError) -> VerificationDocument {
        VerificationDocument(session, status, of: caller.sids, try await events(of: session), publicURL: publicURL)
    }

    private func events(of session: Session) async throws(TwilioError) -> [SessionEvent] {
        do { return try await engine.sessions.events(of: session.correlationID) } catch {
            throw TwilioError(EngineFault(error))
        }
    }
}

extension SessionName.Kind {
    /// A number in one service.
    fileprivate static let numberInService = SessionName.Kind("twilio_number", isShared: true)
}
