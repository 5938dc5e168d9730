internal import Clocks
internal import Locks
internal import Engine
package import Possession

/// The destination of the sandbox's messages: they are kept in memory, where the developer can read them, instead of
/// being sent.
package final class InMemoryInbox: MessageGateway, SandboxInbox {
    package static let defaultMaxMessages = 10_000
    package static let defaultMaxTextBytes = 16 << 20

    private let log: Locked<MessageLog>
    private let now: Now
    private let published: @Sendable (Target) -> Void

    /// - Parameters:
    ///   - startedAt: IDs grow from this time in microseconds, so that an ID from before a restart is older than all
    ///     others.
    ///   - now: The sandbox clock, by which delayed messages arrive.
    ///   - published: Called by the sender for each accepted message, delayed or not, without a lock. Wakes the callers
    ///     that wait for a message, to read it or to wait for its arrival.
    package init(
        maxMessages: Int = defaultMaxMessages, maxTextBytes: Int = defaultMaxTextBytes,
        startedAt: Timestamp = SystemClock.now(), now: @escaping Now,
        published: @escaping @Sendable (Target) -> Void = { _ in }
    ) {
        let microseconds = UInt64(clamping: startedAt.milliseconds).multipliedReportingOverflow(by: 1000)
        precondition(!microseconds.overflow, "the start lies far outside of time")
        log = Locked(
            MessageLog(maxMessages: maxMessages, maxTextBytes: maxTextBytes, lastNumber: microseconds.partialValue))
        self.now = now
        self.published = published
    }

    /// - Throws: `GatewayFault` when the text is larger than the whole inbox may be.
    @discardableResult
    package func send(_ message: OutgoingMessage) async throws(GatewayFault) -> Acceptance {
        try send(message, delaySeconds: 0)
        return Acceptance()
    }

    /// Accepts a message that arrives `delaySeconds` from now. A repeated message, recognized by its ID, is not stored
    /// twice.
    ///
    /// - Throws: `GatewayFault` when the text is larger than the whole inbox may be.
    package func send(_ message: OutgoingMessage, delaySeconds: Int) throws(GatewayFault) {
        let now = now()
        let arrival = delaySeconds > 0 ? now.adding(.seconds(delaySeconds)) : nil
        let isTaken = log.withLock { log in
            log.release(by: now)
            return log.append(message, arrivingAt: arrival)
        }
        guard isTaken else { throw GatewayFault("the text is larger than the sandbox inbox") }
        published(message.to)
    }

    package func messages(to target: Target?, after id: String?) -> [SandboxMessage] {
        let now = now()
        return log.withLock { log in
            log.release(by: now)
            return log.messages(to: target, after: id)
        }
    }

    package func forget(_ target: Target, of sessions: Set<CorrelationID>?) -> Int {
        log.withLock { $0.forget { $0 == target && sessions?.contains($1) != false } }
    }

    package var untilNextArrival: Duration? {
        guard let arrival = log.withLock({ $0.nextArrival }) else { return nil }
        return .milliseconds(max(0, arrival.milliseconds - now().milliseconds))
    }
}
