package import Possession
internal import Text

/// Values by name, each with an expiry. A full table drops the oldest value. An insertion takes constant time on
/// average.
///
/// Do not use it to remember used values: a flood would make it drop them. Use `UsedAssertions`.
package struct ExpiringTable<Value> {
    private struct Entry {
        let value: Value
        let expiresAt: Timestamp
        let order: UInt64
    }

    private let capacity: Int
    private var entries: [ByteText: Entry] = [:]
    /// Names in the order of their insertion; the live part begins at `first`. If a name is inserted again or removed,
    /// its earlier entry stays here with an outdated order and is skipped.
    private var queue: [(name: ByteText, order: UInt64)] = []
    private var first = 0
    private var nextOrder: UInt64 = 0

    package init(capacity: Int) {
        self.capacity = capacity
    }

    package mutating func insert(_ value: Value, for name: String, until end: Timestamp, at now: Timestamp) {
        let name = ByteText(name)
        entries[name] = Entry(value: value, expiresAt: end, order: nextOrder)
        queue.append((name, nextOrder))
        nextOrder += 1
        while let entry = oldest, entries.count > capacity || now >= entry.expiresAt { removeOldest() }
        compact()
    }

    package func contains(_ name: String, at now: Timestamp) -> Bool {
        entries[ByteText(name)].map { now < $0.expiresAt } ?? false
    }

    /// Removes a name. Returns its value unless that has expired.
    package mutating func remove(_ name: String, at now: Timestamp) -> Value? {
        guard let entry = entries.removeValue(forKey: ByteText(name)), now < entry.expiresAt else { return nil }
        return entry.value
    }

    /// The oldest live entry. Outdated entries before it are skipped.
    private var oldest: Entry? {
        mutating get {
            while first < queue.count {
                let next = queue[first]
                if let entry = entries[next.name], entry.order == next.order { return entry }
                first += 1
            }
            return nil
        }
    }

    private mutating func removeOldest() {
        entries[queue[first].name] = nil
        first += 1
    }

    /// Drops skipped and outdated entries once the queue has more than twice as many entries as the table may have.
    private mutating func compact() {
        guard queue.count > 2 * capacity + 16 else { return }
        queue = queue[first...].filter { entries[$0.name]?.order == $0.order }
        first = 0
    }
}
