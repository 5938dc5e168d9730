internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit
internal import Text

/// The verifications of this wire format, for calls of backends and apps. Each number or e-mail address has one window
/// of 10 minutes with 5 messages and 5 checks.
struct PreludeVerifications: Sendable {
    static let windowSeconds = 600
    static let sends = 5
    static let checks = 5
    private static let codeSize = 6

    let engine: Engine
    let verifications: Verifications
    let silent: SilentVerifications
    private let lists: NumberLists
    private let refused: RefusedStarts
    private let templates: VerificationTemplates

    init(_ engine: Engine, silent: SilentVerifications, lists: NumberLists) {
        self.engine = engine
        verifications = Verifications(engine)
        self.silent = silent
        self.lists = lists
        refused = RefusedStarts(engine)
        templates = VerificationTemplates(engine: engine)
    }

    // MARK: Create

    /// Opens a window for a target and sends its first code. In an open window, sends another code.
    /// - Parameters:
    ///   - asker: the backend, or an app without credentials.
    ///   - keys: the limit keys that a new window counts towards.
    ///   - retry: `nil`: the call has no retry key.
    /// - Throws: `.countryNotOpen`, `.channelNotEnabled`, `.customSizeConflict`, `.tooManyAttempts`, `.messageFailed`,
    ///   `.numberNotServed`, `.idempotencyKeyReused`, and the errors of every call.
    func create(
        _ order: CreateVerification.Order, to target: Possession.Target, by asker: OrderedMessage.Asker = .backend,
        counting keys: [LimitKey] = [], _ retry: Retry? = nil, for tenant: Tenant
    ) async throws(PreludeError) -> Created {
        let options = order.options
        let channels = target.number == nil ? .ofEmail : try Channels(options, engine.limits.channels)
        guard options.codeSize == nil || options.customCode == nil else { throw .customSizeConflict }
        if let realm = options.realm, !tenant.rules.registers(realm.codeReader, on: realm.enginePlatform) {
            throw .field(FieldDefect("options.app_realm.value", "is not registered with this API client"))
        }
        let recipient: Recipient
        do throws(NoMessage) { recipient = try await self.recipient(target, for: tenant) } catch {
            let obstacle = error
            // A call that was answered before gets the same answer, even if the number is blocked now.
            let earlier = try await PreludeError.sending { () async throws(SendRefusal) in
                try await verifications.repeated(
                    retry, on: .target(.number(obstacle.number)), of: .prelude, for: tenant.id)
            }
            if let earlier { return created(earlier, channels) }
            switch obstacle.kind {
            case .blocked(let reason): return try await blocked(reason, order, obstacle.number, by: asker, for: tenant)
            case .refused(let error): throw error
            }
        }
        var wanted = try await verification(order, to: recipient, by: channels, asker, for: tenant)
        (wanted.startKeys, wanted.retry) = (keys, retry)
        do throws(SendRefusal) { return created(try await verifications.start(wanted, for: tenant), channels) } catch {
            guard let reason = Created.Reason(error) else {
                throw PreludeError(error, code: options.customCode == nil ? "options.code_size" : "options.custom_code")
            }
            var number = recipient.number
            if case .sendLimited(_, let session) = error { number = session.currentNumber }
            return try await blocked(reason, order, number, by: asker, for: tenant)
        }
    }

    /// The reason that a number gets no message.
    private struct NoMessage: Error {
        enum Kind { case blocked(Created.Reason), refused(PreludeError) }

        let kind: Kind
        /// The number as sessions store it.
        let number: PhoneNumber

        init(_ kind: Kind, _ number: PhoneNumber) {
            self.kind = kind
            self.number = number
        }

        init(_ refusal: SendRefusal, _ number: PhoneNumber) {
            self.init(Created.Reason(refusal).map { .blocked($0) } ?? .refused(PreludeError(refusal)), number)
        }
    }

    /// The target, if it may get a message.
    private func recipient(_ target: Possession.Target, for tenant: Tenant) async throws(NoMessage) -> Recipient {
        let named: PhoneNumber
        switch target {
        case .number(let number): named = number
        case .email(let address): return .email(address)
        case .nobody(let person): return .unknown(person)
        }
        let read: SubmittedNumber
        do throws(SendRefusal) { read = try verifications.read(named.e164, for: tenant.id) } catch {
            throw NoMessage(error, named)
        }
        let recipient: Recipient
        do throws(SendRefusal) { recipient = try verifications.recipient(read, for: tenant) } catch {
            throw NoMessage(error, read.number)
        }
        let isBlocked: Bool
        do throws(EngineFault) { isBlocked = try await lists.block(read.number, of: tenant.id) } catch {
            throw NoMessage(.refused(PreludeError(error)), read.number)
        }
        guard !isBlocked else { throw NoMessage(.blocked(.inBlockList), read.number) }
        return recipient
    }

