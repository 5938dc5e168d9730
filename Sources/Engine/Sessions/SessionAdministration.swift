package import Possession

/// Lists sessions, and completes one without a client (contract section 4).
package struct SessionAdministration: Sendable {
    let engine: Engine

    package init(_ engine: Engine) {
        self.engine = engine
    }

    package enum Refusal: Error, Sendable, Equatable {
        case unknownSession
        case alreadyDone
        /// Only the product's own call completes this session and reports it, so the sandbox cannot.
        case succeedsByItsCall(ProductName)
        case engine(EngineFault)
    }

    /// The newest sessions, newest first, with expiries applied.
    package func recentSessions(limit: Int) async throws(Refusal) -> [Session] {
        do {
            let now = engine.now()
            var sessions: [Session] = []
            for stored in try await engine.stores.sessions.recentSessions(limit: limit) {
                sessions.append(try await engine.withExpiries(stored, at: now))
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
            guard let stored = try await engine.session(.correlation(id), in: .all) else {
                throw Refusal.unknownSession
            }
            let session = try await engine.withExpiries(stored, at: engine.now())
            return (session, try await engine.stores.sessions.events(of: id))
        } catch {
            throw Refusal(error)
        }
    }

    /// Ends the possession step without any client. A success has no `deviceId`.
    /// - Parameters:
    ///   - numberIfUnknown: the number that is proven if the session has none.
    ///   - tellByCall: products whose sessions only their own call can complete.
    /// - Throws: `.unknownSession`, `.alreadyDone`, `.succeedsByItsCall`, `.engine`.
    package func complete(
        _ id: CorrelationID, success: Bool, numberIfUnknown: PhoneNumber?, tellByCall: Set<ProductName> = []
    ) async throws(Refusal) -> Session {
        let now = engine.now()
        let rules = engine.rules
        let changed: Changed<Void, Refusal>
        do throws(EngineFault) {
            changed = try await engine.change(.correlation(id), by: .server, at: now) { (change) throws(Refusal) in
                guard !change.session.isDone else { throw .alreadyDone }
                let product = change.session.request.policy.product
                guard !success || !tellByCall.contains(product) else { throw .succeedsByItsCall(product) }
                change.session.complete(success: success, numberIfUnknown: numberIfUnknown, at: now, rules: rules)
            }
        } catch {
            throw .engine(error)
        }
        switch changed {
        case .unknown, .revoked: throw .unknownSession
        case .refused(let refusal, _): throw refusal
        case .made(_, let session): return session
        }
    }
}

extension SessionAdministration.Refusal {
    fileprivate init(_ fault: any Error) {
        self = (fault as? Self) ?? .engine(EngineFault(fault))
    }
}
