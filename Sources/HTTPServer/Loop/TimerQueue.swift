/// Scheduled work, earliest first: a binary heap. Confined to one loop.
struct TimerQueue {
    private struct Entry {
        let at: UInt64
        let token: TimerToken
    }

    private var heap: [Entry] = []
    private var cancelled = 0

    /// The earliest time, in monotonic nanoseconds.
    var earliest: UInt64? { heap.first?.at }
    var count: Int { heap.count - cancelled }

    mutating func add(_ token: TimerToken, at time: UInt64) {
        heap.append(Entry(at: time, token: token))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].at < heap[parent].at else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes and returns the next due entry. Drops cancelled entries on the way.
    mutating func popDue(at now: UInt64) -> TimerToken? {
        while let first = heap.first, first.at <= now || first.token.isSpent {
            removeFirst()
            if !first.token.isSpent { return first.token }
            cancelled -= 1
        }
        return nil
    }

    /// Records that an entry was cancelled. When most are cancelled, they are removed, so that waits that end early
    /// (long polls) do not accumulate until their deadlines.
    mutating func noteCancelled() {
        cancelled += 1
        guard cancelled > 64, cancelled > heap.count / 2 else { return }
        let live = heap.filter { !$0.token.isSpent }
        heap.removeAll(keepingCapacity: true)
        cancelled = 0
        for entry in live { add(entry.token, at: entry.at) }
    }

    private mutating func removeFirst() {
        let last = heap.removeLast()
        guard !heap.isEmpty else { return }
        heap[0] = last
        var parent = 0
        while true {
            var smallest = parent
            for child in (2 * parent + 1)...(2 * parent + 2) where child < heap.count {
                if heap[child].at < heap[smallest].at { smallest = child }
            }
            guard smallest != parent else { return }
            heap.swapAt(parent, smallest)
            parent = smallest
        }
    }
}

/// Cancels one piece of scheduled work. Cancelling after it ran does nothing.
package final class TimerToken: @unchecked Sendable {
    // Sendable: `work` is confined to the loop; a cancel from another thread is posted there.
    private let loop: EventLoop
    private var work: (@Sendable () -> Void)?

    init(loop: EventLoop, work: @escaping @Sendable () -> Void) {
        self.loop = loop
        self.work = work
    }

    var isSpent: Bool { work == nil }

    package func cancel() {
        guard loop.isCurrent else {
            loop.post { self.cancel() }
            return
        }
        guard work != nil else { return }
        work = nil
        loop.timerWasCancelled()
    }

    func fire() {
        let work = work
        self.work = nil
        work?()
    }
}
