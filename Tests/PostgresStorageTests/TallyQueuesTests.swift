import Locks
import Storage
import Testing

@testable import PostgresStorage

@Suite struct TallyQueuesTests {
    private static func transactions(_ count: Int) -> [PendingTransaction] {
        (0..<count).map { _ in PendingTransaction(home: nil, submittedAt: 0) }
    }

    private let queues = Locked(TallyQueues())

    private func begin(_ tally: [UInt8]) -> Bool { queues.withLock { $0.beginCounting(at: tally) } }

    private func put(_ transaction: PendingTransaction, _ tallies: [[UInt8]]) -> TallyQueues.Place {
        queues.withLock { $0.put(transaction, at: tallies) }
    }

    private func next(_ tally: [UInt8], now: UInt64 = 0) -> [[ObjectIdentifier]]? {
        queues.withLock { queues in
            queues.next(at: tally, atMost: 2, now: now, longestWait: 10).map { taken in
                [taken.batch, taken.late].map { $0.map { ObjectIdentifier($0) } }
            }
        }
    }

    @Test func `a batch has transactions of the same tallies, and each group has its turn`() {
        #expect(begin([1]))
        #expect(!begin([1]))
        #expect(begin([2]))
        let all = Self.transactions(4)
        let ids = all.map { ObjectIdentifier($0) }
        for transaction in all.prefix(3) { #expect(put(transaction, [[1], [2]]) == .waits) }
        #expect(put(all[3], [[1], [3]]) == .waits)
        #expect(queues.withLock(\.count) == 4)
        #expect(next([1]) == [Array(ids[..<2]), []])
        #expect(next([1]) == [[ids[3]], []])
        #expect(next([1], now: 11) == [[], [ids[2]]])
        #expect(next([2]) == nil)
        #expect(next([1]) == nil)
        #expect(queues.withLock(\.count) == 0)
        #expect(put(all[0], [[1]]) == .free)
    }

    @Test func `one transaction too many is refused, and a lane that stops gives all back`() {
        #expect(begin([1]))
        for (place, transaction) in Self.transactions(TallyQueues.mostOfGroup + 1).enumerated() {
            let expected: TallyQueues.Place = place < TallyQueues.mostOfGroup ? .waits : .full
            #expect(put(transaction, [[1], [2]]) == expected)
        }
        // Other tallies are another group.
        for transaction in Self.transactions(2) { #expect(put(transaction, [[1], [3]]) == .waits) }
        let back = queues.withLock { queues in queues.endCounting(at: [1]).map { ObjectIdentifier($0) } }
        #expect(Set(back).count == TallyQueues.mostOfGroup + 2)
        #expect(queues.withLock(\.count) == 0)
        #expect(begin([1]))
    }
}