    private func verification(
        _ order: CreateVerification.Order, to recipient: Recipient, by channels: Channels,
        _ asker: OrderedMessage.Asker, for tenant: Tenant
    ) async throws(PreludeError) -> VerificationOrder {
        let options = order.options
        let codeLength = options.customCode?.text.utf8.count ?? options.codeSize ?? Self.codeSize
        let words = try templates.worded(
            options, codeLength: codeLength, minutes: Self.windowSeconds / 60, by: tenant.rules)
        var wanted = VerificationOrder(.prelude, to: recipient)
        wanted.checks = [.code, .mobileAuth]
        wanted.code = .init(
            length: codeLength, lifetimeSeconds: Self.windowSeconds, tries: Self.checks, earlierCodes: Self.sends - 1)
        wanted.window = .init(sends: Self.sends, lifetimeSeconds: Self.windowSeconds)
        wanted.channels = channels.all
        wanted.wording = .init(template: words?.text, payment: words?.payment, locale: options.locale)
        wanted.callbackURL = options.callbackURL
        // Another person may ask for the next message in the window, so only a backend's address is stored.
        if asker == .backend { wanted.ipAddress = order.signals.address?.text }
        wanted.references.clientRequestID = order.metadata.correlationID
        wanted.reuse = .whileOpen
        wanted.message = OrderedMessage(by: asker, from: order.signals.address)
        wanted.message.content = .code(own: options.customCode)
        wanted.message.channel = channels.only
        // A person who approves a payment must read the message, so there is no silent verification.
        if words?.payment == nil {
            wanted.declaration = try await silent.declaration(for: order, to: recipient.target, of: tenant)
        }
        wanted.declaration = wanted.declaration ?? options.realm?.declaration
        return wanted
    }

    private func created(_ result: SendResult, _ channels: Channels) -> Created {
        switch result {
        case .sent(let sent): Created(sent.session, isFirst: Self.isFirst(sent.session), by: channels.only)
        case .silent(let session, let offer): silent.created(session, offer)
        case .stopped(let session): Created(blocked: .suspicious, session)
        }
    }

    /// Whether the call opened the window: it has used one message and no silent attempt. A repeated call gets the
    /// stored session, and so the same answer.
    private static func isFirst(_ session: Session) -> Bool {
        session.sends.sendsLeft == sends - 1 && session.mobileAuth.attempt == nil
    }

    /// Answers `blocked`: no message is sent and no window begins. The history records only calls of backends:
    /// otherwise strangers with an app could push a backend's calls out of it.
    /// - Parameter number: the number as it was read; `nil`: the target is an address.
    private func blocked(
        _ reason: Created.Reason, _ order: CreateVerification.Order, _ number: PhoneNumber?,
        by asker: OrderedMessage.Asker, for tenant: Tenant
    ) async throws(PreludeError) -> Created {
        let reference = order.metadata.correlationID
        let created = try blocked(reason, correlationID: reference)
        guard let number, asker == .backend else { return created }
        let start = RefusedStart(
            id: created.id, product: .prelude, number: number, reason: reason.rawValue, reference: reference,
            address: order.signals.address?.text)
        try await PreludeError.running { () async throws(EngineFault) in try await refused.record(start, of: tenant.id)
        }
        return created
    }

    /// The same for a text that cannot be a number. Nothing is recorded.
    func blocked(_ reason: Created.Reason, correlationID: String?) throws(PreludeError) -> Created {
        do throws(EntropyFault) {
            let id = CorrelationID(at: engine.now(), random: try engine.crypto.randomBytes(16))
            return Created(blocked: reason, id: id, correlationID: correlationID)
        } catch { throw PreludeError(EngineFault(error)) }
    }

    // MARK: Check

    /// Checks a code for a target: any code of its open window, or the code of a silent verification.
    /// - Throws: `.impossibleCode`, `.tooManyChecks`, `.idempotencyKeyReused`, and the errors of every call.
    func check(
        _ text: String, of target: Possession.Target, paying psd2: PSD2 = PSD2(), for tenant: ClientID,
        _ retry: Retry? = nil
    ) async throws(PreludeError) -> Checked {
        guard let code = OTP(text), VerificationOptions.codeSizes.contains(code.text.utf8.count) else {
            throw .impossibleCode
        }
        let payment = templates.payment(of: psd2)
        let result = try await take(code, payment, of: target, for: tenant, retry)
        // Windows are stored under the plan's spelling of a number. Callers nearly always use that spelling, so try it
        // first: parsing the number would cost a tenth of the call.
        guard result == .noSession, let sent = target.number,
            let read = try? engine.network.numbers.read(sent.e164, for: tenant).number, read != sent
        else { return try checked(result) }
        return try checked(try await take(code, payment, of: .number(read), for: tenant, retry))
    }

    private func take(
        _ code: OTP, _ payment: PaymentDigest?, of target: Possession.Target, for tenant: ClientID, _ retry: Retry?
    ) async throws(PreludeError) -> CheckResult {
        do throws(EngineFault) {
            return try await verifications.check(
                code, paying: payment, on: .target(target), of: .prelude, for: tenant, retry: retry)
        } catch { throw PreludeError(error) }
    }

    private func checked(_ result: CheckResult) throws(PreludeError) -> Checked {
        switch result {
        case .passed(let session): return Checked(.success, session)
        case .wrong(let session), .notAwaited(let session), .stopped(let session): return Checked(.failure, session)
        case .impossible: throw .impossibleCode
        case .otherPayment(let session, let isNamed):
            return Checked(isNamed ? .transactionMismatch : .transactionMissing, session)
        // A window that is over accepts no code. Until it would have expired, report that its checks are used up.
        case .over(let session, let seconds?) where session.outcome == .failed && session.otp.attemptsLeft == 0:
            throw .tooManyChecks(retryAfterSeconds: seconds)
        case .late(let session), .over(let session, _): return Checked(.expiredOrNotFound, session)
        case .noSession: return Checked(.expiredOrNotFound)
        case .limited(let hit): throw .tooManyChecks(retryAfterSeconds: hit.retryAfterSeconds)
        case .retryKeyReused: throw .idempotencyKeyReused
        }
    }
}
