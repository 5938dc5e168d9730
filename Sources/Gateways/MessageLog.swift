internal import Possession

/// The newest messages, within a number of messages and a number of bytes of text; older ones are dropped.
///
/// A message's id is a number one higher than the one before it, in decimal.
struct MessageLog {
    private struct Entry {
        let number: UInt64
        let message: SandboxMessage
    }

    private let maxMessages: Int
    private let maxTextBytes: Int
    private var entries: [Entry] = []
    /// Entries before it are dropped. They leave the array in one go once they are half of it, so that a drop costs
    /// little.
    private var start = 0
    private var textBytes = 0
    private var lastNumber: UInt64

    /// - Parameter lastNumber: the first message gets the next one.
    init(maxMessages: Int, maxTextBytes: Int, lastNumber: UInt64) {
        precondition(maxMessages > 0 && maxTextBytes > 0, "a log has room for a message")
        self.maxMessages = maxMessages
        self.maxTextBytes = maxTextBytes
        self.lastNumber = lastNumber
    }

    /// `false`, and nothing changes, when the text alone is larger than the whole log may be.
    mutating func append(_ sent: OutgoingMessage) -> Bool {
        let size = sent.text.utf8.count
        guard size <= maxTextBytes else { return false }
        while entries.count - start >= maxMessages || textBytes > maxTextBytes - size { dropOldest() }
        lastNumber += 1
        let message = SandboxMessage(
            id: String(lastNumber), to: sent.to, channel: sent.channel, text: sent.text, code: sent.code?.text,
            correlationID: sent.correlationID, sentAt: sent.sentAt)
        entries.append(Entry(number: lastNumber, message: message))
        textBytes += size
        return true
    }

    /// What is newer than `id`, oldest first; everything if that was never the id of a message here.
    func messages(to number: PhoneNumber?, after id: String?) -> [SandboxMessage] {
        entries[firstIndex(after: id)...].lazy.map(\.message).filter { number == nil || $0.to == number }
    }

    /// Ids of dropped messages still tell what is newer, because ids only grow.
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

    private mutating func dropOldest() {
        textBytes -= entries[start].message.text.utf8.count
        start += 1
        guard start * 2 >= entries.count else { return }
        entries.removeFirst(start)
        start = 0
    }
}
