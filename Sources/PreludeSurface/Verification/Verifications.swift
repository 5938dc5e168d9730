internal import HTTPServer
internal import Possession
internal import SurfaceKit
internal import Text

/// Verifications as this wire format runs them: one window for each number, 10 minutes long, with 5 messages and 5 checks.
/// The backend's calls and those of the app use it.
struct Verifications: Sendable {
    static let windowSeconds = 600
    static let sends = 5
    static let checks = 5
    private static let codeSize = 6
    /// A call that an SDK repeats within this time is the same call, and sends nothing.
    private static let repeatTime = Duration.seconds(10)

    let engine: Engine
    let backend: BackendVerifications
    let silent: SilentVerifications
    let lists: any NumberListStore

    init(_ engine: Engine, silent: SilentVerifications, lists: any NumberListStore) {
        self.engine = engine
        backend = BackendVerifications(engine)
        self.silent = silent
        self.lists = lists
    }

    struct Order: Sendable {
        let number: PhoneNumber
        var options = VerificationOptions()
        var signals = Signals()
        var correlationID: String?
        var dispatch: NoticeID?
        /// An app asks, without credentials.
        var isAskedByPerson = false
        /// What a new window counts under.
        var limitKeys: [LimitKey] = []
        /// An SDK sends the call again, because it got no answer.
        var isRepeated = false

        init(_ number: PhoneNumber) {
            self.number = number
        }
    }

    // MARK: Create

    /// Opens the window of a number and sends its first code, or sends another one in the open window.
    /// - Throws: `.countryNotOpen`, `.channelNotEnabled`, `.customSizeConflict`, `.tooManyAttempts`, `.messageFailed`,
    /// `.numberNotServed`, and what every call may.
    func create(_ order: Order, for tenant: Tenant) async throws(PreludeError) -> Created {
        let channels = try Channels(order.options, engine.limits.channels)
        guard order.options.codeSize == nil || order.options.customCode == nil else { throw .customSizeConflict }
        let number: PhoneNumber
        do throws(NumberRefusal) { number = try engine.numbers.read(order.number.e164, for: tenant.id).number } catch {
            switch error {
            case .malformed: return try blocked(.invalidPhoneNumber, order)
            case .refusedKind: return try blocked(.invalidPhoneLine, order)
            case .notServed, .otherProduct: throw .numberNotServed
            }
        }
        guard engine.numbers.mayMessage(number, by: tenant.rules) else { throw .countryNotOpen }
        let isBlocked = try await PreludeError.storing { () async throws(StorageFault) in
            try await lists.contains(number, .blocked, of: tenant.id)
        }
        if isBlocked { return try blocked(.inBlockList, order) }
        // A window may end between the look at it and the send: then there is a new one.
        for _ in 0..<2 {
            if let created = try await attempt(order, channels, for: tenant) { return created }
        }
        throw .overloaded
    }

    private func attempt(
        _ order: Order, _ channels: Channels, for tenant: Tenant
    ) async throws(PreludeError) -> Created? {
        let begun = try await PreludeError.asking { () async throws(PlatformRefusal) in
            try await backend.begin(
                try sessionOrder(order, channels), for: tenant, counting: order.limitKeys, unless: { !$0.isDone })
        }
        let session = begun.session
        switch begun {
        case .new:
            if let created = try await silent.offer(session, order, for: tenant) { return created }
            if let hash = order.options.realm?.appHash { try await silent.declare(appHash: hash, session, for: tenant) }
        case .standing:
            if order.isRepeated, let created = answeredBefore(session) { return created }
        }
        let isFirst = if case .new = begun { true } else { false }
        return try await send(order, channels, on: session, isFirst: isFirst, for: tenant)
    }

    /// The answer to a call that has been carried out a moment ago.
    private func answeredBefore(_ session: Session) -> Created? {
        guard session.phase == .active(.otpFinish), let end = session.otp.expiresAt else { return nil }
        let sentAt = end.adding(.seconds(-session.request.policy.code.lifetimeSeconds))
        guard engine.now() < sentAt.adding(Self.repeatTime) else { return nil }
        return Created(session, isFirst: session.sends.sendsLeft == Self.sends - 1)
    }

    private func send(
        _ order: Order, _ channels: Channels, on session: Session, isFirst: Bool, for tenant: Tenant
    ) async throws(PreludeError) -> Created? {
        let key = SessionKey.correlation(session.correlationID)
        let sent = try await PreludeError.running { () async throws(EngineFault) in
            try await backend.sendCode(
                on: key, of: .prelude, for: tenant.id, own: order.options.customCode, by: channels.only,
                from: order.signals.address, isAskedByPerson: order.isAskedByPerson)
        }
        guard let reply = sent else { throw .wrongKey }
        switch reply.refusal {
        case nil:
            // The standing of the number has ended the session.
            guard !reply.session.isDone else { return try blocked(.suspicious, order) }
            return Created(reply.session, isFirst: isFirst, by: channels.only)
        case .sendsExhausted: throw .tooManyAttempts
        case .sessionDone: return nil
        case .messageFailed: throw .messageFailed
        case .rateLimited(let hit):
            if isFirst { try await close(key, for: tenant) }
            switch hit.limit {
            case .budget, .budgetPerTenant, .budgetPerCountry: throw .spendingLimit
            default: return try blocked(.repeatedAttempts, order)
            }
        case .some(let refusal): throw .internalFault("a code was refused: \(refusal)")
        }
    }

