internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit
internal import Text

/// Begins requests, and checks and redeems their codes, for every call. A request is a session that its backend drives;
/// the request's id is the session's id.
struct OtplessVerifications: Sendable {
    let engine: Engine
    let backend: Verifications
    let fallback: ChannelFallback
    let history: SessionHistory
    /// Sandbox persons that a played provider may return; empty outside the sandbox.
    let people: @Sendable () -> [SandboxPerson]
    /// Whether a message can leave by a channel.
    let carries: @Sendable (OutgoingMessage.Channel) -> Bool

    /// The result of a submitted code.
    enum Checked: Sendable {
        case passed, wrong, usedUp, expired, done
        /// The check names a number or an address that is not the request's. The code was not checked.
        case otherTarget
    }

    init(
        _ engine: Engine, people: @escaping @Sendable () -> [SandboxPerson],
        carries: @escaping @Sendable (OutgoingMessage.Channel) -> Bool
    ) {
        self.engine = engine
        self.people = people
        backend = Verifications(engine)
        fallback = ChannelFallback(engine)
        history = SessionHistory(engine)
        self.carries = carries
    }

    // MARK: Codes

    /// Begins a request and sends its code or link. Throws `.notSent` if the carrier refuses the message.
    func sendCode(_ order: CodeOrder, for tenant: Tenant) async throws(OtplessError) -> Session {
        try await begin(order, for: tenant).session
    }

    /// The same for an app. The app's requests are found by its state and not by their number, so they never mix with
    /// the backend's requests for the same number.
    func sendCode(_ order: CodeOrder, for app: StartedApp) async throws(OtplessError) -> SentMessage {
        try await begin(order, for: app.tenant, app)
    }

    private func begin(
        _ order: CodeOrder, for tenant: Tenant, _ app: StartedApp? = nil
    ) async throws(OtplessError) -> SentMessage {
        var wanted = try self.order(order, for: tenant)
        try Self.check(order.appHash, order.hashField, of: tenant)
        wanted.message = Self.message(wanted.message.content, of: app)
        wanted.message.languages = app?.languages
        // A repeated call sends nothing while the code is valid.
        wanted.message.resend = .onceExpired
        wanted.declaration = order.appHash.map { .reading(codesBy: $0, on: .android) }
        wanted.names = app.map { [$0.state.name] } ?? []
        wanted.startKeys = startKeys(of: app)
        wanted.sharedName = order.name?.own(engine.crypto.keyed)
        if order.name != nil { wanted.reuse = .whileOpen }
        let sent: SentMessage
        do throws(SendRefusal) { sent = try await backend.start(wanted, for: tenant).message } catch {
            throw OtplessError(error, number: "phoneNumber", page: order.link?.pageField ?? "redirectURI")
        }
        guard sent.isNew || sent.session.request.subject.target == wanted.recipient?.target else {
            throw .field(FieldDefect("orderId", "names an order of another number, which is not over"))
        }
        return sent
    }

    /// Refuses an unregistered hash: the app could not read the message, and the caller would not learn why.
    /// - Throws: `.field`: the hash is not registered.
    static func check(_ hash: String?, _ field: String = "appHash", of tenant: Tenant) throws(OtplessError) {
        guard let hash, !tenant.rules.registers(hash, on: .android) else { return }
        throw .field(FieldDefect(field, "is not registered with this API client (appHashes)"))
    }

    /// The message that a call asks for.
    /// - Parameter app: the app that asks for it; `nil`: the backend asks.
    static func message(_ content: OrderedMessage.Content = .code(own: nil), of app: StartedApp?) -> OrderedMessage {
        var message = app.map { OrderedMessage(by: .stranger, from: $0.address) } ?? OrderedMessage()
        message.content = content
        return message
    }

    /// The keys by which requests of apps are limited by address, because anyone can make such requests.
    func startKeys(of app: StartedApp?) -> [LimitKey] {
        guard let app, engine.limits.overSessions != nil else { return [] }
        return LimitKey.starts(from: app.address, of: app.tenant.id)
    }

    /// Sends the first code of an app's request: a created request, or one whose silent proof has failed.
    /// - Parameter appHash: of the Android app that reads the code; used only for a created request.
    /// - Returns: `nil`: another call has already sent it.
    func sendCode(
        of session: Session, appHash: String? = nil, for app: StartedApp
    ) async throws(OtplessError) -> SentMessage? {
        let message = Self.message(of: app)
        do throws(SendRefusal) {
            let key = SessionKey.correlation(session.correlationID)
            guard session.phase == .created else {
                return try await backend.sendFirstCode(message, on: key, of: .otpless, for: app.tenant.id).message
            }
            return try await backend.begin(
                message, declaring: appHash.map { .reading(codesBy: $0, on: .android) }, named: [app.state.name],
                on: key, of: .otpless, for: app.tenant.id
            ).message
        } catch {
            if case .notAwaited = error { return nil }
            throw OtplessError(error)
        }
    }

