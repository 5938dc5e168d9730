/// Which client may have an operation carried out, and what its retry is answered (client protocol part 4).
///
/// A call is one transaction: it uses up the proof and admits the credential. A retry gets the reply that is kept. For any
/// other call it applies the operation's rule, and stores state, events, message and reply together. The message leaves
/// after that, and an operator is asked after that, so nothing is sent or asked that is not on record.
package struct ClientAdmission: Sendable {
    let engine: Engine
    package let fence: SessionFence

    /// - Parameter fence: around the sessions that clients take part in.
    package init(_ engine: Engine, in fence: SessionFence) {
        self.engine = engine
        self.fence = fence
    }

    /// Credential of the caller, as far as the surface has checked it.
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
        /// Beside a retry key of another body, the session as it stands: who shows it has shown to be its client.
        case refused(AdmissionRefusal, Session?)
        /// The token names no session any more, or its tenant may no longer call.
        case unknownSession
        case engine(EngineFault)
    }

    /// Has an operation carried out for a client, and its message sent. A retry gets the reply of the earlier call.
    package func perform(_ operation: SessionOperation, for call: Call) async throws(Fault) -> OperationReply {
        var lookup = operation.lookup
        let retry = call.retry.map { Retry($0) }
        lookup.retry = call.retry
        if case .proof(let proof) = call.credential { lookup.proof = proof }
        let now: Timestamp
        let changed: Changed<SessionOperation.Answer, StepRefusal>
        do throws(EngineFault) {
            let rules = try await operation.rules(of: .auth(call.authID), in: fence, by: engine)
            now = engine.now()
            changed = try await engine.change(
                .auth(call.authID), by: .caller(fence), lookup, at: now,
                append: { change, answer in operation.keep(answer, retry, in: &change, at: now) }
            ) { (change) throws(StepRefusal) in
                if let refusal = Self.use(change.proof, &change.tallies) { return .turnedAway(refusal) }
                return try operation.answered(
                    on: &change, by: call.credential.binding, retry, at: now, rules: rules)
            }
        } catch {
            throw .engine(error)
        }
        switch changed {
        case .unknown: throw .unknownSession
        case .revoked(let session):
            call.noteSession?(session)
            throw .unknownSession
        case .refused(let refusal, let session):
            call.noteSession?(session)
            return OperationReply(refusal: refusal, session: session)
        case .made(.turnedAway(let refusal), let session):
            call.noteSession?(session)
            throw .refused(refusal, refusal == .retryKeyReused ? session : nil)
        case .made(.replayed(let reply), let session):
            call.noteSession?(session)
            return reply
        case .made(.ruled(let outcome, _), let session):
            call.noteSession?(session)
            do throws(EngineFault) {
                let reply = try await SessionOperations(engine).reply(
                    to: outcome, of: session, offer: operation.offer, call.retry)
                if let reply { return reply }
            } catch {
                throw .engine(error)
            }
            throw .unknownSession
        }
    }

    /// Refuses a call whose proof was used before, or is one too many.
    private static func use(_ proof: ProofUse, _ tallies: inout LimitTallies) -> AdmissionRefusal? {
        switch proof {
        case .new: return nil
        case .usedBefore: return .invalidDPoPProof(.used)
        case .tooMany(let seconds):
            tallies.note(.proofsPerSession)
            return .tooManyProofs(LimitHit(.proofsPerSession, retryAfterSeconds: seconds))
        }
    }

    // MARK: looks without a proof

    /// The session as it stands now: what a long poll looks at again, its proof being used up already.
    /// - Throws: `.unknownSession`, `.engine`.
    package func look(at authID: AuthID) async throws(Fault) -> Session {
        do {
            // A tenant that was revoked meanwhile ends the waits of its clients as well (TOK-10).
            guard let found = try await engine.session(.auth(authID), in: fence),
                let tenant = try await engine.tenants.tenant(found.clientID), tenant.revokedAt == nil
            else { throw Fault.unknownSession }
            return try await engine.settled(found, at: engine.now())
        } catch let fault as Fault {
            throw fault
        } catch {
            throw .engine(EngineFault(error))
        }
    }

    /// Rights of the session's tenant: its web origins, its countries.
    /// - Throws: `.unknownSession`, `.engine`.
    package func tenantRules(of authID: AuthID) async throws(Fault) -> TenantRules {
        do {
            guard let session = try await engine.session(.auth(authID), in: fence),
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
