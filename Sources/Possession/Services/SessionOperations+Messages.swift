package import Text

/// Codes and links.
extension SessionOperations {
    /// Which message is asked for.
    package enum MessageOrder: Sendable {
        case first(NamedNumber?)
        case again
        case toNumber(NamedNumber)
        /// To the number or address that the backend gave: the first one, or another one, as the session stands. It
        /// begins a session that its backend drives.
        case next

        fileprivate var number: PhoneNumber? {
            switch self {
            case .first(let named): try? named?.result.get()
            case .again, .next: nil
            case .toNumber(let named): try? named.result.get()
            }
        }
    }

    /// A number that was named for a session, as far as it may get a message. What is wrong with it is told only where
    /// the session takes a number at all.
    package struct NamedNumber: Sendable {
        fileprivate let result: Result<PhoneNumber, StepRefusal>
    }

    /// Reads a number as a person has typed it.
    /// - Parameter rules: what the session's tenant has been allowed.
    package func read(number text: String, _ rules: TenantRules) -> NamedNumber {
        let number: PhoneNumber
        do throws(NumberRefusal) { number = try engine.numbers.read(typed: text).number } catch {
            switch error {
            case .malformed: return NamedNumber(result: .failure(.phoneNumberInvalid))
            case .notServed(let reason), .otherProduct(let reason):
                return NamedNumber(result: .failure(.phoneNumberNotAllowed(reason: reason)))
            case .refusedKind(let reason):
                return NamedNumber(result: .failure(.phoneNumberNotAllowed(reason: "it \(reason)")))
            }
        }
        switch engine.closure(of: number, by: rules) {
        case nil: return NamedNumber(result: .success(number))
        case .country:
            return NamedNumber(
                result: .failure(.phoneNumberNotAllowed(reason: "its country is not open to this client")))
        case .line(let reason): return NamedNumber(result: .failure(.phoneNumberNotAllowed(reason: "it \(reason)")))
        }
    }

    /// Sends a code (client protocol 4.8).
    /// - Parameters:
    ///   - address: of whoever asks, where it is known: messages count under it if the backend named none.
    ///   - languages: that the person reads, where the call says it.
    ///   - own: the code that the backend has made; `nil`: one is drawn. A test number keeps its own.
    ///   - channel: the one way that the message takes; `nil`: those of the session's policy.
    ///   - isAskedByBackend: it has shown its credentials. Where no address is known, the message counts under none.
    package func sendCode(
        _ order: MessageOrder, from address: IPAddress?, languages: Languages? = nil, own: OTP? = nil,
        by channel: OutgoingMessage.Channel? = nil, isAskedByBackend: Bool = false
    ) throws(EngineFault) -> SessionOperation {
        let (engine, issue) = (engine, try codeIssuer(own))
        let subject = subject(.code, address, isAskedByBackend: isAskedByBackend, isOwn: own != nil)
        return try send(.code, order, subject) { (session, order, now, rules) throws(StepRefusal) in
            let message = try session.sendCode(
                order, issue: issue(session.clientID, now), by: channel, at: now, rules: rules)
            if let link = engine.carriedLink(of: session) { session.carryLink(engine.keyed.link(link), at: now) }
            session.note(languages)
            return message
        }
    }

    /// Sends a code that the backend has made and checks itself, as it is. One that this session has sent and would still
    /// take is not sent again: the call before has been repeated.
    /// - Parameters:
    ///   - address: of the person. Where it is not known, the message counts under none: the backend has shown its credentials.
    ///   - isConfirmed: the backend says that the person has proven the number to it before.
    package func relayCode(
        _ code: OTP, from address: IPAddress?, isConfirmed: Bool = false
    ) throws(EngineFault) -> SessionOperation {
        let engine = engine
        let issue: Session.CodeIssuer = { session, target, _ in
            Session.IssuedCode(shown: code, expected: engine.keyed.otp(code, session, target), isOwn: true)
        }
        let subject = subject(.code, address, isAskedByBackend: true, isConfirmed: isConfirmed)
        var operation = try send(.code, .next, subject) { (session, order, now, rules) throws(StepRefusal) in
            guard let test = session.currentNumber.flatMap({ engine.testNumber($0, of: session.clientID, at: now) })
            else {
                return try session.sendCode(order, issue: issue, at: now, rules: rules)
            }
            // A test number's own code is known to whoever has it, and never sent.
            return try session.sendCode(
                order,
                issue: { session, _, _ in
                    Session.IssuedCode(shown: test.code, expected: engine.keyed.testOTP(test.code, session))
                }, at: now, rules: rules)
        }
        let sendIt = operation.rule
        operation.rule = { (change, binding, now, rules) throws(StepRefusal) in
            if let target = change.session.currentTarget,
                change.session.otp.awaits(engine.keyed.otp(code, change.session.authID, target), at: now)
            {
                return .done
            }
            return try sendIt(&change, binding, now, rules)
        }
        return operation
    }

