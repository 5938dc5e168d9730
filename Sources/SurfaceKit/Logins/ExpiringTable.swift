package import Possession
internal import Text

/// Values by name for a while; a full table forgets the oldest. An insertion takes constant time on average.
///
/// It is no memory of what was used: a flood makes it forget. `UsedAssertions` is one.
package struct ExpiringTable<Value> {
    private struct Entry {
        let value: Value
        let expiresAt: Timestamp
        let order: UInt64
    }

    private let capacity: Int
    private var entries: [ByteText: Entry] = [:]
    /// Names in the order in which they were inserted, from `first` on. A name that was inserted again or removed is there
    /// with the order of a former entry, and is passed over.
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

    /// The value, unless its time is over; it is gone either way.
    package mutating func remove(_ name: String, at now: Timestamp) -> Value? {
        guard let entry = entries.removeValue(forKey: ByteText(name)), now < entry.expiresAt else { return nil }
        return entry.value
    }

    /// The entry that was inserted first. What stands before it in the queue is passed over.
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

    /// Lets what was passed over go once it is half of the queue; and names that were inserted again, once they are.
    private mutating func compact() {
        guard queue.count > 2 * capacity + 16 else { return }
        queue = queue[first...].filter { entries[$0.name]?.order == $0.order }
        first = 0
    }
}
