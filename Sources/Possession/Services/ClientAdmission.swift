/// Which client may have an operation carried out, and what its retry is answered (client protocol part 4).
///
/// A call is one transaction: it uses up the proof and admits the credential. A retry gets the reply that is kept. For any
/// other call it applies the operation's rule, and stores state, events, message and reply together. The message leaves
/// after that, and an operator is asked after that, so nothing is sent or asked that is not on record.
package struct ClientAdmission: Sendable {
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

    /// One call: whose session, by which credential, under which retry key.
    package struct Call: Sendable {
        package let authID: AuthID
        package let credential: Credential
        package let retry: RetryKey?
        package let noteSession: NoteSession?

        package init(authID: AuthID, credential: Credential, retry: RetryKey?, noteSession: NoteSession? = nil) {
            self.authID = authID
            self.credential = credential
            self.retry = retry
            self.noteSession = noteSession
        }
    }

    /// Why a call has no answer of its own: the surface makes one.
    package enum Fault: Error, Sendable {
        /// The session has used too many proofs.
        case rateLimited(LimitHit)
        /// The token names no session any more, or its tenant may no longer call.
        case unknownSession
        case engine(EngineFault)
    }

    /// Has an operation carried out for a client, and its message sent. A retry gets the reply of the earlier call.
    package func perform(_ operation: SessionOperation, for call: Call) async throws(Fault) -> OperationReply {
        var lookup = operation.lookup
        lookup.retry = call.retry
        if case .proof(let proof) = call.credential { lookup.proof = proof }
        let now: Timestamp
        let changed: Changed<Admitted, ClientRefusal>
        do throws(EngineFault) {
            let rules = try await operation.rules(of: .auth(call.authID), by: engine)
            now = engine.now()
            changed = try await engine.change(
                .auth(call.authID), by: .holder, lookup, at: now,
                append: { change, admitted in Self.keep(admitted, offer: operation.offer, of: call, &change) }
            ) { (change) throws(ClientRefusal) in
                try Self.admit(operation, call, &change, at: now, rules: rules)
            }
        } catch {
            throw .engine(error)
        }
        switch changed {
        case .unknown: throw .unknownSession
        case .revoked(let session):
            call.noteSession?(session)
            throw .unknownSession
        case .refused(.rateLimited(let hit), let session):
            call.noteSession?(session)
            throw .rateLimited(hit)
        case .refused(let refusal, let session):
            call.noteSession?(session)
            return OperationReply(refusal: refusal, session: session)
        case .made(let admitted, let session):
            call.noteSession?(session)
            switch admitted {
            case .replayed(let reply): return reply
            case .ruled(.done, _): return OperationReply(refusal: nil, session: session, offer: operation.offer)
            case .ruled(.refused(let refusal), _): return OperationReply(refusal: refusal, session: session)
            case .ruled(.send(let message), _): return try await deliver(message, of: session)
            case .ruled(.ask(let question), _): return try await settle(question, of: session, call.retry)
            }
        }
    }

    // MARK: one call, one transaction

    private enum Admitted: Sendable {
        case replayed(OperationReply)
        /// A call that changed nothing is not kept: it can be made again as it is, and what sessions keep stays bounded.
        case ruled(SessionOperation.Outcome, isKept: Bool)
    }

    private static func admit(
        _ operation: SessionOperation, _ call: Call, _ change: inout SessionChange, at now: Timestamp, rules: Rules
    ) throws(ClientRefusal) -> Admitted {
        switch change.proof {
        case .new: break
        case .usedBefore: throw .invalidDPoPProof
        case .tooMany(let seconds):
            change.tallies.note(.proofsPerSession)
            throw .rateLimited(LimitHit(.proofsPerSession, retryAfterSeconds: seconds))
        }
        let credential = call.credential.binding
        if !operation.begins || change.session.binding != .unbound,
            case .refused(let refusal) = try change.session.admit(credential, at: now)
        {
            return .ruled(.refused(refusal), isKept: false)
        }
        if let earlier = change.earlierReply, let retry = call.retry {
            guard earlier.requestBody == retry.body else { throw .requestIDReused }
            return .replayed(earlier.reply)
        }
        let before = change.session
        var outcome = try operation.rule(&change, credential, now, rules)
        if case .send(var message) = outcome {
            message.retry = call.retry
            change.message = message
            outcome = .send(message)
        }
        return .ruled(outcome, isKept: call.retry != nil && change.session != before)
    }

    private static func keep(
        _ admitted: Admitted, offer: MobileAuthOffer?, of call: Call, _ change: inout SessionChange
    ) {
        guard let retry = call.retry, case .ruled(let outcome, isKept: true) = admitted else { return }
        var reply = OperationReply(refusal: nil, session: change.session, offer: offer)
        if case .refused(let refusal) = outcome {
            guard ClientRefusal.outcomes.contains(refusal) else { return }
            reply = OperationReply(refusal: refusal, session: change.session)
        }
        change.reply = KeptReply(requestBody: retry.body, reply: reply)
    }

    private func deliver(_ message: OutboundMessage, of session: Session) async throws(Fault) -> OperationReply {
        do throws(EngineFault) {
            if let reply = try await MessageDelivery(engine: engine).deliver(message, of: session) { return reply }
        } catch {
            throw .engine(error)
        }
        throw .unknownSession
    }

    private func settle(
        _ question: MobileAuthService.TokenQuestion, of session: Session, _ retry: RetryKey?
    ) async throws(Fault) -> OperationReply {
        do throws(EngineFault) {
            if let reply = try await MobileAuthService(engine).settle(question, of: session, retry: retry) {
                return reply
            }
        } catch {
            throw .engine(error)
        }
        throw .unknownSession
    }

    // MARK: looks without a proof

    /// The session as it stands now: what a long poll looks at again, its proof being used up already.
    /// - Throws: `.unknownSession`, `.engine`.
    package func look(at authID: AuthID) async throws(Fault) -> Session {
        do {
            // A tenant that was revoked meanwhile ends the waits of its clients as well (TOK-10).
            guard let found = try await engine.sessions.session(.auth(authID)),
                let tenant = try await engine.tenants.tenant(found.clientID), tenant.revokedAt == nil
            else { throw Fault.unknownSession }
            return try await engine.settled(found, at: engine.now())
        } catch let fault as Fault {
            throw fault
        } catch {
            throw .engine(EngineFault(error))
        }
    }

    /// What the session's tenant has been allowed: its web origins, its countries.
    /// - Throws: `.unknownSession`, `.engine`.
    package func tenantRules(of authID: AuthID) async throws(Fault) -> TenantRules {
        do {
            guard let session = try await engine.sessions.session(.auth(authID)),
                let tenant = try await engine.tenants.tenant(session.clientID)
            else { throw Fault.unknownSession }
            return tenant.rules
        } catch let fault as Fault {
            throw fault
        } catch {
            throw .engine(EngineFault(error))
        }
    }
}
