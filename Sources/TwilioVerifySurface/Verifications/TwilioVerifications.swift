internal import Engine
internal import Possession
internal import SurfaceKit

/// Finds verifications by number or SID, sends messages and shows the result, for all calls about verifications.
struct TwilioVerifications: Sendable {
    /// The verification that a call names.
    enum Target: Sendable {
        case sid(SID)
        /// As the caller wrote it.
        case number(String)
    }

    private let engine: Engine
    private let backend: Verifications
    private let history: SessionHistory
    private let safe: SafeNumbers
    private let templates: Templates
    /// Whether a gateway carries a channel.
    private let carries: @Sendable (OutgoingMessage.Channel) -> Bool
    private let publicURL: String
    /// `nil`: polling is not limited (sandbox, contract section 8).
    private let polls: SessionPolls?

    init(
        _ engine: Engine, _ safe: SafeNumbers, _ templates: Templates,
        carries: @escaping @Sendable (OutgoingMessage.Channel) -> Bool, publicURL: String
    ) {
        self.engine = engine
        backend = Verifications(engine)
        history = SessionHistory(engine)
        self.safe = safe
        self.templates = templates
        self.carries = carries
        self.publicURL = publicURL
        polls = engine.limits.overSessions == nil ? nil : SessionPolls()
    }

    // MARK: Begin and send

    /// Sends a code in the number's pending verification, or begins a new one.
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
        if channel == .sms, engine.network.numbers.kind(of: read.number) == .fixedLine { throw .landline }
        try await safe.check(read.number, for: caller.tenant.id)
        var order = TwilioRules.order(form, to: recipient, by: channel, for: caller.brand)
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

    /// A pending verification.
    /// - Throws: `.notFound`: also if the verification is over, or the text is not a number.
    func open(_ target: Target, for caller: TwilioCaller) async throws(TwilioError) -> Session {
        let found: Session?
        do { found = try await session(target, for: caller) } catch {
            if case .parameter = error { throw .notFound }
            throw error
        }
        guard let found, !found.isDone else { throw .notFound }
        return found
    }

    /// Counts one read of a verification towards the polling limit.
    func takeLook(at session: Session) throws(TwilioError) {
        guard let hit = polls?.take(session.correlationID, at: engine.now()) else { return }
        engine.reports.recordLimit(hit.limit, nil)
        throw .rateLimited(hit)
    }

    /// A verification, if it belongs to the caller's service.
    private func session(_ target: Target, for caller: TwilioCaller) async throws(TwilioError) -> Session? {
        let found: Session?
        switch target {
        case .sid(let sid): found = try await session(.correlation(CorrelationID(bytes: sid.bytes)), for: caller)
        case .number(let text):
            let number = try engine.known(text, "To", for: caller.tenant.id)
            let named = try await session(.named(name(of: number, caller)), for: caller)
            // Verifications from before services could be added have no such name.
            let isOld = named == nil && caller.isFirst
            found = isOld ? try await session(.target(.number(number)), for: caller) : named
        }
        return found.flatMap { caller.sids(of: $0) == caller.sids ? $0 : nil }
    }

    private func session(_ key: SessionKey, for caller: TwilioCaller) async throws(TwilioError) -> Session? {
        do throws(EngineFault) {
            return try await backend.session(key, of: .twilioVerify, for: caller.tenant.id)
        } catch { throw TwilioError(error) }
    }

    /// The name under which a service's verifications of a number are found.
    private func name(of number: PhoneNumber, _ caller: TwilioCaller) -> SessionName {
        SessionName(
            .numberInService, .digest(engine.crypto.keyed.body(caller.brand.id.bytes + Array(number.e164.utf8)).bytes))
    }

    // MARK: Check and end

    /// Checks one code.
    /// - Parameter to: the number in a call that also names a SID. The verification must be of this number.
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
        // Before the first code is sent, every code is wrong. A code of another length does not count as a check.
        case .wrong(let session), .impossible(let session), .notAwaited(let session):
            return try await document(session, .pending, of: caller)
        case .over(let session, let seconds): throw TwilioError(.over(session, secondsLeft: seconds))
        // The last two cases cannot happen here: codes have no payment, and calls have no retry key.
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
        // Another call may have ended it first.
        guard case .cancelled(let cancelled) = result else { throw .notFound }
        return try await document(cancelled, .canceled, of: caller)
    }

    /// Approves a verification because its backend, which made the code, says that the person knows it.
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
        // Another call may have ended it first, or no code was sent.
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
        do { return try await history.events(of: session.correlationID) } catch { throw TwilioError(error) }
    }
}

extension SessionName.Kind {
    /// A number in one service.
    fileprivate static let numberInService = SessionName.Kind("twilio_number", isShared: true)
}
