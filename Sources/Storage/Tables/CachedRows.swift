internal import Locks

/// All rows of a small table, in memory. Transactions run one after another, but their results return in any order. So
/// each reading has a number, and an older reading never replaces a newer one.
struct CachedRows<Row: Sendable>: Sendable {
    struct Reading: Sendable {
        fileprivate let rows: [Row]
        fileprivate let number: Int
    }

    private struct State {
        var rows: [Row] = []
        /// Number of the reading that is in use.
        var number = 0
        /// Number of the newest reading.
        var newest = 0
    }

    private let state = Locked(State())

    var rows: [Row] { state.withLock { $0.rows } }

    /// Numbers a reading. Called in the transaction that has read the rows.
    func reading(_ rows: [Row]) -> Reading {
        state.withLock { state in
            state.newest += 1
            return Reading(rows: rows, number: state.newest)
        }
    }

    /// Uses a reading, once its transaction is durable.
    /// - Returns: its rows.
    @discardableResult
    func use(_ reading: Reading) -> [Row] {
        state.withLock { state in
            if reading.number > state.number { (state.rows, state.number) = (reading.rows, reading.number) }
        }
        return reading.rows
    }
}
