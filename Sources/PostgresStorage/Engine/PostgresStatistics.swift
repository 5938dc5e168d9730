package import Storage

/// Counts of the lanes since the start.
package struct PostgresStatistics: Sendable {
    /// Why a transaction ran again.
    package enum RunAgain: String, Sendable, CaseIterable {
        /// It waited for a transaction that waited for it.
        case deadlock
        /// Another one inserted, or removed, the row that it had looked for.
        case claim
        /// The connection was lost.
        case connection
        /// Another transaction of this server counted at the same tally.
        case tally
        /// It was to share a commit with one that was refused.
        case joined
    }

    package var lanes = 0
    /// Lanes that run a transaction now.
    package var busyLanes = 0
    /// Transactions that were stored; a read changes nothing and is not counted.
    package var transactions = 0
    /// Some transactions share a commit.
    package var commits = 0
    /// Time from BEGIN to the answer of COMMIT, of all commits.
    package var transactionNanoseconds: UInt64 = 0
    /// Time from COMMIT to its answer, of all commits.
    package var commitNanoseconds: UInt64 = 0
    package var reads = 0
    /// How often a lane sent statements and waited for their results, in the transactions that were finished.
    package var exchanges = 0
    package var rolledBack = 0
    package var runsAgain: [RunAgain: Int] = [:]
    package var refusals: [WriteRefusal: Int] = [:]
    /// Sum over all reasons.
    package var refused: Int { refusals.values.reduce(0, +) }
    /// Connections made, and those that were lost.
    package var connections = 0
    package var lostConnections = 0
    /// Transactions whose COMMIT had no answer, and that the row of their lane has settled.
    package var settledCommits = 0
    /// Why the last try to connect failed; `nil`: a lane has connected or stored something since.
    package var reasonUnreachable: String?
    /// Transactions that wait now, and the maximum so far.
    package var waiting = 0
    package var mostWaiting = 0
    /// How long a transaction takes, in nanoseconds: a mean that follows the last ones.
    var pace: UInt64 = 0

    /// Adds a commit.
    /// - Parameter count: the transactions that it stored.
    mutating func count(_ count: Int, in nanoseconds: UInt64, commit: UInt64) {
        transactions += count
        commits += 1
        transactionNanoseconds += nanoseconds
        commitNanoseconds += commit
        let each = nanoseconds / UInt64(max(1, count))
        pace = pace == 0 ? each : (pace * 7 + each) / 8
    }
}
