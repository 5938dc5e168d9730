internal import Possession

/// Which caller may have a command carried out, and what its retry is answered (client protocol part 4).
///
/// A call is one transaction: it uses up the proof and admits the credential. A retry gets the reply that is kept. For any
/// other call it applies the command, and stores state, events, message and reply together. The message leaves
/// after that, and an operator is asked after that, so nothing is sent or asked that is not on record.
///
/// A session that a backend has redeemed is bound to it: no token lets a client in, as no client's session lets a
/// backend act.
struct Admission: Sendable {
    let engine: Engine
    let fence: SessionFence

    /// - Parameter fence: around the sessions that the callers take part in.
    init(_ engine: Engine, in fence: SessionFence) {
        self.engine = engine
        self.fence = fence
    }

    /// A credential that the surface has checked as far as it can.
    enum Caller: Sendable {
        case client(ClientAdmission.Credential)
        case backend

        var binding: Session.Binding {
            switch self {
            case .client(let credential): credential.binding
            case .backend: .backend
            }
        }

        var proof: DPoPProof? {
            if case .client(.proof(let proof)) = self { proof } else { nil }
        }
    }

    enum Admitted: Sendable {
        case reply(OperationReply)
        /// - Parameter session: that the caller's credential was for.
        case refused(AdmissionRefusal, Session)
        /// There is no such session.
        /// - Parameter session: whose tenant may no longer call; `nil`: there is none.
        case unknown(Session?)
    }

    /// A new session, for a call that finds no open session at its key.
    struct Start: Sendable {
        let session: StartingSession
        /// The command for the new session.
        let command: SessionCommand
        /// Limits that the new session counts under.
        let keys: [LimitKey]
    }

    /// Has a command carried out, and its message sent.
    /// - Parameters:
    ///   - retry: under which the reply is kept; `nil`: a call that is made twice is carried out twice. Also answered of a
    ///     session that does not go on.
    ///   - start: `nil`: the call starts no session.
    func perform(
        _ command: SessionCommand, on key: SessionKey, by caller: Caller, _ retry: Retry?, orStart start: Start? = nil
    ) async throws(EngineFault) -> Admitted {
        let context = RuleContext(try await rules(of: command, on: key, orStart: start), engine.server)
        let call = Call(command, orStart: start, by: caller.binding, retry, in: context, at: engine.now())
        var inputs = call.inputs()
        inputs.proof = caller.proof
        inputs.retry = retry?.key
        // Only the shared names of backends lead to several sessions, of which the one with the answer is meant.
        if case .backend = caller { inputs.note(retry, at: call.now) }
        let changed = try await engine.change(
            key, orStart: start?.session, by: .caller(fence), inputs, at: call.now,
            append: { change, answer in change.keep(answer, of: call) }
        ) { (change) throws(StepRefusal) in try change.answer(call) }
        return try await admitted(changed, call)
    }

    /// One call, as its change needs it. One object, because the parts of the change share it.
    fileprivate final class Call: Sendable {
        let command: SessionCommand
        let start: Start?
        let caller: Session.Binding
        let retry: Retry?
        let context: RuleContext
        let now: Timestamp

        init(
            _ command: SessionCommand, orStart start: Start?, by caller: Session.Binding, _ retry: Retry?,
            in context: RuleContext, at now: Timestamp
        ) {
            self.command = command
            self.start = start
            self.caller = caller
            self.retry = retry
            self.context = context
            self.now = now
        }

        /// The command that a session gets: a new one, or one that is continued.
        func command(ofNew isNew: Bool) -> SessionCommand { isNew ? start?.command ?? command : command }
    }

    /// The rules of the command, with the standing of the number that it may prove or send to.
    private func rules(
        of command: SessionCommand, on key: SessionKey, orStart start: Start?
    ) async throws(EngineFault) -> Rules {
        let rules = engine.rules
        if let start {
            guard start.command.judges(by: rules) else { return rules }
            return try await engine.rules(for: start.session.session) { start.command.judged(in: $0) }
        }
        guard command.judges(by: rules) else { return rules }
        return try await engine.rules(of: key, in: fence) { command.judged(in: $0) }
    }

