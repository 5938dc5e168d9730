internal import Possession

/// Sends the messages that no process is handling: those of a process that ended between its commit and its carrier,
/// and those whose result could not be stored (DUR-14).
///
///     while await !recovery.deliverSome().isNothing {}
package struct MessageRecovery: Sendable {
    /// Messages taken at a time: the most that a process which ends leaves for the next one.
    static let batch = 64
    /// How many messages are sent at the same time.
    static let together = 8

    let engine: Engine

    package init(_ engine: Engine) {
        self.engine = engine
    }

    /// Result of a batch: its messages counted by result.
    package struct Outcome: Sendable, Equatable {
        package var sent = 0
        /// Refused by the carrier, and taken back.
        package var failed = 0
        /// Expired, and taken back.
        package var expired = 0
        /// Damaged: neither sent nor taken back.
        package var unreadable = 0
        /// Why the result of some could not be recorded. They can be taken again.
        package var fault: EngineFault?

        package init() {}

        package var isNothing: Bool { self == Outcome() }
        /// Whether the next batch should be taken at once.
        package var isProgress: Bool { sent + failed + expired > 0 }
    }

    /// Takes some messages, and sends those that are still useful.
    ///
    /// When its task is cancelled, it lets the carrier finish the messages in progress and starts no others. The rest
    /// stays queued for the next process.
    package func deliverSome() async -> Outcome {
        var outcome = Outcome()
        do throws(StorageFault) {
            let taken = try await engine.stores.outbox.takeQueued(limit: Self.batch)
            outcome.unreadable = taken.unreadable
            var rest = taken.messages[...]
            while !rest.isEmpty, !Task.isCancelled {
                await deliver(rest.prefix(Self.together), &outcome)
                rest = rest.dropFirst(Self.together)
            }
        } catch {
            outcome.fault = EngineFault(error)
        }
        return outcome
    }

    private func deliver(_ messages: ArraySlice<OutboundMessage>, _ outcome: inout Outcome) async {
        await withTaskGroup(of: Result<OutboundMessage.State?, EngineFault>.self) { group in
            for message in messages {
                group.addTask {
                    do throws(EngineFault) { return .success(try await deliver(message)) } catch {
                        return .failure(error)
                    }
                }
            }
            for await result in group {
                switch result {
                case .success(.queued): break
                case .success(.sent): outcome.sent += 1
                case .success(.failed): outcome.failed += 1
                case .success(.expired): outcome.expired += 1
                case .success(nil): outcome.unreadable += 1
                case .failure(let fault): outcome.fault = fault
                }
            }
        }
    }

    /// - Returns: the result. A message whose session was removed has expired. `nil`: its session is damaged. This
    ///   process keeps it, so that it does not block others in each batch.
    private func deliver(_ message: OutboundMessage) async throws(EngineFault) -> OutboundMessage.State? {
        let delivery = MessageDelivery(engine: engine)
        let session: Session?
        do { session = try await wanting(message) } catch {
            if case .corrupt = error { return nil }
            engine.stores.outbox.release(message)
            throw EngineFault(error)
        }
        guard let session else {
            _ = try await delivery.finish(message, as: .expired)
            return .expired
        }
        if let failed = try await failure(of: message) {
            await delivery.noteSent(message, failed, of: session)
            return .sent
        }
        // Separate from this task: if that is cancelled, a carrier may still finish the messages it has.
        let sent = await engine.network.sending.run { () async -> Result<OutboundMessage.State, EngineFault> in
            let fault: GatewayFault
            switch await delivery.handOver(message, of: session) {
            case .success(let acceptance):
                await delivery.noteSent(message, acceptance, of: session)
                return .success(.sent)
            case .failure(let refused): fault = refused
            case nil: return .success(.queued)
            }
            // The failure may be caused by the end of this process, not by the carrier. The next process sends the
            // message.
            if Task.isCancelled { return .success(.queued) }
            do throws(EngineFault) {
                _ = try await delivery.finish(message, as: .failed, after: fault)
                return .success(.failed)
            } catch {
                return .failure(error)
            }
        }
        // If the carrier takes long, the result is recorded later.
        return try sent?.get() ?? .queued
    }

    /// The gateway that took the message and reported its failure before its own response was recorded. The receipt
    /// service then sends the message by the next route. `nil`: the message must still be sent.
    private func failure(of message: OutboundMessage) async throws(EngineFault) -> Acceptance? {
        do throws(StorageFault) {
            let standing = try await engine.stores.outbox.standings(of: message.correlationID).first {
                $0.id == message.id
            }
            guard let standing, standing.end != nil else { return nil }
            return Acceptance(gateway: standing.gateway, hasNextRoute: true)
        } catch {
            engine.stores.outbox.release(message)
            throw EngineFault(error)
        }
    }

    /// The session of a message that is still useful; `nil`: it is not useful, or the tenant is revoked (TOK-10).
    private func wanting(_ message: OutboundMessage) async throws(StorageFault) -> Session? {
        guard let session = try await engine.stores.sessions.session(.correlation(message.correlationID), in: .all),
            session.awaits(message.pending, at: engine.now()),
            try await engine.stores.clients.tenants.tenant(session.clientID)?.revokedAt == nil
        else { return nil }
        return session
    }
}
