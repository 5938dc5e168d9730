package import Possession
package import Text

/// Verifications that a tenant's backend drives by itself, by a code or a link to a number or an e-mail address: no client
/// of ours takes part, and no auth token is made.
///
///     let order = VerificationOrder(product, to: try verifications.recipient(text, for: tenant))
///     let sent = try await verifications.start(order, for: tenant)
///     let checked = try await verifications.check(code, on: .target(.number(number)), of: product.name, for: tenant.id)
///
/// Each call is one change of one session. Its limits are asked and counted with it, and its message is stored with it.
package struct Verifications: Sendable {
    let engine: Engine
    private let commands: SessionCommands

    package init(_ engine: Engine) {
        self.engine = engine
        commands = SessionCommands(engine)
    }

    // MARK: Numbers

    /// The number that a backend writes as `text`.
    /// - Throws: `.malformedNumber`, `.numberNotServed`, `.lineRefused`.
    package func read(_ text: String, for tenant: ClientID) throws(SendRefusal) -> SubmittedNumber {
        do throws(NumberRefusal) { return try engine.network.numbers.read(text, for: tenant) } catch {
            throw SendRefusal(error)
        }
    }

    /// A number that was read, if a message may go there.
    /// - Throws: `.countryClosed`, `.lineRefused`.
    package func recipient(_ number: SubmittedNumber, for tenant: Tenant) throws(SendRefusal) -> Recipient {
        if let block = engine.sendBlock(of: number.number, by: tenant.rules) { throw SendRefusal(block) }
        return Recipient(.number(number))
    }

    /// The number that a backend writes as `text`, if a message may go there.
    /// - Throws: as `read` and `recipient`.
    package func recipient(_ text: String, for tenant: Tenant) throws(SendRefusal) -> Recipient {
        try recipient(try read(text, for: tenant.id), for: tenant)
    }

    /// The target that is known of a person, if a message may go there. An address and an unknown person cost the same work as
    /// a number, so that the time of the answer does not show which it is.
    /// - Throws: as `recipient` of a number.
    package func recipient(_ target: Target, for tenant: Tenant) throws(SendRefusal) -> Recipient {
        switch target {
        case .number(let number):
            return try recipient(SubmittedNumber(asSent: number.e164, number: number), for: tenant)
        case .email(let address):
            _ = engine.sendBlock(of: .ofNobody, by: tenant.rules)
            return .email(address)
        case .nobody(let person):
            _ = engine.sendBlock(of: .ofNobody, by: tenant.rules)
            return .unknown(person)
        }
    }

    // MARK: Messages

    /// Goes on with the session that a recipient or a name has, or starts one, and sends a message: in one change, so that
    /// of several calls at the same time one starts the session and the others go on with it. A new session whose message
    /// is refused is not stored; what limits counted is.
    ///
    /// A call that was answered under the order's retry key gets the same answer, also of a session that does not go on, and
    /// also where a first call would be refused by now.
    /// - Parameter order: with a recipient; of a product that is found by its number, or with a name that is shared.
    package func start(_ order: VerificationOrder, for tenant: Tenant) async throws(SendRefusal) -> SendResult {
        precondition(
            order.sharedName.map { $0.kind.isShared } ?? order.product.isFoundByNumber,
            "a session that is found by what is shared")
        guard let target = order.recipient?.target else { throw .malformedNumber }
        let key = order.sharedName.map { SessionKey.named($0) } ?? .target(target)
        let session: Session
        do throws(SendRefusal) { session = try await newSession(order, for: tenant, at: engine.now()) } catch {
            guard let earlier = try await repeated(order.retry, on: key, of: order.product.name, for: tenant.id) else {
                throw error
            }
            return earlier
        }
        var message = order.message
        message.languages = order.wording.locale.flatMap { Languages([$0], by: .backend) } ?? message.languages
        var next = try command(of: message)
        var first = next
        if let declaration = order.declaration { first = try begun(declaration, next) }
        first.names = order.names + (order.sharedName.map { [$0] } ?? [])
        switch message.resend {
        case .always: break
        case .after(let seconds): next.condition = .codeIsOld(seconds: seconds, isRefused: false)
        case .onceExpired: next.condition = .codeHasExpired(target)
        }
        let now = engine.now()
        let start = Admission.Start(
            session: StartingSession(session: session) { order.isAbout($0, at: now) }, command: first,
            keys: order.startKeys)
        let reply = try await admission(for: tenant.id, order.product.name).perform(
            next, on: key, retry: order.retry, orStart: start)
        guard let reply else { throw .clientRevoked }
        if case .rateLimited(let hit) = reply.refusal,
            order.startKeys.contains(where: { $0.counter.limit == hit.limit })
        {
            throw .startsLimited(hit)
        }
        return try reply.sendResult(
            isNew: reply.session.correlationID == session.correlationID, at: engine.now())
    }

    /// The earlier answer to the same call, also from a session that is over. A surface that refuses a call asks for it first: a
    /// caller that lost the answer gets it again, even if the number is closed now.
    /// - Returns: `nil`: it is a new call.
    package func repeated(
        _ retry: Retry?, on key: SessionKey, of product: ProductName, for tenant: ClientID
    ) async throws(SendRefusal) -> SendResult? {
        guard let retry else { return nil }
        return try await admission(for: tenant, product).repeated(retry, on: key)?
            .sendResult(isNew: false, at: engine.now())
    }

    private func admission(for tenant: ClientID, _ product: ProductName) -> Admission {
        Admission(engine, in: SessionFence(tenant, product))
    }

    /// The command that sends a message.
    private func command(of message: OrderedMessage) throws(SendRefusal) -> SessionCommand {
        let isAskedByBackend = message.asker == .backend
        var command: SessionCommand
        do throws(EngineFault) {
            command =
                switch message.content {
                case .code(let own):
                    try commands.sendCode(
                        .next, from: message.address, languages: message.languages, own: own, by: message.channel,
                        isAskedByBackend: isAskedByBackend)
                case .relayedCode(let code, let isConfirmed):
                    try commands.relayCode(code, from: message.address, isConfirmed: isConfirmed)
                case .link:
                    try commands.sendLink(
                        .next, browser: nil, from: message.address, languages: message.languages,
                        isAskedByBackend: isAskedByBackend)
                }
        } catch { throw .engine(error) }
        command.charges = message.charges
        return command
    }

    /// The first command of a new session: it takes the declaration, and then asks the operator or sends the message.
    private func begun(
        _ declaration: Session.Declaration, _ send: SessionCommand
    ) throws(SendRefusal) -> SessionCommand {
        do throws(EngineFault) {
            let step = declaration.mobileAuthReturnURL == nil ? send : try commands.beginMobileAuth()
            return try commands.redeem(declaration, then: step)
        } catch { throw .engine(error) }
    }

    /// Sends another code of a session. Before its pause is over it is refused with `.sendLimited`.
    package func sendCode(
        on key: SessionKey, of product: ProductName, for tenant: ClientID, _ message: OrderedMessage = OrderedMessage()
    ) async throws(SendRefusal) -> SendResult {
        var send = try command(of: message)
        if case .after(let seconds) = message.resend { send.condition = .codeIsOld(seconds: seconds, isRefused: true) }
        return try await perform(send, on: key, of: product, for: tenant)
    }

    private func perform(
        _ command: SessionCommand, on key: SessionKey, of product: ProductName, for tenant: ClientID
    ) async throws(SendRefusal) -> SendResult {
        let reply = try await admission(for: tenant, product).perform(command, on: key, retry: nil)
        guard let reply else { throw .noSession }
        return try reply.sendResult(isNew: false, at: engine.now())
    }

    /// Stores a session that waits for its first step: `begin` takes it.
    /// - Throws: what an order is refused by, but for limits.
    package func create(_ order: VerificationOrder, for tenant: Tenant) async throws(SendRefusal) -> Session {
        try await insert(order, for: tenant)
    }

    /// Takes the first step of a session that was created. Of several calls at the same time one takes it; the others are
    /// refused with `.notAwaited`.
    /// - Parameters:
    ///   - declaration: of the person's app, as in `VerificationOrder`.
    ///   - names: by which the session is found then.
    package func begin(
        _ message: OrderedMessage, declaring declaration: Session.Declaration? = nil, named names: [SessionName] = [],
        on key: SessionKey, of product: ProductName, for tenant: ClientID
    ) async throws(SendRefusal) -> SendResult {
        var command = try command(of: message)
        if let declaration { command = try begun(declaration, command) }
        command.names = names
        command.condition = .created
        return try await perform(command, on: key, of: product, for: tenant)
    }

    /// Sends the first code of a session. Of several calls at the same time one does; the others are refused with
    /// `.notAwaited`.
    package func sendFirstCode(
        _ message: OrderedMessage, on key: SessionKey, of product: ProductName, for tenant: ClientID
    ) async throws(SendRefusal) -> SendResult {
        let send: SessionCommand
        do throws(EngineFault) {
            send = try commands.sendCode(
                .first(nil), from: message.address, by: message.channel, isAskedByBackend: message.asker == .backend)
        } catch { throw .engine(error) }
        return try await perform(send, on: key, of: product, for: tenant)
    }

    // MARK: The operator's word

    /// Ends the session's Mobile Auth attempt by the fingerprint that its phone has brought.
    /// - Parameters:
    ///   - fingerprint: `nil`: the phone, or its app, gives the attempt up.
    ///   - address: of the phone, where it is known. A proof counts for its network if the backend named no address.
    /// - Returns: the session after it; one whose attempt is over stays as it is. `nil`: the tenant has no such session of the
    ///   product.
    package func finishMobileAuth(
        _ fingerprint: String?, from address: IPAddress?, on key: SessionKey, of product: ProductName,
        for tenant: ClientID
    ) async throws(EngineFault) -> Session? {
        try await session(
            after: commands.finishMobileAuth(fingerprint: fingerprint, from: address), on: key, of: product, for: tenant
        )
    }

    /// The session as it goes on after its Mobile Auth attempt, if that is over: no answer that proves anything can come any
    /// more. Else as it is.
    /// - Parameter events: its timeline.
    package func afterMobileAuth(
        _ session: Session, _ events: [SessionEvent]
    ) async throws(EngineFault) -> Session {
        guard let end = session.endOfMobileAuth(events, engine.limits), end <= engine.now() else { return session }
        let ended = try await self.session(
            after: commands.endMobileAuth(thatIsOver: session.mobileAuth), on: .correlation(session.correlationID),
            of: session.request.policy.product, for: session.clientID)
        return ended ?? session
    }

    private func session(
        after command: SessionCommand, on key: SessionKey, of product: ProductName, for tenant: ClientID
    ) async throws(EngineFault) -> Session? {
        switch try await admission(for: tenant, product).perform(command, on: key, by: .backend, nil) {
        case .reply(let reply): reply.session
        case .refused, .unknown: nil
        }
    }

    /// Starts a session that is ended by what the phone's operator says of a token that it gave the phone (GSMA TS.43).
    /// - Parameter carrier: takes the token.
    /// - Returns: the session after it; `nil`: the operator was not asked.
    /// - Throws: what an order is refused by, but for limits.
    package func prove(
        _ order: VerificationOrder, by token: OperatorToken, of carrier: any MobileOperator, for tenant: Tenant
    ) async throws(SendRefusal) -> Session? {
        let created = try await create(order, for: tenant)
        let (key, product) = (SessionKey.correlation(created.correlationID), order.product.name)
        do throws(EngineFault) {
            let declaration = Session.Declaration(platform: .android, fallback: nil, deviceKey: false, cellular: .yes)
            let begin = try commands.redeem(declaration, then: try commands.beginMobileAuth())
            guard let offer = begin.offer,
                let begun = try await session(after: begin, on: key, of: product, for: tenant.id),
                begun.mobileAuth.attempt == offer.attempt
            else { return nil }
            return try await session(
                after: commands.handInOperatorToken(token, of: offer.attempt, to: carrier.name, from: nil), on: key,
                of: product, for: tenant.id)
        } catch { throw .engine(error) }
    }

    // MARK: Proofs

    /// Takes one code.
    /// - Parameters:
    ///   - payment: that the check names.
    ///   - retry: a call that was answered under it gets the same answer.
    package func check(
        _ code: OTP, paying payment: PaymentDigest? = nil, on key: SessionKey, of product: ProductName,
        for tenant: ClientID, retry: Retry? = nil
    ) async throws(EngineFault) -> CheckResult {
        try await prove(
            commands.checkCode(code, paying: payment, isTyped: true), on: key, of: product, for: tenant, retry: retry)
    }

    private func prove(
        _ command: SessionCommand, on key: SessionKey, of product: ProductName, for tenant: ClientID,
        retry: Retry? = nil
    ) async throws(EngineFault) -> CheckResult {
        switch try await admission(for: tenant, product).perform(command, on: key, by: .backend, retry) {
        case .reply(let reply): try reply.checkResult(at: engine.now())
        case .refused(.retryKeyReused, _): .retryKeyReused
        // A session that is bound to a client is none of the backend's.
        case .refused, .unknown: .noSession
        }
    }

    /// Starts a session whose link is handed to its backend in place of a message (`Session.handOutLink`).
    /// - Throws: what an order is refused by, but for limits.
    package func handOutLink(
        _ order: VerificationOrder, for tenant: Tenant
    ) async throws(SendRefusal) -> (session: Session, link: String) {
        let session = try await insert(order, for: tenant) { session, now in
            try session.handOutLink(engine.crypto.keyed.link(linkToken(of: session)), at: now, rules: engine.rules)
        }
        return (session, MessageWording.link(linkToken(of: session), below: engine.server.linkURL))
    }

    private func linkToken(of session: Session) -> String {
        engine.crypto.keyed.text(engine.crypto.keyed.codeLink(session.correlationID))
    }

    /// Takes the code that a link gave to a browser: the session succeeds by it.
    /// - Parameters:
    ///   - verifier: that came with it (RFC 7636).
    ///   - key: names the session that the code must belong to; `nil`: any session, except those that a stranger may have
    ///     asked for. That stranger waits for the success, and the link may have been sent to another person.
    /// - Returns: `.over` and `.notAwaited`: the code is no longer valid, the verifier is wrong, or the call must name the session.
    package func redeem(
        _ code: String, verifier: String?, on key: SessionKey? = nil, of product: ProductName, for tenant: ClientID
    ) async throws(EngineFault) -> CheckResult {
        try await prove(
            commands.redeemExchange(code, verifier: verifier, isNamed: key != nil),
            on: key ?? .exchange(engine.crypto.keyed.exchange(code)), of: product, for: tenant)
    }

    /// Takes the backend's word that the person knows the code that it has made.
    package func vouch(
        on key: SessionKey, of product: ProductName, for tenant: ClientID
    ) async throws(EngineFault) -> CheckResult {
        try await prove(commands.vouch(), on: key, of: product, for: tenant)
    }

    /// Ends the session. Of several calls at the same time one ends it.
    package func cancel(
        on key: SessionKey, of product: ProductName, for tenant: ClientID
    ) async throws(EngineFault) -> CancelResult {
        switch try await admission(for: tenant, product).perform(commands.end(), on: key, by: .backend, nil) {
        case .reply(let reply): reply.refusal == nil ? .cancelled(reply.session) : .over(reply.session)
        case .refused, .unknown: .noSession
        }
    }

    // MARK: Reading

    /// The session as it stands now; `nil`: the tenant has no such session of the product.
    package func session(
        _ key: SessionKey, of product: ProductName, for tenant: ClientID
    ) async throws(EngineFault) -> Session? {
        try await engine.currentSession(key, in: SessionFence(tenant, product), at: engine.now())
    }
}
