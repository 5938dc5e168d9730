internal import CoreMetrics
internal import Logging
internal import Observation
internal import Engine
internal import Possession
internal import Storage

/// Sends messages that a crash or a fault of the store has left, from the start and in the background (DUR-14), and
/// marks those for which no receipt comes.
struct OutboxWorker: Sendable {
    static let families = [
        MetricsRegistry.Family(
            "holdfast_messages_recovered_total", help: "Messages that a crash or a fault had left queued, by outcome.")
    ]

    private static let name = "holdfast_messages_recovered_total"
    /// The time between two checks of the queue.
    private static let interval = Duration.seconds(5)

    private let recovery: MessageRecovery
    private let receipts: ReceiptService
    private let duties: DutiesTable
    private let logger: Logger
    private let sent: any CounterHandler
    private let refused: any CounterHandler
    private let expired: any CounterHandler
    private let unreadable: any CounterHandler

    init(_ engine: Engine, _ duties: DutiesTable, _ registry: MetricsRegistry, _ logger: Logger) {
        recovery = MessageRecovery(engine)
        receipts = ReceiptService(engine)
        self.duties = duties
        self.logger = logger
        func counter(_ outcome: String) -> any CounterHandler {
            registry.makeCounter(label: OutboxWorker.name, dimensions: [("outcome", outcome)])
        }
        sent = counter("sent")
        refused = counter("refused")
        expired = counter("expired")
        unreadable = counter("unreadable")
    }

    /// Works until its task is cancelled. A message that a carrier is processing is finished first.
    func run() async {
        while !Task.isCancelled {
            let outcome = await recovery.deliverSome()
            note(outcome)
            let overdue = await noteOverdue()
            if outcome.isProgress || overdue > 0 { continue }
            do { try await Task.sleep(for: OutboxWorker.interval) } catch { return }
        }
    }

    /// Counts late messages; 0: there are none, or they could not be read.
    private func noteOverdue() async -> Int {
        do {
            guard try await duties.take(.receipts) else { return 0 }
            return try await receipts.noteOverdue()
        } catch {
            logger.warning("overdue receipts were not noted", metadata: ["fault": "\(error)"])
            return 0
        }
    }

    private func note(_ outcome: MessageRecovery.Outcome) {
        sent.increment(by: Int64(outcome.sent))
        refused.increment(by: Int64(outcome.failed))
        expired.increment(by: Int64(outcome.expired))
        unreadable.increment(by: Int64(outcome.unreadable))
        if outcome.sent + outcome.failed + outcome.expired > 0 {
            logger.notice(
                "queued messages were settled",
                metadata: [
                    "sent": "\(outcome.sent)", "refused": "\(outcome.failed)", "expired": "\(outcome.expired)",
                ])
        }
        if outcome.unreadable > 0 {
            logger.error("queued messages are damaged", metadata: ["messages": "\(outcome.unreadable)"])
        }
        if let fault = outcome.fault {
            logger.warning("queued messages were not settled", metadata: ["fault": "\(fault)"])
        }
    }
}
