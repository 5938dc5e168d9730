internal import Locks
package import Possession

/// The sandbox's carrier: keeps messages in memory, where the developer reads them, instead of sending them anywhere.
package final class InMemoryInbox: MessageGateway, SandboxInbox {
    package static let defaultMaxMessages = 10_000
    package static let defaultMaxTextBytes = 16 << 20

    private let log: Locked<MessageLog>
    private let published: @Sendable (PhoneNumber) -> Void

    /// - Parameters:
    ///   - startedAt: Ids grow from this moment in microseconds, so that one from before a restart is older than all.
    ///   - published: Called after each message, with no lock held, by the sender: wakes those who wait for one.
    package init(
        maxMessages: Int = defaultMaxMessages, maxTextBytes: Int = defaultMaxTextBytes,
        startedAt: Timestamp = SystemClock.now(), published: @escaping @Sendable (PhoneNumber) -> Void = { _ in }
    ) {
        let microseconds = UInt64(clamping: startedAt.milliseconds).multipliedReportingOverflow(by: 1000)
        precondition(!microseconds.overflow, "the start lies far outside of time")
        log = Locked(
            MessageLog(maxMessages: maxMessages, maxTextBytes: maxTextBytes, lastNumber: microseconds.partialValue))
        self.published = published
    }

    /// - Throws: `GatewayFault` when the text alone is larger than the whole inbox may be.
    package func send(_ message: OutgoingMessage) async throws(GatewayFault) {
        guard log.withLock({ $0.append(message) }) else {
            throw GatewayFault("the text is larger than the sandbox inbox")
        }
        published(message.to)
    }

    package func messages(to number: PhoneNumber?, after id: String?) -> [SandboxMessage] {
        log.withLock { $0.messages(to: number, after: id) }
    }
}
