package import Engine

/// Transactions that share a commit: one runs after the other, and sees the changes of those before it. The lane that
/// joins them resumes each one.
package final class JoinedTransactions: PendingTransaction, @unchecked Sendable {
    // Sendable: as `PendingTransaction`.

    private let parts: [PendingTransaction]
    private let uptime: @Sendable () -> UInt64
    /// How many have run in the last run: the first ones.
    private var ran = 0
    /// The place of one that was refused in the last run, so that none can be stored.
    package private(set) var refused: Int?

    /// How long the others may run after the first one, in nanoseconds. Meanwhile they keep the rows that they share.
    private static let longestRun: UInt64 = 200_000_000

    /// - Parameter uptime: monotonic nanoseconds.
    package init(_ parts: [PendingTransaction], uptime: @escaping @Sendable () -> UInt64) {
        self.parts = parts
        self.uptime = uptime
        var plan = TransactionPlan()
        plan.isBlind = parts.allSatisfy(\.plan.isBlind)
        plan.isLong = parts.contains(where: \.plan.isLong)
        plan.name = parts.first?.plan.name
        super.init(home: nil, submittedAt: parts.map(\.submittedAt).min() ?? 0, plan: plan)
    }

    override package var count: Int { ran }

    /// Runs as many as the time allows.
    override package func run(on connection: any Connection) -> Bool {
        (ran, refused) = (0, nil)
        var began: UInt64 = 0
        for part in parts {
            if ran == 1 { began = uptime() }
            if ran > 1, uptime() &- began > JoinedTransactions.longestRun { break }
            guard run(part, on: connection) else {
                refused = ran
                return false
            }
            ran += 1
        }
        return true
    }

    private func run(_ part: PendingTransaction, on connection: any Connection) -> Bool {
        if ran > 0 {
            do throws(StorageFault) { try connection.beginFurtherPart(part.plan) } catch { return false }
        }
        return part.run(on: connection)
    }

    override package func fail(_ fault: StorageFault) {}

    override package func resume() {}
}
