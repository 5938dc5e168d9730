package import Text

/// Verifications that a tenant's backend drives by itself, by a code or a link to a number or an e-mail address: no client
/// of ours takes part, and no auth token is made.
///
///     order.number = try verifications.recipient(text, for: tenant)
///     let sent = try await verifications.start(order, for: tenant, Step(), goesOn: { !$0.isDone })
///     let checked = try await verifications.check(code, on: .target(.number(number)), of: product, for: tenant.id)
///
/// Each call is one change of one session. Its limits are asked and counted with it, and its message is stored with it.
package struct BackendVerifications: Sendable {
    private let engine: Engine
    private let operations: SessionOperations
    private let admission: BackendAdmission

    package init(_ engine: Engine) {
        self.engine = engine
        operations = SessionOperations(engine)
        admission = BackendAdmission(engine)
    }

    /// Orders for the session of a call that starts one or goes on with one.
    package struct Step: Sendable {
        /// A code that the backend has made; `nil`: one is drawn.
        package var own: OTP?
        /// The backend checks its own code itself. One that has gone out, and would still be taken, is not sent again.
        package var isRelayed = false
        /// The backend says that the person has proven the number to it before.
        package var isConfirmed = false
        /// The one way that the code takes; `nil`: those of the session's policy.
        package var channel: OutgoingMessage.Channel?
        /// A link is sent in the place of a code.
        package var sendsLink = false
        /// Address of the person, as far as it is known.
        package var address: IPAddress?
        /// Nobody has shown credentials. All of a tenant's messages to people without a known address count together; those
        /// that its backend asks for count under no address.
        package var isAskedByPerson = false
        /// Declaration of the person's app, for a new session.
        package var declaration: Session.Declaration?
        /// By which a new session is found, beside those that it tells itself.
        package var names: [SessionName] = []
        /// A new session asks the operator of the person's phone in place of sending a code. It needs a declaration.
        package var asksOperator = false
        /// In which the message is worded; `nil`: the call does not say, and those of the session stay.
        package var languages: Languages?
        /// Whole seconds from one message of the session to the next; `nil`: only limits say.
        package var pauseSeconds: Int?
        /// The tenant's own limits under which each message counts.
        package var charges: [QuotaCharge] = []
        /// Asked about a session that goes on: where it is true, the session stays as it is and gets no message. `nil`: never.
        package var leaves: (@Sendable (Session, Timestamp) -> Bool)?

        package init() {}
    }

    // MARK: Numbers

    /// The number that a backend writes as `text`.
    /// - Throws: `.malformedNumber`, `.numberNotServed`, `.lineRefused`.
    package func read(_ text: String, for tenant: ClientID) throws(SendRefusal) -> SubmittedNumber {
        do throws(NumberRefusal) { return try engine.numbers.read(text, for: tenant) } catch {
            throw SendRefusal(error)
        }
    }

    /// - Throws: `.countryClosed`, `.lineRefused`: no message of the tenant goes to the number.
    package func checkOpen(_ number: PhoneNumber, for tenant: Tenant) throws(SendRefusal) {
        if let closure = engine.closure(of: number, by: tenant.rules) { throw SendRefusal(closure) }
    }

    /// The number that a backend writes as `text`, if a message may go there.
    /// - Throws: as `read` and `checkOpen`.
    package func recipient(_ text: String, for tenant: Tenant) throws(SendRefusal) -> SubmittedNumber {
        let read = try read(text, for: tenant.id)
        try checkOpen(read.number, for: tenant)
        return read
    }

    // MARK: Messages

    /// Goes on with the session that a number or address has, or starts one, and sends a code: in one change, so that
    /// of several calls at the same time one starts the session and the others go on with it. A new session whose step
    /// is refused is not stored; what limits counted is.
    /// - Parameters:
    ///   - order: of a product that is found by its number, with that number or address, or with another name.
    ///   - name: that finds the session in the place of its number, and that a new one gets. It is shared.
    ///   - keys: what a new session counts under.
    ///   - retry: a call that was answered under it gets the same answer, also of a session that does not go on, and
    ///     also where a first call would be refused by now (`repeated`).
    ///   - goesOn: asked about the newest session of the target, or of the name, of the product, as it is now; `nil`: each call starts
    ///     one. Where its pause is not over, it goes on and sends nothing.
    package func start(
        _ order: PlatformService.SessionOrder, for tenant: Tenant, _ step: Step, foundBy name: SessionName? = nil,
        counting keys: [LimitKey] = [], retry: Retry? = nil, goesOn: (@Sendable (Session) -> Bool)? = nil
    ) async throws(SendRefusal) -> SendResult {
        precondition(
            name.map { $0.kind.isShared } ?? order.product.isFoundByNumber, "a session that is found by what is shared")
        var step = step
        if let name { step.names.append(name) }
        step.languages = step.languages ?? order.locale.flatMap { Languages([$0], by: .backend) } ?? order.languages
        let platform = PlatformService(engine)
        let request: SessionRequest
        do throws(PlatformRefusal) {
            request = try await platform.request(for: order, of: tenant)
            if let own = step.own { try platform.checkLength(own.text.utf8.count, by: tenant.rules) }
        } catch {
            guard let retry, let target = target(of: order, for: tenant.id),
                let result = try await repeated(retry, on: .target(target), of: order.product.name, for: tenant.id)
            else { throw SendRefusal(error) }
            return result
        }
        guard let target = request.subject.target else { throw .malformedNumber }
        let session: Session
        do { session = try platform.session(order, request, for: tenant, at: engine.now()) } catch {
            throw .engine(EngineFault(error))
        }
        let (first, send) = try operations(of: step)
        var next = step.pauseSeconds.map { send.after($0, orElse: .done) } ?? send
        if let leaves = step.leaves { next = next.unless(leaves) }
        let reply: OperationReply?
        do throws(BackendAdmission.Fault) {
            reply = try await admission.perform(
                first, orOnFound: next, on: name.map { .named($0) } ?? .target(target),
                orStart: StartingSession(session: session) { goesOn?($0) ?? false }, counting: keys, retry: retry)
        } catch { throw SendRefusal(error) }
        guard let reply else { throw .clientRevoked }
        if case .rateLimited(let hit) = reply.refusal, keys.contains(where: { $0.counter.limit == hit.limit }) {
            throw .startsLimited(hit)
        }
        return try reply.sendResult(
            isNew: reply.session.correlationID == session.correlationID, at: engine.now())
    }

    /// The answer that the same call was given before, also by a session that is over. A surface that refuses a call asks
    /// this first: a caller who has not heard the answer hears it, whatever was closed since.
    /// - Returns: `nil`: it is a new call.
    package func repeated(
        _ retry: Retry?, on key: SessionKey, of product: ProductName, for tenant: ClientID
    ) async throws(SendRefusal) -> SendResult? {
        guard let retry else { return nil }
        let reply: OperationReply?
        do throws(BackendAdmission.Fault) {
            reply = try await admission.repeated(retry, on: key, in: SessionFence(tenant, product))
        } catch { throw SendRefusal(error) }
        return try reply?.sendResult(isNew: false, at: engine.now())
    }

    /// The number or address of an order, as far as its text tells.
    private func target(of order: PlatformService.SessionOrder, for tenant: ClientID) -> Target? {
        if let mailbox = order.mailbox { return .email(mailbox) }
        if let read = order.number { return .number(read.number) }
        guard let text = order.phoneNumber else { return nil }
        return (try? engine.numbers.read(text, for: tenant)).map { .number($0.number) }
    }

    /// On a new session, and on one that goes on.
    private func operations(of step: Step) throws(SendRefusal) -> (SessionOperation, SessionOperation) {
        do throws(EngineFault) { return try drawnOperations(of: step) } catch { throw .engine(error) }
    }

    private func drawnOperations(of step: Step) throws(EngineFault) -> (SessionOperation, SessionOperation) {
        let send =
            if step.sendsLink {
                try operations.sendLink(
                    .next, browser: nil, from: step.address, languages: step.languages,
                    isAskedByBackend: !step.isAskedByPerson)
            } else if step.isRelayed, let code = step.own {
                try operations.relayCode(code, from: step.address, isConfirmed: step.isConfirmed)
            } else {
                try operations.sendCode(
                    .next, from: step.address, languages: step.languages, own: step.own, by: step.channel,
                    isAskedByBackend: !step.isAskedByPerson)
            }
        var first = step.asksOperator ? try operations.beginMobileAuth() : send
        if let declaration = step.declaration { first = try operations.redeem(declaration).then(first) }
        first.give(step.names)
        return (first.counting(step.charges), send.counting(step.charges))
    }

    /// Sends another code of a session. Before its pause is over it is refused with `.sendLimited`.
    package func sendCode(
        on key: SessionKey, of product: ProductName, for tenant: ClientID, _ step: Step = Step()
    ) async throws(SendRefusal) -> SendResult {
        var send = try operations(of: step).1
        if let seconds = step.pauseSeconds { send = send.after(seconds, orElse: nil) }
        return try await perform(send, on: key, of: product, for: tenant)
    }

    private func perform(
        _ operation: SessionOperation, on key: SessionKey, of product: ProductName, for tenant: ClientID
    ) async throws(SendRefusal) -> SendResult {
        let reply: OperationReply?
        do throws(EngineFault) {
            reply = try await admission.perform(operation, on: key, of: product, for: tenant)
        } catch {
            throw .engine(error)
        }
        guard let reply else { throw .noSession }
        return try reply.sendResult(isNew: false, at: engine.now())
    }

    /// Stores a session of which nothing is known but what the order says: `begin` begins it.
    /// - Throws: what an order is refused by, but for limits.
    package func create(
        _ order: PlatformService.SessionOrder, for tenant: Tenant
    ) async throws(SendRefusal) -> Session {
        try await insert(order, for: tenant)
    }

    /// Stores a new session.
    /// - Parameter change: what is done to it before.
    private func insert(
        _ order: PlatformService.SessionOrder, for tenant: Tenant,
        _ change: (inout Session, Timestamp) throws -> Void = { _, _ in }
    ) async throws(SendRefusal) -> Session {
        let platform = PlatformService(engine)
        let now = engine.now()
        do {
            let request = try await platform.request(for: order, of: tenant)
            var session = try platform.session(order, request, for: tenant, at: now)
            try change(&session, now)
            try await platform.insert(session, at: now)
            engine.tell(session.news)
            return session
        } catch { throw SendRefusal(PlatformRefusal(fault: error)) }
    }

    /// Takes the first step of a session that was created. Of several calls at the same time one takes it; the others are
    /// refused with `.notAwaited`.
    package func begin(
        _ step: Step, on key: SessionKey, of product: ProductName, for tenant: ClientID
    ) async throws(SendRefusal) -> SendResult {
        var operation = try operations(of: step).0
        let takeStep = operation.rule
        operation.rule = { (change, binding, now, rules) throws(StepRefusal) in
            guard change.session.phase == .created else { throw change.session.isDone ? .sessionDone : .invalidState }
            return try takeStep(&change, binding, now, rules)
        }
        return try await perform(operation, on: key, of: product, for: tenant)
    }

    /// Sends the first code of a session. Of several calls at the same time one does; the others are refused with
    /// `.notAwaited`.
    package func sendFirstCode(
        _ step: Step, on key: SessionKey, of product: ProductName, for tenant: ClientID
    ) async throws(SendRefusal) -> SendResult {
        let send: SessionOperation
        do throws(EngineFault) {
            send = try operations.sendCode(
                .first(nil), from: step.address, by: step.channel, isAskedByBackend: !step.isAskedByPerson)
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
        try await admission.perform(
            operations.finishMobileAuth(fingerprint: fingerprint, from: address), on: key, of: product, for: tenant
        )?.session
    }

    /// The session as it goes on after its Mobile Auth attempt, if that is over: no answer that proves anything can come any
    /// more. Else as it is.
    /// - Parameter events: its timeline.
    package func afterMobileAuth(
        _ session: Session, _ events: [SessionEvent]
    ) async throws(EngineFault) -> Session {
        guard let end = session.endOfMobileAuth(events, engine.limits), end <= engine.now() else { return session }
        let reply = try await admission.perform(
            operations.endMobileAuth(thatIsOver: session.mobileAuth), on: .correlation(session.correlationID),
            of: session.request.policy.product, for: session.clientID)
        return reply?.session ?? session
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
            operations.verifyOTP(code, for: payment, isTyped: true), on: key, of: product, for: tenant, retry: retry)
    }

    private func prove(
        _ operation: SessionOperation, on key: SessionKey, of product: ProductName, for tenant: ClientID,
        retry: Retry? = nil
    ) async throws(EngineFault) -> CheckResult {
        let reply: OperationReply?
        do throws(BackendAdmission.Fault) {
            reply = try await admission.perform(operation, on: key, of: product, for: tenant, retry: retry)
        } catch {
            switch error {
            case .retryKeyReused: return .retryKeyReused
            case .engine(let fault): throw fault
            }
        }
        guard let reply else { return .noSession }
        return try reply.checkResult(at: engine.now())
    }

    /// Starts a session whose link is handed to its backend in place of a message (`Session.handOutLink`).
    /// - Throws: what an order is refused by, but for limits.
    package func handOutLink(
        _ order: PlatformService.SessionOrder, for tenant: Tenant
    ) async throws(SendRefusal) -> (session: Session, link: String) {
        let session = try await insert(order, for: tenant) { session, now in
            try session.handOutLink(engine.keyed.link(linkToken(of: session)), at: now, rules: engine.rules)
        }
        return (session, MessageWording.link(linkToken(of: session), below: engine.linkURL))
    }

    private func linkToken(of session: Session) -> String {
        engine.keyed.text(engine.keyed.codeLink(session.correlationID))
    }

    /// Takes the code that a link gave to a browser: the session succeeds by it.
    /// - Parameters:
    ///   - verifier: that came with it (RFC 7636).
    ///   - key: of the session that it has to be of; `nil`: of any, but for those that anybody may have asked for. The caller that asked
    ///     for such a session waits for its success, and the link may have been sent to another person.
    /// - Returns: `.over` and `.notAwaited`: the code is good no more, the verifier is not the right one, or the session must be
    ///   named.
    package func redeem(
        _ code: String, verifier: String?, on key: SessionKey? = nil, of product: ProductName, for tenant: ClientID
    ) async throws(EngineFault) -> CheckResult {
        var operation = operations.redeemExchange(code, verifier: verifier)
        if key == nil {
            let redeem = operation.rule
            operation.rule = { (change, binding, now, rules) throws(StepRefusal) in
                guard !change.session.request.policy.isAskedByAnyone else { throw .invalidState }
                return try redeem(&change, binding, now, rules)
            }
        }
        return try await prove(
            operation, on: key ?? .exchange(engine.keyed.exchange(code)), of: product, for: tenant)
    }

    /// Takes the backend's word that the person knows the code that it has made.
    package func vouch(
        on key: SessionKey, of product: ProductName, for tenant: ClientID
    ) async throws(EngineFault) -> CheckResult {
        try await prove(operations.vouch(), on: key, of: product, for: tenant)
    }

    /// Ends the session. Of several calls at the same time one ends it.
    /// - Parameter mayEnd: a session of which it is not true stays open.
    package func cancel(
        on key: SessionKey, of product: ProductName, for tenant: ClientID,
        where mayEnd: @escaping @Sendable (Session) -> Bool = { _ in true }
    ) async throws(EngineFault) -> CancelResult {
        var operation = operations.cancel { session in
            session.isDone ? .sessionDone : mayEnd(session) ? nil : .invalidState
        }
        operation.begins = true
        guard let reply = try await admission.perform(operation, on: key, of: product, for: tenant) else {
            return .noSession
        }
        switch reply.refusal {
        case nil: return .cancelled(reply.session)
        case .sessionDone: return .over(reply.session)
        default: return .kept(reply.session)
        }
    }

    /// The session as it stands now; `nil`: the tenant has no such session of the product.
    package func session(
        _ key: SessionKey, of product: ProductName, for tenant: ClientID
    ) async throws(EngineFault) -> Session? {
        try await engine.settledSession(key, in: SessionFence(tenant, product), at: engine.now())
    }
}

