package import Text

/// What a client may do with its session: every call of the client surface ends here (client protocol part 4).
///
/// A call is one transaction: use up the proof, admit the credential, answer a retry from the store, else apply the
/// rule and store state, events and answer together. Messages leave only after that, so nothing is sent that is not
/// on record.
package struct ClientService: Sendable {
    let engine: Engine

    package init(_ engine: Engine) {
        self.engine = engine
    }

    /// Who calls, as far as the surface has checked it.
    package enum Credential: Sendable {
        case bearer
        case proof(DPoPProof)

        var binding: Session.Binding {
            switch self {
            case .bearer: .bearer
            case .proof(let proof): .key(proof.thumbprint)
            }
        }
    }

    /// One call: whose session, by which credential, under which retry key, and how its outcome is put into bytes.
    /// The bytes are made inside the transaction, because a retry must get the very same.
    package struct Call: Sendable {
        package let authID: AuthID
        package let credential: Credential
        package let retry: RetryKey?
        /// Of the caller, where limits hold and it is known: what messages count under if the backend named none.
        package let address: IPAddress?
        package let render: @Sendable (Session, ClientRefusal?) -> StoredAnswer
        package let noteSession: NoteSession?

        package init(
            authID: AuthID, credential: Credential, retry: RetryKey?, address: IPAddress? = nil,
            noteSession: NoteSession? = nil,
            render: @escaping @Sendable (Session, ClientRefusal?) -> StoredAnswer
        ) {
            self.authID = authID
            self.credential = credential
            self.retry = retry
            self.address = address
            self.noteSession = noteSession
            self.render = render
        }
    }

    /// Why a call has no answer of its own: the surface makes one.
    package enum Fault: Error, Sendable {
        /// The session has used too many proofs.
        case rateLimited(LimitHit)
        /// The token names no session any more.
        case unknownSession
        case overloaded
        case internalFault(String)
    }

    // MARK: calls

    /// Redeems the token: the first credential binds the session (client protocol 4.3).
    package func redeem(_ declaration: Session.Declaration, _ call: Call) async throws(Fault) -> StoredAnswer {
        let challenge = try random(32)
        let rules = engine.rules
        return try await perform(call, binds: true) { (unit, now) throws(ClientRefusal) in
            try unit.session.redeem(
                declaration, by: call.credential.binding, challenge: challenge, at: now, rules: rules)
            return nil
        }
    }

    /// The state as it is. Needs no rule, but the proof is used up all the same.
    package func state(_ call: Call) async throws(Fault) -> StoredAnswer {
        try await perform(call, isLook: true) { (_, _) throws(ClientRefusal) in nil }
    }

    /// `proof` is `nil` when its form or signature was bad.
    package func proveDevice(_ proof: DeviceProof?, _ call: Call) async throws(Fault) -> StoredAnswer {
        let context = SessionUnit.DeviceContext(rules: engine.rules, nextChallenge: try random(32))
        let keys = limitKeys { session, _ in session.currentNumber.map { [LimitKey(.failedDeviceProofs, $0)] } ?? [] }
        return try await perform(call, thumbprint: proof?.thumbprint, keys) { (unit, now) throws(ClientRefusal) in
            try unit.provedDevice(proof, by: call.credential.binding, context: context, at: now)
            return nil
        }
    }

    /// Which message a client asks for, with the number as it was written.
    package enum MessageOrder: Sendable {
        case first(String?)
        case again
        case toNumber(String)
    }

    /// Sends a code (client protocol 4.8).
    package func sendCode(_ order: MessageOrder, _ call: Call) async throws(Fault) -> StoredAnswer {
        let issue = try codeIssuer()
        let rules = engine.rules
        return try await send(.code, order, call) { (session, order, now) throws(ClientRefusal) in
            try session.sendCode(order, issue: issue, at: now, rules: rules)
        }
    }

    /// Sends an instant link (client protocol 4.9).
    /// - Parameter browser: the one that waits, in words.
    package func sendLink(_ order: MessageOrder, browser: String?, _ call: Call) async throws(Fault) -> StoredAnswer {
        let token = engine.keyed.text(try random(16))
        let digest = engine.keyed.link(token)
        let matchCode: String
        do throws(EntropyFault) { matchCode = try OTP.digits(2, from: engine.randomBytes) } catch {
            throw .internalFault("random generator")
        }
        let rules = engine.rules
        return try await send(.link, order, call) { (session, order, now) throws(ClientRefusal) in
            let link = Session.IssuedLink(
                token: token, digest: digest, matchCode: session.request.options.linkMatchCode ? matchCode : nil)
            return try session.sendLink(order, link: link, browser: browser, at: now, rules: rules)
        }
    }

    private func send(
        _ kind: Session.MessageKind, _ order: MessageOrder, _ call: Call,
        _ rule:
            @escaping @Sendable (inout Session, Session.SendOrder, Timestamp) throws(ClientRefusal) ->
            Session.PendingMessage
    ) async throws(Fault) -> StoredAnswer {
        let limits = engine.limits
        let subject = sendSubject(kind, call)
        let entered: Result<PhoneNumber?, ClientRefusal> =
            switch order {
            case .first(let text): try await read(text, call.authID)
            case .again: .success(nil)
            case .toNumber(let text): try await read(text, call.authID)
            }
        let named = (try? entered.get()) ?? nil
        let keys = limitKeys { session, _ in
            (named ?? session.currentNumber).flatMap { subject(session, $0) }?.allKeys ?? []
        }
        return try await perform(call, keys) { (unit, now) throws(ClientRefusal) in
            try unit.send(at: now, limits: limits, subject) { (session) throws(ClientRefusal) in
                switch order {
                case .first: return try rule(&session, .first(try entered.get()), now)
                case .again: return try rule(&session, .again, now)
                case .toNumber:
                    // The step comes first: a change that is not allowed says so whatever the number is.
                    if let refusal = session.refusalOfNumberChange(kind) { throw refusal }
                    guard let number = try entered.get() else { throw .phoneNumberRequired }
                    return try rule(&session, .toNumber(number), now)
                }
            }
        }
    }

    /// Under what a message of this call counts.
    private func sendSubject(
        _ kind: Session.MessageKind, _ call: Call
    ) -> @Sendable (Session, PhoneNumber) -> SessionUnit.SendSubject? {
        let numbers = engine.numbers
        return { session, number in
            SessionUnit.SendSubject(
                number: number, kind: kind, tenant: session.clientID,
                address: session.request.subject.ipAddress.flatMap { IPAddress($0) } ?? call.address,
                country: numbers.sandboxUser(number) == nil ? numbers.country(of: number) : nil)
        }
    }

    private typealias LimitKeys = @Sendable (Session, DeviceKey?) -> [LimitKey]

    /// `nil` where no limits hold over sessions: nothing is read then.
    private func limitKeys(_ keys: @escaping LimitKeys) -> LimitKeys? {
        guard let over = engine.limits.overSessions else { return nil }
        return { session, key in keys(session, key).filter { over.reads($0.counter) } }
    }

    package func verifyOTP(_ code: OTP, _ call: Call) async throws(Fault) -> StoredAnswer {
        let engine = engine
        let keys = limitKeys { session, _ in session.currentNumber.map { [LimitKey(.wrongCodes, $0)] } ?? [] }
        return try await perform(call, keys) { (unit, now) throws(ClientRefusal) in
            try unit.admitEntry(at: now, limits: engine.limits)
            let codeLength = unit.session.otp.codeLength
            do throws(ClientRefusal) {
                try unit.session.verifyOTP(
                    { engine.keyed.otp(engine.numbers.awaited(code, of: $1, length: codeLength), $0, $1) }, at: now,
                    rules: engine.rules)
            } catch {
                unit.countWrongCode(error, at: now, limits: engine.limits)
                throw error
            }
            return nil
        }
    }

    /// Values of a Mobile Auth attempt, drawn before the call that opens it.
    package struct MobileAuthOffer: Sendable {
        package let attempt: AttemptID
        /// Opens the attempt once; only its digest is kept.
        package let ticket: String
    }

    package func drawMobileAuthOffer() throws(Fault) -> MobileAuthOffer {
        guard let attempt = AttemptID(try random(16)) else { throw .internalFault("random generator") }
        return MobileAuthOffer(attempt: attempt, ticket: engine.keyed.text(try random(16)))
    }

    /// Opens a Mobile Auth attempt (client protocol 4.7).
    package func beginMobileAuth(_ offer: MobileAuthOffer, _ call: Call) async throws(Fault) -> StoredAnswer {
        let ticket = engine.keyed.ticket(offer.ticket)
        let rules = engine.rules
        return try await perform(call) { (unit, now) throws(ClientRefusal) in
            try unit.session.beginMobileAuth(offer.attempt, ticket: ticket, at: now, rules: rules)
            return nil
        }
    }

    /// Ends an attempt: by the fingerprint the chain gave, or, without one, because it gave none.
    package func finishMobileAuth(
        _ attempt: AttemptID, fingerprint text: String?, _ call: Call
    ) async throws(Fault) -> StoredAnswer {
        let engine = engine
        return try await perform(call) { (unit, now) throws(ClientRefusal) in
            if let text {
                let fingerprint = engine.mobileAuthTokens.fingerprint(in: text)
                try unit.session.finishMobileAuth(attempt, fingerprint: fingerprint, at: now, rules: engine.rules)
            } else {
                try unit.session.giveUpMobileAuth(attempt, at: now)
            }
            return nil
        }
    }

    package func cancel(_ call: Call) async throws(Fault) -> StoredAnswer {
        try await perform(call) { (unit, now) throws(ClientRefusal) in
            unit.session.cancel(at: now)
            return nil
        }
    }

    // MARK: one call, one transaction

    private typealias Rule =
        @Sendable (inout SessionUnit, Timestamp) throws(ClientRefusal) -> Session.PendingMessage?

    private struct Step: Sendable {
        let answer: StoredAnswer
        let delivery: Delivery?
        let changed: Bool
        var hits: [LimitTallies.Hit] = []
        var news: Session.News?
    }

    /// - Parameter limitKeys: the limits that `rule` asks.
    private func perform(
        _ call: Call, binds: Bool = false, isLook: Bool = false, thumbprint: Thumbprint? = nil,
        _ limitKeys: LimitKeys? = nil,
        _ rule: @escaping Rule
    ) async throws(Fault) -> StoredAnswer {
        let now = engine.now()
        var lookup = SessionLookup()
        lookup.thumbprint = thumbprint
        lookup.retry = call.retry
        lookup.isLook = isLook
        lookup.limitKeys = limitKeys
        let limits = engine.limits
        if case .proof(let proof) = call.credential { lookup.proof = proof }
        let deviceID = try fresh(DeviceID.self, at: now)
        let proveID = try fresh(ProveID.self, at: now)
        let step: Step?
        do {
            let outcome = try await engine.sessions.update(.auth(call.authID), lookup, freshProveID: proveID) { unit in
                Self.apply(
                    rule, to: &unit, call: call, binds: binds, freshDeviceID: deviceID, limits: limits, at: now)
            }
            step = try outcome?.get()
        } catch let hit as LimitHit {
            engine.noteLimit(hit.limit, nil)
            throw .rateLimited(hit)
        } catch {
            throw Fault(error)
        }
        guard let step else { throw .unknownSession }
        engine.tell(step.news)
        for hit in step.hits { engine.noteLimit(hit.limit, hit.number) }
        if step.changed { engine.announce(call.authID) }
        guard let delivery = step.delivery else { return step.answer }
        return try await deliver(delivery, step.answer, call)
    }

    private static func apply(
        _ rule: Rule, to unit: inout SessionUnit, call: Call, binds: Bool, freshDeviceID: DeviceID, limits: Limits,
        at now: Timestamp
    ) -> Result<Step, LimitHit> {
        let before = unit.session
        call.noteSession?(before)
        let refusedAtOnce: ClientRefusal?
        switch unit.proof {
        case .tooMany(let seconds) where !unit.tenantIsRevoked:
            return .failure(LimitHit(.proofsPerSession, retryAfterSeconds: seconds))
        case .new: refusedAtOnce = unit.tenantIsRevoked ? .invalidToken : nil
        case .usedBefore, .tooMany: refusedAtOnce = unit.tenantIsRevoked ? .invalidToken : .invalidDPoPProof
        }
        if let refusedAtOnce {
            return .success(Step(answer: call.render(before, refusedAtOnce), delivery: nil, changed: false))
        }
        var message: Session.PendingMessage?
        var refusal: ClientRefusal?
        var keepsAnswer = false
        unit.session.settle(at: now)
        let settled = unit.session
        do throws(ClientRefusal) {
            if !binds || unit.session.binding != .unbound {
                try unit.session.admit(call.credential.binding, at: now)
            }
            if let earlier = unit.earlierAnswer, let retry = call.retry {
                guard earlier.requestBody == retry.body else { throw .requestIDReused }
                return .success(
                    Step(answer: earlier, delivery: nil, changed: unit.session != before, news: unit.session.news))
            }
            keepsAnswer = true
            message = try rule(&unit, now)
        } catch {
            refusal = error
        }
        // Only in the call that proved the number: nothing that comes later may bind a key to it.
        if before.proof == nil { unit.bindPendingKey(freshDeviceID: freshDeviceID, at: now) }
        unit.endRunsOfProof(since: before, limits: limits)
        // Somebody else's attempt is on the timeline, but it is no news to the client that waits.
        if refusal != .tokenAlreadyUsed { unit.session.countRevision(since: settled) }
        let answer = call.render(unit.session, refusal)
        // A call that changed nothing can be made again as it is; what sessions keep stays bounded.
        if keepsAnswer, unit.session != before { unit.answer = answer }
        let delivery = message.map { Delivery($0, of: unit.session) }
        return .success(
            Step(
                answer: answer, delivery: delivery, changed: unit.session != before, hits: unit.tallies.hits,
                news: unit.session.news))
    }

    // MARK: values from outside

    /// A number the client named. In sandbox it must be a user's as well; the reason then says what to do.
    private func read(
        _ phoneNumber: String?, _ authID: AuthID
    ) async throws(Fault) -> Result<PhoneNumber?, ClientRefusal> {
        guard let phoneNumber else { return .success(nil) }
        let number: PhoneNumber
        do throws(NumberDirectory.Refusal) { number = try engine.numbers.read(phoneNumber).number } catch {
            switch error {
            case .malformed: return .failure(.phoneNumberInvalid)
            case .notASandboxUser, .otherProduct:
                return .failure(.phoneNumberNotAllowed(reason: "no sandbox user has this number"))
            case .refusedKind(let reason): return .failure(.phoneNumberNotAllowed(reason: "it \(reason)"))
            }
        }
        guard engine.numbers.mayMessage(number, by: try await tenantRules(of: authID)) else {
            return .failure(.phoneNumberNotAllowed(reason: "its country is not open to this client"))
        }
        return .success(number)
    }

    /// Codes are drawn before the transaction. A sandbox user's is the published one; where none may pass, the
    /// awaited digest is random and nothing matches it.
    private func codeIssuer() throws(Fault) -> Session.CodeIssuer {
        let unmatchable = OTPDigest(try random(32))
        let codes: [OTP]
        do throws(EntropyFault) {
            var drawn: [OTP] = []
            for length in 4...6 { drawn.append(try OTP.random(length: length, from: engine.randomBytes)) }
            codes = drawn
        } catch {
            throw .internalFault("random generator")
        }
        let engine = engine
        return { session, number, length in
            guard let user = engine.numbers.sandboxUser(number) else {
                let code = codes[min(max(length, 4), 6) - 4]
                return Session.IssuedCode(shown: code, expected: engine.keyed.otp(code, session, number))
            }
            let code = user.shownCode(length: length)
            return Session.IssuedCode(
                shown: code, expected: user.passes(code) ? engine.keyed.otp(code, session, number) : unmatchable)
        }
    }

    private func random(_ count: Int) throws(Fault) -> [UInt8] {
        do { return try engine.randomBytes(count) } catch { throw .internalFault("random generator") }
    }

    private func fresh<ID: Identifier>(_ type: ID.Type, at now: Timestamp) throws(Fault) -> ID {
        do { return try engine.fresh(type, at: now) } catch { throw .internalFault("random generator") }
    }
}

extension ClientService.Fault {
    init(_ fault: any Error) {
        switch fault {
        case StorageFault.overloaded: self = .overloaded
        case let fault as StorageFault: self = .internalFault("storage: \(fault)")
        default: self = .internalFault("random generator")
        }
    }
}
