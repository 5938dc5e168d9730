/// What only a sandbox offers: sessions at a glance, and finishing one without a client (contract section 4).
package struct SandboxService: Sendable {
    let engine: Engine

    package init(_ engine: Engine) {
        self.engine = engine
    }

    package enum Refusal: Error, Sendable, Equatable {
        case unknownSession
        case alreadyDone
        case overloaded
        case internalFault(String)
    }

    /// The newest sessions, newest first, as they stand now.
    package func recentSessions(limit: Int) async throws(Refusal) -> [Session] {
        do {
            let now = engine.now()
            var sessions: [Session] = []
            for stored in try await engine.sessions.recentSessions(limit: limit) {
                sessions.append(try await engine.settled(stored, at: now))
            }
            return sessions
        } catch {
            throw Refusal(error)
        }
    }

    package func timeline(
        of id: CorrelationID
    ) async throws(Refusal) -> (session: Session, events: [SessionEvent]) {
        do {
            guard let stored = try await engine.sessions.session(.correlation(id)) else {
                throw Refusal.unknownSession
            }
            let session = try await engine.settled(stored, at: engine.now())
            return (session, try await engine.sessions.events(of: id))
        } catch {
            throw Refusal(error)
        }
    }

    /// Drives the possession step without any client. A success has no `deviceId`.
    package func complete(_ id: CorrelationID, success: Bool) async throws(Refusal) -> Session {
        let now = engine.now()
        let stranger = engine.networkNumber
        let rules = engine.rules
        let result: Result<Session, Refusal>?
        do {
            result = try await engine.sessions.update(
                .correlation(id), SessionLookup(), freshProveID: try engine.fresh(ProveID.self, at: now)
            ) { unit in
                unit.session.settle(at: now)
                let settled = unit.session
                guard !unit.session.isDone else { return .failure(.alreadyDone) }
                unit.session.completeInSandbox(success: success, stranger: stranger, at: now, rules: rules)
                unit.session.countRevision(since: settled)
                return .success(unit.session)
            }
        } catch {
            throw Refusal(error)
        }
        guard let result else { throw .unknownSession }
        let session = try result.get()
        engine.tell(session.news)
        engine.announce(session.authID)
        return session
    }
}

extension SandboxService.Refusal {
    init(_ fault: any Error) {
        switch fault {
        case let refusal as Self: self = refusal
        case StorageFault.overloaded: self = .overloaded
        case let fault as StorageFault: self = .internalFault("storage: \(fault)")
        default: self = .internalFault("random generator")
        }
    }
}