extension SessionOperation {
    /// The operation, where this is not so; else nothing is done.
    fileprivate func unless(_ leaves: @escaping @Sendable (Session, Timestamp) -> Bool) -> SessionOperation {
        var operation = self
        let rule = rule
        operation.rule = { (change, binding, now, rules) throws(StepRefusal) in
            leaves(change.session, now) ? .done : try rule(&change, binding, now, rules)
        }
        return operation
    }

    /// The operation, where the newest code of the session is so many seconds old.
    /// - Parameter outcome: comes of it before that; `nil`: a refusal that says how long to wait.
    fileprivate func after(_ seconds: Int, orElse outcome: Outcome?) -> SessionOperation {
        var operation = self
        let rule = rule
        operation.rule = { (change, binding, now, rules) throws(StepRefusal) in
            if let end = change.session.codeSentAt?.adding(.seconds(seconds)), now < end, !change.session.isDone {
                return outcome ?? .refused(.rateLimited(LimitHit(.sendsPerNumber, until: end, at: now)))
            }
            return try rule(&change, binding, now, rules)
        }
        return operation
    }
}

extension Session {
    /// When the newest code left, as far as it is awaited, or was until it was late.
    fileprivate var codeSentAt: Timestamp? {
        otp.expiresAt?.adding(.seconds(-request.policy.code.lifetimeSeconds))
    }
}
