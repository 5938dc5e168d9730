import Possession
import Testing

@testable import Storage

/// Which transactions come next, and which never. Times are in milliseconds here.
@Suite struct TransactionInboxTests {
    private final class Numbered: PendingTransaction, @unchecked Sendable {
        let number: Int

        init(_ number: Int, at milliseconds: UInt64, isLong: Bool = false) {
            self.number = number
            var plan = TransactionPlan()
            plan.isLong = isLong
            super.init(home: nil, submittedAt: milliseconds * 1_000_000, plan: plan)
        }
    }

    private func inbox(_ times: [UInt64], unawaited: [UInt64] = []) -> TransactionInbox {
        var inbox = TransactionInbox()
        let transactions = times.enumerated().map { Numbered($0.offset, at: $0.element) }
        #expect(inbox.take(transactions, room: 100).isEmpty)
        for (index, time) in unawaited.enumerated() { inbox.takeUnawaited(Numbered(100 + index, at: time)) }
        return inbox
    }

    private func next(_ inbox: inout TransactionInbox, at milliseconds: UInt64) -> (batch: [Int], late: [Int])? {
        inbox.next(atMost: 3, now: milliseconds * 1_000_000, longestWait: 1_000_000_000).map {
            ($0.batch.map { ($0 as? Numbered)?.number ?? -1 }, $0.late.map { ($0 as? Numbered)?.number ?? -1 })
        }
    }

    @Test func `takes what there is room for`() {
        var inbox = TransactionInbox()
        let refused = inbox.take((0..<5).map { Numbered($0, at: 1) }, room: 3)
        #expect(refused.map { ($0 as? Numbered)?.number } == [3, 4])
        #expect(inbox.count == 3 && inbox.mostWaiting == 3)
    }

    @Test func `batches come in order`() throws {
        var inbox = inbox([1, 2, 3, 4, 5])
        #expect(try #require(next(&inbox, at: 10)).batch == [0, 1, 2])
        #expect(try #require(next(&inbox, at: 10)).batch == [3, 4])
        #expect(next(&inbox, at: 10) == nil)
    }

    @Test func `late ones are out before the batch is cut, so that it is full`() throws {
        var inbox = inbox([1, 2, 3, 600, 601, 602, 603])
        let found = try #require(next(&inbox, at: 1004))
        #expect(found.late == [0, 1, 2])
        #expect(found.batch.count == 3)
        #expect(inbox.count == 1)
    }

    @Test func `a batch has one long one at most, and no other waits behind the rest`() throws {
        var inbox = TransactionInbox()
        let transactions = (0..<6).map { Numbered($0, at: 1, isLong: $0 == 0 || $0 == 1 || $0 == 4) }
        #expect(inbox.take(transactions, room: 100).isEmpty)
        #expect(try #require(next(&inbox, at: 10)).batch == [0, 2, 3])
        #expect(inbox.take([Numbered(6, at: 9)], room: 100).isEmpty)
        #expect(try #require(next(&inbox, at: 10)).batch == [1, 5, 6])
        #expect(try #require(next(&inbox, at: 10)).batch == [4])
        #expect(next(&inbox, at: 10) == nil)
    }

    @Test func `long ones that are held back for long do not turn the order of the others`() throws {
        var inbox = TransactionInbox()
        let long = (0..<3).map { Numbered($0, at: 1, isLong: true) }
        #expect(inbox.take(long + (3..<8).map { Numbered($0, at: 700) }, room: 100).isEmpty)
        #expect(try #require(next(&inbox, at: 702)).batch == [0, 3, 4])
        #expect(try #require(next(&inbox, at: 703)).batch == [1, 5, 6])
        #expect(try #require(next(&inbox, at: 704)).batch == [2, 7])
    }

    @Test func `late ones are long ones too`() throws {
        var inbox = TransactionInbox()
        let transactions = (0..<4).map { Numbered($0, at: $0 < 2 ? 1 : 900, isLong: true) }
        #expect(inbox.take(transactions, room: 100).isEmpty)
        let found = try #require(next(&inbox, at: 1002))
        #expect(found.late == [0, 1] && found.batch == [2])
        #expect(try #require(next(&inbox, at: 1002)).batch == [3])
    }

    @Test func `when all are late the batch is empty`() throws {
        var inbox = inbox([1, 2])
        let found = try #require(next(&inbox, at: 2000))
        #expect(found.batch == [] && found.late == [0, 1])
        #expect(next(&inbox, at: 2000) == nil)
    }

    @Test func `after a stall the newest come first, in their order`() throws {
        var inbox = inbox([1, 2, 3, 500, 501])
        #expect(try #require(next(&inbox, at: 502)).batch == [2, 3, 4])
        #expect(try #require(next(&inbox, at: 502)).batch == [0, 1])
    }

    @Test func `what is out does not make the rest look old`() throws {
        var inbox = inbox([1, 900, 901, 902, 903])
        let found = try #require(next(&inbox, at: 1002))
        #expect(found.late == [0] && found.batch == [1, 2, 3])
    }

    @Test func `after a stall the notes go with the newest`() throws {
        var inbox = inbox([1, 2, 3, 500, 501], unawaited: [1])
        #expect(try #require(next(&inbox, at: 502)).batch == [100, 3, 4])
        #expect(try #require(next(&inbox, at: 502)).batch == [0, 1, 2])
    }

    @Test func `what nobody waits for goes in front and is never late`() throws {
        var inbox = inbox([2000], unawaited: [1])
        let found = try #require(next(&inbox, at: 2001))
        #expect(found.batch == [100, 0] && found.late == [])
    }
}
