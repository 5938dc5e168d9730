package import Engine

/// Blind transactions that share a commit. The lane that joins them resumes each one.
package final class JoinedTransactions: PendingTransaction, @unchecked Sendable {
    // Sendable: as `PendingTransaction`.

    private let parts: [PendingTransaction]
    /// All of them ran, and nothing was refused since.
    package private(set) var isDone = false

    package init(_ parts: [PendingTransaction]) {
        self.parts = parts
        var plan = TransactionPlan()
        plan.isBlind = true
        super.init(home: nil, submittedAt: parts.map(\.submittedAt).min() ?? 0, plan: plan)
    }

    override package var count: Int { parts.count }

    override package func run(on connection: any Connection) -> Bool {
        isDone = parts.allSatisfy { $0.run(on: connection) }
        return isDone
    }

    override package func fail(_ fault: StorageFault) { isDone = false }

    override package func resume() {}
}
