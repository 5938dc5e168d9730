internal import Possession

/// The newest messages, up to a number of messages and of bytes of text; older ones are dropped. Messages that have not
/// arrived yet count too, and are dropped last.
///
/// A message gets its ID when it arrives: the previous number plus one, in decimal.
struct MessageLog {
    private struct Entry {
        let number: UInt64
        let key: MessageID
        let size: Int
        let message: SandboxMessage
    }

    private let maxMessages: Int
    private let maxTextBytes: Int
    private var entries: [Entry] = []
    /// Entries before this index are dropped. They are removed from the array together once they are half of it, so
    /// that a drop costs little.
    private var start = 0
    private var delayed = DelayedMessages()
    /// The idempotency keys of the stored messages, arrived or not.
    private var keys: Set<MessageID> = []
    private var textBytes = 0
    private var lastNumber: UInt64

    /// - Parameter lastNumber: the first message gets the next one.
    init(maxMessages: Int, maxTextBytes: Int, lastNumber: UInt64) {
        precondition(maxMessages > 0 && maxTextBytes > 0, "a log has room for a message")
        self.maxMessages = maxMessages
        self.maxTextBytes = maxTextBytes
        self.lastNumber = lastNumber
    }

    /// When the next message arrives that has not arrived yet.
    var nextArrival: Timestamp? { delayed.nextArrival }

    /// Stores a message that arrives now, or later at `arrival`. One that is already stored is ignored. Returns
    /// `false`, and changes nothing, when its text is larger than the whole log may be.
    mutating func append(_ sent: OutgoingMessage, arrivingAt arrival: Timestamp? = nil) -> Bool {
        let size = Self.size(of: sent)
        guard size <= maxTextBytes else { return false }
        guard keys.insert(sent.id).inserted else { return true }
        makeRoom(for: size)
        textBytes += size
        if let arrival { delayed.insert(sent, arrivingAt: arrival) } else { deliver(sent) }
        return true
    }

    /// Moves the messages that are due by `now` into the log.
    mutating func release(by now: Timestamp) {
        guard let next = delayed.nextArrival, next <= now else { return }
        for sent in delayed.removeArrived(by: now) { deliver(sent) }
    }

    /// Messages newer than `id`, oldest first; all messages if `id` was never used here.
    func messages(to target: Target?, after id: String?) -> [SandboxMessage] {
        entries[firstIndex(after: id)...].lazy.map(\.message).filter { target == nil || $0.to == target }
    }

    /// Drops messages, arrived or not, for whose target and session `isGone` is true; returns how many. IDs of other
    /// messages do not change.
    mutating func forget(_ isGone: (Target, CorrelationID) -> Bool) -> Int {
        let before = entries.count - start
        entries.removeFirst(start)
        start = 0
        let gone = entries.filter { isGone($0.message.to, $0.message.correlationID) }
        keys.subtract(gone.map(\.key))
        entries.removeAll { isGone($0.message.to, $0.message.correlationID) }
        let onTheirWay = delayed.remove { isGone($0.to, $0.correlationID) }
        keys.subtract(onTheirWay.map(\.id))
        textBytes -= gone.reduce(0) { $0 + $1.size } + onTheirWay.reduce(0) { $0 + Self.size(of: $1) }
        return before - entries.count + onTheirWay.count
    }

    private mutating func deliver(_ sent: OutgoingMessage) {
        lastNumber += 1
        let message = SandboxMessage(
            id: String(lastNumber), to: sent.to, channel: sent.channel, subject: sent.forms[0].subject, text: sent.text,
            code: sent.code?.text, link: sent.link, correlationID: sent.correlationID, sentAt: sent.sentAt)
        entries.append(Entry(number: lastNumber, key: sent.id, size: Self.size(of: sent), message: message))
    }

    /// An ID of a dropped message still shows which messages are newer, because IDs only grow.
    private func firstIndex(after id: String?) -> Int {
        guard let id, let number = UInt64(id), number <= lastNumber else { return start }
        var low = start
        var high = entries.count
        while low < high {
            let middle = low + (high - low) / 2
            if entries[middle].number <= number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    // MARK: Limits

    private static func size(of message: OutgoingMessage) -> Int {
        message.text.utf8.count + (message.forms[0].subject?.utf8.count ?? 0) + (message.link?.utf8.count ?? 0)
    }

    private mutating func makeRoom(for size: Int) {
        while entries.count - start + delayed.count >= maxMessages || textBytes > maxTextBytes - size { dropOldest() }
    }

    private mutating func dropOldest() {
        guard start < entries.count else {
            guard let next = delayed.removeNext() else { return }
            textBytes -= Self.size(of: next)
            keys.remove(next.id)
            return
        }
        textBytes -= entries[start].size
        keys.remove(entries[start].key)
        start += 1
        guard start * 2 >= entries.count else { return }
        entries.removeFirst(start)
        start = 0
    }
}