    /// Sends an instant link (client protocol 4.9).
    /// - Parameters:
    ///   - browser: the one that waits, in words.
    ///   - address: as in `sendCode`.
    ///   - languages: likewise.
    ///   - isAskedByBackend: likewise.
    package func sendLink(
        _ order: MessageOrder, browser: String?, from address: IPAddress?, languages: Languages? = nil,
        isAskedByBackend: Bool = false
    ) throws(EngineFault) -> SessionOperation {
        let token = engine.keyed.text(try random(16))
        let digest = engine.keyed.link(token)
        let matchCode: String
        do throws(EntropyFault) { matchCode = try OTP.digits(2, from: engine.randomBytes) } catch {
            throw EngineFault(error)
        }
        let subject = subject(.link, address, isAskedByBackend: isAskedByBackend)
        return try send(.link, order, subject) { (session, order, now, rules) throws(StepRefusal) in
            let link = Session.IssuedLink(
                token: token, digest: digest, matchCode: session.request.options.linkMatchCode ? matchCode : nil)
            let message = try session.sendLink(order, link: link, browser: browser, at: now, rules: rules)
            session.note(languages)
            return message
        }
    }

    /// Redeems the code that a link gave to a browser.
    /// - Parameter verifier: that came with it.
    package func redeemExchange(_ code: String, verifier: String?) -> SessionOperation {
        let digest = engine.keyed.exchange(code)
        let challenge = verifier.map { engine.keyed.challenge($0) }
        let keys = limitKeys { session, _ in session.currentTarget.map { session.answerKeys(of: $0) } ?? [] }
        let judged = { @Sendable (session: Session) -> JudgedNumber? in
            session.exchange == nil ? nil : session.currentNumber.map { .number($0) }
        }
        var operation = SessionOperation(limitKeys: keys, judged: judged) {
            (change, _, now, rules) throws(StepRefusal) in
            try change.session.redeemExchange(digest, verifiedBy: challenge, at: now, rules: rules)
            return .done
        }
        if engine.limits.overSessions != nil { operation.knownTarget = { $0.currentTarget } }
        return operation
    }

    /// `nil` where no limits hold.
    typealias SubjectOfSend = @Sendable (Session, Target) -> SessionChange.SendSubject?
    private typealias SendRule =
        @Sendable (inout Session, Session.SendOrder, Timestamp, Rules) throws(StepRefusal) -> Session.PendingMessage

    private func send(
        _ kind: Session.MessageKind, _ order: MessageOrder, _ subject: @escaping SubjectOfSend,
        _ rule: @escaping SendRule
    ) throws(EngineFault) -> SessionOperation {
        let id: MessageID
        do { id = try engine.fresh(MessageID.self, at: engine.now()) } catch { throw EngineFault(error) }
        let (named, engine) = (order.number, engine)
        let keys = limitKeys { session, _ in
            guard let over = engine.limits.overSessions(of: session.clientID) else { return [] }
            return (named.map(Target.number) ?? session.currentTarget).flatMap { subject(session, $0) }?
                .keys(by: over) ?? []
        }
        let judged = { @Sendable (session: Session) -> JudgedNumber? in
            (named ?? session.currentNumber).map { .number($0) }
        }
        var operation = SessionOperation(
            limitKeys: keys, judged: engine.rules.standingStopsSends ? judged : nil
        ) { (change, _, now, rules) throws(StepRefusal) in
            let result = try change.send(
                at: now, rules: rules, subject, parts: { engine.parts(of: $0, in: $1, $2) }
            ) { (session) throws(StepRefusal) in
                switch order {
                case .first(let named): return try rule(&session, .first(try named?.result.get()), now, rules)
                case .again: return try rule(&session, .again, now, rules)
                case .next: return try rule(&session, try session.nextOrder(kind, at: now, rules: rules), now, rules)
                case .toNumber(let named):
                    // The step comes first: a change that is not allowed says so whatever the number is.
                    if let refusal = session.refusalOfNumberChange(kind) { throw refusal }
                    return try rule(&session, .toNumber(try named.result.get()), now, rules)
                }
            }
            switch result {
            case .success(nil): return .done
            case .success(let pending?):
                let message = OutboundMessage(id: id, correlationID: change.session.correlationID, pending: pending)
                change.message = message
                return .send(message)
            case .failure(let refusal): return .refused(refusal)
            }
        }
        operation.wantsTenantRules = engine.budgetsCountParts
        if let over = engine.limits.overSessions {
            operation.wantsTenantCount = over.spend.isShared
            operation.knownTarget = { session in named.map(Target.number) ?? session.currentTarget }
        }
        if case .next = order { operation.begins = true }
        return operation
    }

