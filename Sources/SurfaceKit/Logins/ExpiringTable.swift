package import Possession
internal import Text

/// Values by name for a while; a full table forgets the oldest.
package struct ExpiringTable<Value> {
    private struct Entry {
        let value: Value
        let expiresAt: Timestamp
        let order: UInt64
    }

    private let capacity: Int
    private var entries: [ByteText: Entry] = [:]
    private var nextOrder: UInt64 = 0

    package init(capacity: Int) {
        self.capacity = capacity
    }

    package mutating func insert(_ value: Value, for name: String, until end: Timestamp, at now: Timestamp) {
        if entries.count >= capacity {
            entries = entries.filter { now < $0.value.expiresAt }
            if entries.count >= capacity, let oldest = entries.min(by: { $0.value.order < $1.value.order }) {
                entries[oldest.key] = nil
            }
        }
        entries[ByteText(name)] = Entry(value: value, expiresAt: end, order: nextOrder)
        nextOrder += 1
    }

    package func contains(_ name: String, at now: Timestamp) -> Bool {
        entries[ByteText(name)].map { now < $0.expiresAt } ?? false
    }

    /// The value, unless its time is over; it is gone either way.
    package mutating func remove(_ name: String, at now: Timestamp) -> Value? {
        guard let entry = entries.removeValue(forKey: ByteText(name)), now < entry.expiresAt else { return nil }
        return entry.value
    }
}