    /// Does what has to follow once the change is durable, and makes the reply.
    private func admitted(
        _ changed: Changed<Answer, StepRefusal>, _ call: Call
    ) async throws(EngineFault) -> Admitted {
        switch changed {
        case .unknown: return .unknown(nil)
        case .revoked(let session): return .unknown(session)
        case .refused(let refusal, let session): return .reply(OperationReply(refusal: refusal, session: session))
        case .made(.turnedAway(let refusal), let session): return .refused(refusal, session)
        case .made(.replayed(let reply), _): return .reply(reply)
        case .made(.ruled(let outcome, _), let session):
            let isNew = session.correlationID == call.start?.session.session.correlationID
            let reply = try await reply(to: outcome, of: call.command(ofNew: isNew), session, call.retry?.key)
            return reply.map { .reply($0) } ?? .unknown(session)
        }
    }

    /// - Returns: `nil`: the session is gone, or its tenant may no longer call.
    private func reply(
        to outcome: SessionCommand.Outcome, of command: SessionCommand, _ session: Session, _ retry: RetryKey?
    ) async throws(EngineFault) -> OperationReply? {
        switch outcome {
        case .done: return OperationReply(refusal: nil, session: session, offer: command.offer)
        case .refused(let refusal): return OperationReply(refusal: refusal, session: session)
        case .send(let message): return try await MessageDelivery(engine: engine).deliver(message, of: session)
        case .askOperator:
            guard case .handInOperatorToken(let token, let attempt, let name, let address) = command.action else {
                throw .failed("an operator is asked without a token")
            }
            let question = MobileAuthService.TokenQuestion(
                attempt: attempt, carrier: engine.network.operators.named(name), token: token, address: address)
            return try await MobileAuthService(engine, in: session.fence).finish(question, of: session, retry: retry)
        }
    }

    /// The answer that the same call was given before, also by a session that is over; `nil`: it is a new call.
    ///
    /// It needs nothing that a first call does: neither a country that is open, nor a number that is on no list.
    /// - Throws: `.retryKeyReused`, `.engine`.
    func repeated(_ retry: Retry, on key: SessionKey) async throws(SendRefusal) -> OperationReply? {
        let now = engine.now()
        var inputs = ChangeInputs()
        inputs.note(retry, at: now)
        let changed: Changed<OperationReply?, AdmissionRefusal>
        do throws(EngineFault) {
            changed = try await engine.change(key, by: .caller(fence), inputs, at: now) {
                (change) throws(AdmissionRefusal) in try retry.answer(change.earlierReply, at: now)
            }
        } catch { throw .engine(error) }
        switch changed {
        case .unknown, .revoked: return nil
        case .refused: throw .retryKeyReused
        case .made(let reply, _): return reply
        }
    }

    /// Outcome of a call in its change.
    enum Answer: Sendable {
        case replayed(OperationReply)
        /// The command was not applied. Only the timeline may have changed.
        case turnedAway(AdmissionRefusal)
        /// A call that changed nothing is not kept: it can be made again as it is, and what sessions keep stays bounded.
        case ruled(SessionCommand.Outcome, isKept: Bool)
    }
}

extension Admission.Call {
    /// The data that the change reads, whichever session it finds.
    fileprivate func inputs() -> ChangeInputs {
        var inputs = command.inputs(in: context, at: now)
        guard let start else { return inputs }
        let first = start.command.inputs(in: context, at: now)
        let new = start.session.session.correlationID
        let next = inputs
        inputs.wantsTenantRules = first.wantsTenantRules || next.wantsTenantRules
        inputs.wantsTenantCount = first.wantsTenantCount || next.wantsTenantCount
        inputs.knownTarget = { session in
            (session.correlationID == new ? first : next).knownTarget?(session)
        }
        let counted = context.rules.limits.overSessions == nil ? [] : start.keys
        if context.rules.limits.overSessions != nil || first.limitKeys != nil || next.limitKeys != nil {
            inputs.limitKeys = { session, key in
                let isNew = session.correlationID == new
                return (isNew ? counted : []) + ((isNew ? first : next).limitKeys?(session, key) ?? [])
            }
        }
        return inputs
    }
}

