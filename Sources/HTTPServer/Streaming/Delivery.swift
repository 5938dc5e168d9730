/// Checks that the peer of a stream takes the bytes given to the kernel.
///
/// The kernel's buffer holds hours of small events. A peer that reads nothing, or has silently disappeared, would
/// therefore not cause a blocked output. It gets the same term as for a blocked output to take all bytes, or enough of
/// them (HTTP-31).
struct Delivery {
    private(set) var due = UInt64.max
    private let transport: ConnectionTransport
    private let term: UInt64
    /// Bytes that the kernel held when the term began, and bytes added since.
    private var held = 0
    private var added = 0

    init(_ transport: ConnectionTransport, term: Duration) {
        self.transport = transport
        self.term = term.wholeNanoseconds
    }

    mutating func handedOver(_ count: Int, at now: UInt64) {
        added += count
        if count > 0, due == .max { begin(transport.undeliveredBytes, now) }
    }

    mutating func isTaken(at now: UInt64) -> Bool {
        guard due <= now else { return true }
        let left = transport.undeliveredBytes
        let taken = held + added - left
        guard left == 0 || taken >= min(held, Deadlines.progressBytes) else { return false }
        begin(left, now)
        return true
    }

    private mutating func begin(_ left: Int, _ now: UInt64) {
        held = left
        added = 0
        due = left == 0 ? .max : now + term
    }
}
