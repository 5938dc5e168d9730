import Locks
package import Engine
package import Possession

/// Notices, lists, sender names, test numbers and refused calls of tenants, in memory.
package final class InMemoryLists:
    ConnectionNoticeStore, NumberListStore, SenderNameStore, TestNumberStore, RefusedStartStore
{
    private struct ListKey: Hashable {
        let tenant: ClientID
        let list: NumberList
    }

    private let notices = Locked<[ClientID: [UInt64: ConnectionNotice]]>([:])
    private let lists = Locked<[ListKey: [ListedNumber]]>([:])
    private let senders = Locked<[ClientID: [SenderName]]>([:])
    private let tests = Locked<[TestNumber]>([])
    /// Oldest first.
    private let starts = Locked<[ClientID: [RefusedStart]]>([:])

    package init() {}

    package func note(_ notice: ConnectionNotice) async throws(StorageFault) {
        notices.withLock { notices in
            let earlier = notices[notice.tenant]?[notice.place]
            notices[notice.tenant, default: [:]][notice.place] = notice.after(earlier)
        }
    }

    package func notice(_ id: NoticeID, of tenant: ClientID) async throws(StorageFault) -> ConnectionNotice? {
        notices.withLock { $0[tenant]?[ConnectionNotice.place(of: id)] }.flatMap { $0.id == id ? $0 : nil }
    }

    package func numbers(_ list: NumberList, of tenant: ClientID) async throws(StorageFault) -> [ListedNumber] {
        let all = lists.withLock { $0[ListKey(tenant: tenant, list: list)] ?? [] }
        return Array(all.sorted { $0.since > $1.since }.prefix(NumberList.mostRead))
    }

    package func contains(
        _ number: PhoneNumber, _ list: NumberList, of tenant: ClientID
    ) async throws(StorageFault) -> Bool {
        lists.withLock { $0[ListKey(tenant: tenant, list: list)] ?? [] }.contains { $0.number == number }
    }

    package func add(
        _ number: PhoneNumber, to list: NumberList, of tenant: ClientID, at now: Timestamp
    ) async throws(StorageFault) -> Bool {
        lists.withLock { lists in
            let key = ListKey(tenant: tenant, list: list)
            let all = lists[key] ?? []
            if all.contains(where: { $0.number == number }) { return true }
            guard all.count < NumberList.most else { return false }
            lists[key] = all + [ListedNumber(number, since: now)]
            return true
        }
    }

    package func remove(
        _ number: PhoneNumber, from list: NumberList, of tenant: ClientID
    ) async throws(StorageFault) {
        lists.withLock { $0[ListKey(tenant: tenant, list: list)]?.removeAll { $0.number == number } }
    }

    package func names(of tenant: ClientID) async throws(StorageFault) -> [SenderName] {
        senders.withLock { $0[tenant] ?? [] }
    }

    package func add(_ name: SenderName, of tenant: ClientID, at now: Timestamp) async throws(StorageFault) -> Bool {
        senders.withLock { senders in
            let all = senders[tenant] ?? []
            if all.contains(name) { return true }
            guard all.count < SenderName.most else { return false }
            senders[tenant] = all + [name]
            return true
        }
    }

    package var testNumbers: [TestNumber] { tests.withLock { $0 } }

    package func add(_ entry: TestNumber, at now: Timestamp) async throws(StorageFault) -> Bool {
        let isTaken = tests.withLock { tests -> Bool? in
            tests.removeAll { now >= $0.endsAt }
            if tests.contains(where: { $0.number == entry.number }) { return true }
            guard tests.count < TestNumber.most else { return nil }
            tests.append(entry)
            return false
        }
        if isTaken == true { throw .duplicate }
        return isTaken != nil
    }

    package func removeTestNumber(_ number: PhoneNumber) async throws(StorageFault) -> Bool {
        tests.withLock { tests in
            let before = tests.count
            tests.removeAll { $0.number == number }
            return tests.count < before
        }
    }

    package func note(_ start: RefusedStart, of tenant: ClientID) async throws(StorageFault) {
        starts.withLock { starts in
            var all = (starts[tenant] ?? []) + [start]
            all.sort { $0.id.bits < $1.id.bits }
            let count = all.count { $0.product == start.product }
            if count > RefusedStart.most, let oldest = all.firstIndex(where: { $0.product == start.product }) {
                all.remove(at: oldest)
            }
            starts[tenant] = all
        }
    }

    package func refusedStarts(
        of tenant: ClientID, product: ProductName, number: PhoneNumber?, before: CorrelationID?, most: Int
    ) async throws(StorageFault) -> [RefusedStart] {
        let all = starts.withLock { $0[tenant] ?? [] }
        let found = all.reversed().filter { start in
            start.product == product && number.map { $0 == start.number } ?? true
                && before.map { start.id.bits < $0.bits } ?? true
        }
        return Array(found.prefix(max(0, most)))
    }

    package func refusedStart(
        _ id: CorrelationID, of tenant: ClientID, product: ProductName
    ) async throws(StorageFault) -> RefusedStart? {
        starts.withLock { $0[tenant]?.first { $0.id == id && $0.product == product } }
    }

    package func sweepRefusedStarts(before end: Timestamp) async throws(StorageFault) -> Int {
        starts.withLock { starts in
            let before = starts.values.reduce(0) { $0 + $1.count }
            for tenant in starts.keys { starts[tenant]?.removeAll { $0.id.createdAt < end } }
            return before - starts.values.reduce(0) { $0 + $1.count }
        }
    }
}