    /// - Throws: `.field`, `.numberRefused`, `.countryClosed`, `.noTarget`, `.noEmail`, `.channelNotEnabled`.
    func order(_ call: CodeOrder, for tenant: Tenant) throws(OtplessError) -> VerificationOrder {
        guard let text = call.number else {
            let mailbox = try mailbox(of: call)
            return OtplessRules.order(call, to: .email(mailbox), by: try carriers(of: call, toMailbox: true))
        }
        let channels = try carriers(of: call, toMailbox: false)
        return OtplessRules.order(call, to: try recipient(text, for: tenant, call.numberField), by: channels)
    }

    /// Sends another code of a request, or the first code if the request's silent proof has failed.
    func sendAgain(_ name: RequestName, for tenant: Tenant) async throws(OtplessError) -> Session {
        let found = try await find(name, for: tenant)
        guard found.phase != .created else { throw .unknownRequest }
        return try await OtplessError.sending { () async throws(SendRefusal) in
            try await backend.sendCode(on: .correlation(found.correlationID), of: .otpless, for: tenant.id)
        }.message.session
    }

    /// Checks one code.
    /// - Parameter found: the request from `find`.
    func check(
        _ code: OTP?, of found: Session, for tenant: Tenant
    ) async throws(OtplessError) -> (checked: Checked, session: Session) {
        // A text that cannot be a code does not count as a try.
        guard let code else { return (found.isDone ? Self.ended(found) : .wrong, found) }
        let result: CheckResult
        do throws(EngineFault) {
            result = try await backend.check(
                code, on: .correlation(found.correlationID), of: .otpless, for: tenant.id)
        } catch { throw OtplessError(error) }
        switch result {
        case .passed(let session): return (.passed, session)
        case .wrong(let session), .impossible(let session): return (.wrong, session)
        case .late(let session): return (.expired, session)
        case .over(let session, _), .stopped(let session): return (Self.ended(session), session)
        // `.notAwaited`: no code was sent. `.otherPayment`, `.retryKeyReused`: not possible here, since codes have no
        // payment and calls no retry key.
        case .notAwaited, .noSession, .otherPayment, .retryKeyReused: throw .unknownRequest
        case .limited(let hit): throw .rateLimited(hit)
        }
    }

    /// Reads the challenge of the verifier that must come with a link's code (RFC 7636).
    /// - Throws: `.field`.
    func challenge(_ text: String?, by method: String?) throws(OtplessError) -> CodeChallenge? {
        guard let text else {
            guard method == nil else { throw .field(.missing("code_challenge")) }
            return nil
        }
        // Without a method the challenge would be plain (RFC 7636 section 4.3): the URL would show the verifier itself.
        guard let method, method.isSame(as: ProofKey.method) else {
            throw .field(FieldDefect("code_challenge_method", "must be \(ProofKey.method); plain is not served"))
        }
        guard let bytes = engine.crypto.keyed.bytes(text), bytes.count == 32 else {
            throw .field(FieldDefect("code_challenge", "must be a SHA-256 digest in base64url, 43 characters"))
        }
        return CodeChallenge(bytes)
    }

    /// Redeems the code that a link gave to a browser. This completes the request.
    /// - Parameters:
    ///   - verifier: the verifier that came with the code.
    ///   - session: the session that the code must belong to; `nil`: any session of the API client.
    func redeem(
        _ code: String, verifier: String?, of session: Session? = nil, for tenant: Tenant
    ) async throws(OtplessError) -> Session {
        let result: CheckResult
        do throws(EngineFault) {
            result = try await backend.redeem(
                code, verifier: verifier, on: session.map { .correlation($0.correlationID) }, of: .otpless,
                for: tenant.id)
        } catch { throw OtplessError(error) }
        guard case .passed(let redeemed) = result else { throw .codeInvalid }
        return redeemed
    }

    /// Begins a request whose link opens a played provider.
    func playProvider(
        _ order: SocialOrder, for tenant: Tenant
    ) async throws(OtplessError) -> (session: Session, link: String) {
        guard !people().isEmpty else { throw .socialNotEnabled }
        return try await OtplessError.sending { () async throws(SendRefusal) in
            try await backend.handOutLink(OtplessRules.order(order), for: tenant)
        }
    }

    private static func ended(_ session: Session) -> Checked {
        switch session.outcome {
        case .succeeded: .done
        case .failed: .usedUp
        case .expired, .cancelled, .possessionRequired, nil: .expired
        }
    }
}