    /// A blocked number has no window, unless another call at the same time was faster and its code has left.
    private func close(_ key: SessionKey, for tenant: Tenant) async throws(PreludeError) {
        _ = try await PreludeError.running { () async throws(EngineFault) in
            try await backend.cancel(on: key, of: .prelude, for: tenant.id) { $0.sends.sendsLeft == Self.sends }
        }
    }

    private func sessionOrder(
        _ order: Order, _ channels: Channels
    ) throws(PlatformRefusal) -> PlatformService.SessionOrder {
        var wanted = PlatformService.SessionOrder(.prelude, flow: .mobile)
        wanted.phoneNumber = order.number.e164
        wanted.checks = [.code, .mobileAuth]
        do throws(Policy.Defect) {
            wanted.code = try Policy.Code(
                length: order.options.customCode?.text.utf8.count ?? order.options.codeSize ?? Self.codeSize,
                lifetimeSeconds: Self.windowSeconds, tries: Self.checks, earlierCodes: Self.sends - 1)
        } catch { throw .internalFault("policy: \(error.what)") }
        wanted.sends = Self.sends
        wanted.lifetimeSeconds = Self.windowSeconds
        wanted.channels = channels.all
        wanted.locale = order.options.locale
        wanted.ipAddress = order.signals.address?.text
        wanted.references.clientRequestID = order.correlationID
        return wanted
    }

    private func blocked(_ reason: Created.Reason, _ order: Order) throws(PreludeError) -> Created {
        do throws(EntropyFault) {
            let id = CorrelationID(at: engine.now(), random: try engine.randomBytes(16))
            return Created(blocked: reason, id: id, correlationID: order.correlationID)
        } catch { throw PreludeError(EngineFault(error)) }
    }

    // MARK: Check

    /// Takes a code for a number: any code of its open window, or the one that a silent verification gave.
    /// - Throws: `.impossibleCode`, `.tooManyChecks`, and what every call may.
    func check(_ text: String, of number: PhoneNumber, for tenant: ClientID) async throws(PreludeError) -> Checked {
        guard let code = SubmittedCode(text) else { throw .impossibleCode }
        let read: PhoneNumber
        do throws(NumberRefusal) { read = try engine.numbers.read(number.e164, for: tenant).number } catch {
            return Checked(.expiredOrNotFound)
        }
        let key = SessionKey.target(tenant, .prelude, read)
        let found = try await PreludeError.running { () async throws(EngineFault) in
            try await backend.session(key, of: .prelude, for: tenant)
        }
        guard let session = found else { return Checked(.expiredOrNotFound) }
        guard !session.isDone else { return try checked(over: session) }
        // By its own id: the number may have a newer window in a moment.
        let own = SessionKey.correlation(session.correlationID)
        let reply: OperationReply?
        switch code {
        case .digits(let otp) where session.phase == .active(.otpFinish):
            reply = try await PreludeError.running { () async throws(EngineFault) in
                try await backend.check(otp, on: own, of: .prelude, for: tenant)
            }
        case .proof(let proof) where session.phase == .active(.mobileAuth):
            reply = try await silent.finish(proof, session, for: tenant)
        // A code that was never sent, or a silent one after the fallback.
        case .digits, .proof: return Checked(.failure, session)
        }
        guard let reply else { return Checked(.expiredOrNotFound) }
        return try checked(reply)
    }

    private func checked(_ reply: OperationReply) throws(PreludeError) -> Checked {
        switch reply.refusal {
        case nil: return Checked(reply.session.outcome == .succeeded ? .success : .failure, reply.session)
        case .otpExpired, .fingerprintExpired: return Checked(.expiredOrNotFound, reply.session)
        case .sessionDone: return try checked(over: reply.session)
        case .rateLimited: throw .tooManyChecks
        default: return Checked(.failure, reply.session)
        }
    }

    /// A window that is over takes no code. While it would still be open, its used-up checks are told.
    private func checked(over session: Session) throws(PreludeError) -> Checked {
        let isUsedUp = session.outcome == .failed && session.otp.attemptsLeft == 0
        if isUsedUp, engine.now() < session.expiresAt { throw .tooManyChecks }
        return Checked(.expiredOrNotFound, session)
    }
}

/// A code as it was submitted.
private enum SubmittedCode {
    /// Of a message.
    case digits(OTP)
    /// Of a silent verification.
    case proof(String)

    private static let maxBytes = 1024

    /// `nil` for what can be no code.
    init?(_ text: String) {
        if let otp = OTP(text) {
            self = .digits(otp)
        } else if SilentVerifications.isProof(text), text.utf8.count <= Self.maxBytes {
            self = .proof(text)
        } else {
            return nil
        }
    }
}

extension PreludeError {
    /// What the engine is asked, with its refusals as this surface has them.
    static func asking<Value: Sendable>(
        _ call: () async throws(PlatformRefusal) -> Value
    ) async throws(PreludeError) -> Value {
        do throws(PlatformRefusal) { return try await call() } catch { throw PreludeError(error) }
    }

    static func running<Value: Sendable>(
        _ call: () async throws(EngineFault) -> Value
    ) async throws(PreludeError) -> Value {
        do throws(EngineFault) { return try await call() } catch { throw PreludeError(error) }
    }

    static func storing<Value: Sendable>(
        _ call: () async throws(StorageFault) -> Value
    ) async throws(PreludeError) -> Value {
        do throws(StorageFault) { return try await call() } catch { throw PreludeError(error) }
    }
}
