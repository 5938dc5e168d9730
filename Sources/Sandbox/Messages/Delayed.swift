internal import Possession

/// Messages that have not arrived yet.
typealias DelayedMessages = Delayed<OutgoingMessage>

/// Items that arrive later, the next one first; of two with the same time, the one that was added first.
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

    /// Removes and returns the items that have arrived by `now`.
    mutating func removeArrived(by now: Timestamp) -> [Item] {
        let arrived = entries.prefix { $0.arrival <= now }.map(\.item)
        entries.removeFirst(arrived.count)
        return arrived
    }

    /// Removes and returns the items for which `isGone` is true.
    mutating func remove(_ isGone: (Item) -> Bool) -> [Item] {
        let gone = entries.map(\.item).filter(isGone)
        if !gone.isEmpty { entries.removeAll { isGone($0.item) } }
        return gone
    }

    /// Removes and returns the next item; `nil`: there is none.
    mutating func removeNext() -> Item? {
        entries.isEmpty ? nil : entries.removeFirst().item
    }
}
