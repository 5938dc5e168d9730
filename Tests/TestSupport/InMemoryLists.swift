import Locks
package import Possession

/// Notices, lists, sender names and test numbers of tenants, in memory.
package final class InMemoryLists: ConnectionNoticeStore, NumberListStore, SenderNameStore, TestNumberStore {
    private struct ListKey: Hashable {
        let tenant: ClientID
        let list: NumberList
    }

    private let notices = Locked<[ClientID: [UInt64: ConnectionNotice]]>([:])
    private let lists = Locked<[ListKey: [ListedNumber]]>([:])
    private let senders = Locked<[ClientID: [SenderName]]>([:])
    private let tests = Locked<[TestNumber]>([])

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
        return Array(all.sorted { $0.since > $1.since }.prefix(NumberList.mostTold))
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
}
