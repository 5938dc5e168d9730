package import Possession

/// Calls of clients on their sessions, as `Admission` lets them in.
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

    /// Has a command carried out for a client, and its message sent. A retry gets the reply of the earlier call.
    package func perform(_ command: SessionCommand, for call: Call) async throws(Fault) -> OperationReply {
        let admitted: Admission.Admitted
        do throws(EngineFault) {
            admitted = try await Admission(engine, in: fence).perform(
                command, on: .auth(call.authID), by: .client(call.credential), call.retry.map { Retry($0) })
        } catch { throw .engine(error) }
        switch admitted {
        case .reply(let reply):
            call.noteSession?(reply.session)
            return reply
        case .refused(let refusal, let session):
            call.noteSession?(session)
            throw .refused(refusal, refusal == .retryKeyReused ? session : nil)
        case .unknown(let session):
            if let session { call.noteSession?(session) }
            throw .unknownSession
        }
    }

    // MARK: looks without a proof

    /// The session as it stands now: what a long poll looks at again, its proof being used up already.
    /// - Throws: `.unknownSession`, `.engine`.
    package func read(at authID: AuthID) async throws(Fault) -> Session {
        do {
            // Revoking a tenant also ends the waits of its clients (TOK-10).
            guard let found = try await engine.session(.auth(authID), in: fence),
                let tenant = try await engine.stores.clients.tenants.tenant(found.clientID), tenant.revokedAt == nil
            else { throw Fault.unknownSession }
            return try await engine.withExpiries(found, at: engine.now())
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
                let tenant = try await engine.stores.clients.tenants.tenant(session.clientID)
            else { throw Fault.unknownSession }
            return tenant.rules
        } catch let fault as Fault {
            throw fault
        } catch {
            throw .engine(EngineFault(error))
        }
    }
}
