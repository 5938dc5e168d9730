/// Delivers the messages that nobody has in hand: those of a process that ended between its commit and its carrier, and
/// those whose outcome could not be stored (DUR-14).
///
///     while await !recovery.deliverSome().isNothing {}
package struct MessageRecovery: Sendable {
    /// Messages taken at a time: what a process that ends loses at most until the next one starts.
    static let batch = 64
    /// So many wait for the carrier at the same time.
    static let together = 8

    let engine: Engine

    package init(_ engine: Engine) {
        self.engine = engine
    }

    /// Outcome of a batch: the number of its messages by what became of them.
    package struct Outcome: Sendable, Equatable {
        package var sent = 0
        /// Refused by the carrier, and given back.
        package var failed = 0
        /// Too late to be of use, and given back.
        package var expired = 0
        /// Damaged: neither sent nor given back.
        package var unreadable = 0
        /// Why some could not be settled. They can be taken again.
        package var fault: EngineFault?

        package init() {}

        package var isNothing: Bool { self == Outcome() }
        /// Whether a next look is best taken at once.
        package var isProgress: Bool { sent + failed + expired > 0 }
    }

    /// Takes some messages, and sends those that are of use still.
    ///
    /// When its task is cancelled it lets the carrier finish with those under way and begins no other: the rest stays
    /// queued for the next process.
    package func deliverSome() async -> Outcome {
        var outcome = Outcome()
        do throws(StorageFault) {
            let taken = try await engine.outbox.takeQueued(limit: Self.batch)
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

    /// - Returns: what became of it. One whose session is gone has expired. `nil`: its session is damaged. It stays in this
    ///   process's hands, so that it does not stand in the way of others at each look.
    private func deliver(_ message: OutboundMessage) async throws(EngineFault) -> OutboundMessage.State? {
        let delivery = MessageDelivery(engine: engine)
        let session: Session?
        do { session = try await wanting(message) } catch {
            if case .corrupt = error { return nil }
            engine.outbox.release(message)
            throw EngineFault(error)
        }
        guard let session else {
            _ = try await delivery.settle(message, as: .expired)
            return .expired
        }
        if let failed = try await failure(of: message) {
            await delivery.noteSent(message, failed, of: session)
            return .sent
        }
        // Beside this task: when that is cancelled, a carrier may still finish with what it has in hand.
        let sent = await engine.sending.run { () async -> Result<OutboundMessage.State, EngineFault> in
            let fault: GatewayFault
            switch await delivery.handOver(message, of: session) {
            case .success(let acceptance):
                await delivery.noteSent(message, acceptance, of: session)
                return .success(.sent)
            case .failure(let refused): fault = refused
            }
            // The end of this process may be why. It is no word of the carrier's, and the next one sends the message.
            if Task.isCancelled { return .success(.queued) }
            do throws(EngineFault) {
                _ = try await delivery.settle(message, as: .failed, after: fault)
                return .success(.failed)
            } catch {
                return .failure(error)
            }
        }
        // A carrier that takes long settles it later.
        return try sent?.get() ?? .queued
    }

    /// The gateway that has taken the message and told that it failed, where it did so before its own answer was noted;
    /// the receipt service then sends the message by the next route. `nil`: the message has yet to be sent.
    private func failure(of message: OutboundMessage) async throws(EngineFault) -> Acceptance? {
        do throws(StorageFault) {
            let standing = try await engine.outbox.standings(of: message.correlationID).first { $0.id == message.id }
            guard let standing, standing.end != nil else { return nil }
            return Acceptance(gateway: standing.gateway, hasNextRoute: true)
        } catch {
            engine.outbox.release(message)
            throw EngineFault(error)
        }
    }

    /// The session of a message that is of use still; `nil`: it is of none, or the tenant may no longer call (TOK-10).
    private func wanting(_ message: OutboundMessage) async throws(StorageFault) -> Session? {
        guard let session = try await engine.sessions.session(.correlation(message.correlationID), in: .all),
            session.awaits(message.pending, at: engine.now()),
            try await engine.tenants.tenant(session.clientID)?.revokedAt == nil
        else { return nil }
        return session
    }
}
