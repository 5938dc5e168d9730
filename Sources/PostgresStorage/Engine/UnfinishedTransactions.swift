internal import Storage

/// Transactions that have not ended, by the number that each got when it was submitted.
struct UnfinishedTransactions {
    typealias Waiter = UnsafeContinuation<Bool, Never>

    var numbers: [ObjectIdentifier: Int] = [:]
    var next = 0
    /// Lanes whose last transaction may still be stored: its COMMIT had no answer, and its caller has a fault. Each
    /// with the oldest number that the transaction may have.
    var unsettled: [Int64: Int] = [:]
    /// A lane has ended before it was settled.
    var isGivenUp = false
    var waiters: [(before: Int, waiter: Waiter)] = []

    mutating func add(_ transaction: PendingTransaction) {
        numbers[ObjectIdentifier(transaction)] = next
        next += 1
    }

    /// - Returns: whether all have ended, if that is known at once; `nil`: the waiter is resumed later.
    mutating func wait(_ waiter: Waiter) -> Bool? {
        if isGivenUp { return false }
        if numbers.isEmpty, unsettled.isEmpty { return true }
        waiters.append((next, waiter))
        return nil
    }

    /// - Returns: the waiters for which it was the last one.
    mutating func remove(_ transaction: PendingTransaction) -> [Waiter] {
        numbers[ObjectIdentifier(transaction)] = nil
        return takeDone()
    }

    /// The transaction that a lane runs may be stored, or not.
    mutating func noteUnsettled(_ lane: Int64) {
        if unsettled[lane] == nil { unsettled[lane] = numbers.values.min() ?? next }
    }

    /// The last transaction of a lane has ended.
    mutating func settle(_ lane: Int64) -> [Waiter] {
        unsettled.removeValue(forKey: lane) == nil ? [] : takeDone()
    }

    /// A lane ends. All waiters have waited in vain if it was not settled.
    mutating func giveUp(_ lane: Int64) -> [Waiter] {
        guard unsettled.removeValue(forKey: lane) != nil else { return [] }
        isGivenUp = true
        defer { waiters = [] }
        return waiters.map(\.waiter)
    }

    private mutating func takeDone() -> [Waiter] {
        guard !waiters.isEmpty else { return [] }
        let oldest = min(numbers.values.min() ?? .max, unsettled.values.min() ?? .max)
        let done = waiters.filter { $0.before <= oldest }
        waiters.removeAll { $0.before <= oldest }
        return done.map(\.waiter)
    }
}
