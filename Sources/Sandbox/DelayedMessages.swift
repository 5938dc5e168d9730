internal import Possession

/// Messages on their way, the next one to arrive first; of two that arrive together the one sent first.
struct DelayedMessages {
    private struct Entry {
        let arrival: Timestamp
        let message: OutgoingMessage
    }

    private var entries: [Entry] = []

    var count: Int { entries.count }
    var nextArrival: Timestamp? { entries.first?.arrival }

    mutating func insert(_ message: OutgoingMessage, arrivingAt arrival: Timestamp) {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = low + (high - low) / 2
            if entries[middle].arrival <= arrival { low = middle + 1 } else { high = middle }
        }
        entries.insert(Entry(arrival: arrival, message: message), at: low)
    }

    /// Takes out what has arrived by `now`.
    mutating func removeArrived(by now: Timestamp) -> [OutgoingMessage] {
        let arrived = entries.prefix { $0.arrival <= now }.map(\.message)
        entries.removeFirst(arrived.count)
        return arrived
    }

    /// Drops the messages for which it holds; the dropped ones.
    mutating func remove(_ isGone: (OutgoingMessage) -> Bool) -> [OutgoingMessage] {
        let gone = entries.map(\.message).filter(isGone)
        if !gone.isEmpty { entries.removeAll { isGone($0.message) } }
        return gone
    }

    /// Takes out the next one; `nil`: there is none.
    mutating func removeNext() -> OutgoingMessage? {
        entries.isEmpty ? nil : entries.removeFirst().message
    }
}