    /// Under what a message counts.
    /// - Parameters:
    ///   - isOwn: it is a code that the backend has named. Its answer would be the backend's word.
    ///   - isConfirmed: the backend says that the person has proven the number to it before.
    func subject(
        _ kind: Session.MessageKind, _ address: IPAddress?, isAutomatic: Bool = false, isAskedByBackend: Bool = false,
        isOwn: Bool = false, isConfirmed: Bool = false
    ) -> SubjectOfSend {
        let (engine, numbers) = (engine, engine.numbers)
        return { session, target in
            let named = session.namedAddress
            // A backend says with each call of whom it is; a client's own address is what its backend has said. Who is asked
            // nothing goes where the message went before.
            let own = isAskedByBackend ? address ?? named : named ?? address
            let source = isAutomatic ? session.askers.last ?? MessageSource(own) : MessageSource(own)
            let country = target.number.flatMap { numbers.country(of: $0) }
            if target.isNobody { _ = numbers.country(of: .ofNobody) }
            let now = engine.now()
            return SessionChange.SendSubject(
                target: target, kind: kind, tenant: session.clientID,
                account: MessageAccount(
                    target, from: source, of: session.clientID, country: country,
                    isAnswerKnown: !isOwn && !session.request.policy.isAnsweredElsewhere),
                isTrusted: source.address.map { engine.limits.overSessions?.knownNetworks.contains($0) ?? false }
                    ?? false,
                isClosed: target.number.map { number in
                    engine.closedPrefixes().contains { now < $0.until && $0.prefix.begins(number) }
                } ?? false,
                isRefusedUnseen: engine.refusedAskers.isRefusedUnseen(source, of: session.clientID, at: now),
                isNeverSentTo: engine.testNumber(target, of: session.clientID, at: now) != nil,
                isAnonymous: session.flowDigest != nil || session.request.policy.isAskedByAnyone,
                isAutomatic: isAutomatic, isConfirmed: isConfirmed)
        }
    }

    /// Codes are drawn before the transaction. For a code that must not pass the awaited digest is random, and nothing
    /// matches it.
    /// - Parameter own: the code that the backend has made.
    private func codeIssuer(_ own: OTP?) throws(EngineFault) -> @Sendable (ClientID, Timestamp) -> Session.CodeIssuer {
        let unmatchable = OTPDigest(try random(32))
        let drawn: OTP
        do throws(EntropyFault) { drawn = try OTP.random(length: 10, from: engine.randomBytes) } catch {
            throw EngineFault(error)
        }
        let engine = engine
        return { tenant, now in
            { session, target, length in
                if target.isNobody { return Session.IssuedCode(shown: drawn.prefix(length), expected: unmatchable) }
                if let test = engine.testNumber(target, of: tenant, at: now) {
                    return Session.IssuedCode(shown: test.code, expected: engine.keyed.testOTP(test.code, session))
                }
                let code = engine.codes.code(for: target, drawn: drawn.prefix(length), own: own)
                return Session.IssuedCode(
                    shown: code.shown,
                    expected: code.passes ? engine.keyed.otp(code.shown, session, target) : unmatchable,
                    isOwn: own != nil)
            }
        }
    }
}

extension Session {
    /// Which message comes next in a session that its backend drives: the first, after it has redeemed the session, or
    /// another one.
    fileprivate mutating func nextOrder(
        _ kind: MessageKind, at now: Timestamp, rules: Rules
    ) throws(StepRefusal) -> SendOrder {
        if phase == .created {
            let fallback: Declaration.Fallback =
                switch kind {
                case .code: .otp
                case .link: .link
                }
            // No client of ours takes part: neither a key nor a page to come back to.
            let declaration = Declaration(platform: .web, fallback: fallback, deviceKey: false, cellular: .no)
            try redeem(declaration, by: .backend, challenge: [], at: now, rules: rules)
        }
        return phase == .active(kind.waitStep) ? .again : .first(nil)
    }
}

extension Engine {
    /// The token of the link that stands beside the codes of a session whose links give codes: one for all its messages,
    /// which nothing is stored of but its digest. `nil`: its codes have no link.
    func carriedLink(of session: Session) -> String? {
        session.request.options.exchange == nil ? nil : keyed.text(keyed.codeLink(session.correlationID))
    }
}
