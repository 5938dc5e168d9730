/// The events to come in virtual time: a binary heap. Events of one moment come in the order in which they were added.
struct EventQueue<Event: Sendable>: Sendable {
    private struct Entry: Sendable {
        let at: Int64
        let order: Int
        let event: Event

        func isBefore(_ other: Entry) -> Bool { at != other.at ? at < other.at : order < other.order }
    }

    private var heap: [Entry] = []
    private var added = 0

    /// When the next event is due.
    var nextAt: Int64? { heap.first?.at }

    mutating func add(_ event: Event, at: Int64) {
        added += 1
        heap.append(Entry(at: at, order: added, event: event))
        var place = heap.count - 1
        while place > 0, heap[place].isBefore(heap[(place - 1) / 2]) {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    mutating func removeFirst() -> (at: Int64, event: Event)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sinkFirst()
        }
        return (first.at, first.event)
    }

    private mutating func sinkFirst() {
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count && heap[child].isBefore(heap[least]) {
                least = child
            }
            guard least != place else { return }
            heap.swapAt(place, least)
            place = least
        }
    }
}