extension Admission {
    /// Has a command carried out for a backend.
    ///
    ///     let admission = Admission(engine, in: SessionFence(tenant, product))
    ///     let reply = try await admission.perform(commands.checkCode(code), on: .correlation(id))
    ///
    /// - Returns: `nil`: the tenant has no such session that a backend drives, or may no longer call.
    /// - Throws: `.retryKeyReused`, `.engine`.
    func perform(
        _ command: SessionCommand, on key: SessionKey, retry: Retry?, orStart start: Start? = nil
    ) async throws(SendRefusal) -> OperationReply? {
        let admitted: Admitted
        do throws(EngineFault) {
            admitted = try await perform(command, on: key, by: .backend, retry, orStart: start)
        } catch { throw .engine(error) }
        switch admitted {
        case .reply(let reply): return reply
        case .refused(.retryKeyReused, _): throw .retryKeyReused
        // A session that is bound to a client is none of the backend's.
        case .refused, .unknown: return nil
        }
    }
}

extension SessionChange {
    fileprivate mutating func answer(_ call: Admission.Call) throws(StepRefusal) -> Admission.Answer {
        if let refusal = useProof() { return .turnedAway(refusal) }
        guard let start = call.start, isNew else { return try answer(call.command, of: call) }
        return try answer(start, of: call)
    }

    /// Refuses a call whose proof was used before, or is one too many.
    private mutating func useProof() -> AdmissionRefusal? {
        switch proof {
        case .new: return nil
        case .usedBefore: return .invalidDPoPProof(.used)
        case .tooMany(let seconds):
            tallies.note(.proofsPerSession)
            return .tooManyProofs(LimitHit(.proofsPerSession, retryAfterSeconds: seconds))
        }
    }

    /// Starts the session, if no limit of starts is at its end. A session whose first command is refused is not stored.
    private mutating func answer(
        _ start: Admission.Start, of call: Admission.Call
    ) throws(StepRefusal) -> Admission.Answer {
        if let over = call.context.rules.limits.overSessions,
            let hit = tallies.take(start.keys, by: over, at: call.now)
        {
            tallies.note(hit.limit, session.currentNumber)
            isDropped = true
            return .ruled(.refused(.rateLimited(hit)), isKept: false)
        }
        let answer = try answer(start.command, of: call)
        switch answer {
        case .ruled(.refused, _), .turnedAway: isDropped = true
        case .ruled, .replayed: break
        }
        return answer
    }

    /// Admits the caller, and applies the command; a retry gets the reply that was kept.
    /// - Parameter call: may have come a moment before another one began the session, which it names by a number: it is carried
    ///   out after that, and nothing of a session is older than the session.
    private mutating func answer(
        _ command: SessionCommand, of call: Admission.Call
    ) throws(StepRefusal) -> Admission.Answer {
        let now = max(call.now, session.createdAt)
        if !command.begins || session.binding != .unbound, let refusal = try session.admit(call.caller, at: now) {
            return .turnedAway(refusal)
        }
        do throws(AdmissionRefusal) {
            if let reply = try call.retry?.answer(earlierReply, at: now) { return .replayed(reply) }
        } catch { return .turnedAway(error) }
        let before = session
        var outcome = try apply(command, by: call.caller, in: call.context, at: now)
        if let retry = call.retry, case .send(var message) = outcome {
            message.retry = retry.key
            self.message = message
            outcome = .send(message)
        }
        return .ruled(outcome, isKept: call.retry != nil && session != before)
    }

    /// Stores the reply for a retry, once the session is as it will be stored.
    fileprivate mutating func keep(_ answer: Admission.Answer, of call: Admission.Call) {
        guard let retry = call.retry, case .ruled(let outcome, isKept: true) = answer else { return }
        var kept = OperationReply(refusal: nil, session: session, offer: call.command(ofNew: isNew).offer)
        if case .refused(let refusal) = outcome {
            guard StepRefusal.outcomes.contains(refusal) else { return }
            kept = OperationReply(refusal: refusal, session: session)
        }
        reply = KeptReply(requestBody: retry.key.body, reply: kept, at: call.now)
    }
}

extension ChangeInputs {
    fileprivate mutating func note(_ retry: Retry?, at now: Timestamp) {
        guard let retry else { return }
        self.retry = retry.key
        isAnswer = { retry.isAnswered(by: $0, at: now) }
    }
}
