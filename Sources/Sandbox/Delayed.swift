internal import Possession

/// Messages on their way.
typealias DelayedMessages = Delayed<OutgoingMessage>

/// Items that come later, the next one first; of two that come together the one that was put in first.
struct Delayed<Item> {
    private struct Entry {
        let arrival: Timestamp
        let item: Item
    }

    private var entries: [Entry] = []

    var count: Int { entries.count }
    var nextArrival: Timestamp? { entries.first?.arrival }

    mutating func insert(_ item: Item, arrivingAt arrival: Timestamp) {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = low + (high - low) / 2
            if entries[middle].arrival <= arrival { low = middle + 1 } else { high = middle }
        }
        entries.insert(Entry(arrival: arrival, item: item), at: low)
    }

    /// Takes out what has arrived by `now`.
    mutating func removeArrived(by now: Timestamp) -> [Item] {
        let arrived = entries.prefix { $0.arrival <= now }.map(\.item)
        entries.removeFirst(arrived.count)
        return arrived
    }

    /// Drops the items for which it holds; the dropped ones.
    mutating func remove(_ isGone: (Item) -> Bool) -> [Item] {
        let gone = entries.map(\.item).filter(isGone)
        if !gone.isEmpty { entries.removeAll { isGone($0.item) } }
        return gone
    }

    /// Takes out the next one; `nil`: there is none.
    mutating func removeNext() -> Item? {
        entries.isEmpty ? nil : entries.removeFirst().item
    }
}
