package import Possession

/// A tally as its row keeps it. It names nobody, so it is not sealed.
///
/// Fixed widths, because it is written for every message and guess: version, failures in a row (4 bytes), the last of them
/// (8), the end of a stop (8; 0: none), then each entry as moment (8), count (4) and tag (2); most significant byte first.
extension LimitTally {
    private static let column: StaticString = "limit_counts.tally"
    private static let version: UInt8 = 1
    private static let headLength = 1 + 4 + 8 + 8
    private static let entryLength = 8 + 4 + 2

    package var record: [UInt8] {
        var bytes = [Self.version]
        bytes.reserveCapacity(Self.headLength + entries.count * Self.entryLength)
        func append(_ value: Int64, _ length: Int) {
            for shift in stride(from: (length - 1) * 8, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: value >> Int64(shift)))
            }
        }
        append(Int64(min(failuresInARow, Int(Int32.max))), 4)
        append(lastFailureAt?.milliseconds ?? 0, 8)
        append(stoppedUntil?.milliseconds ?? 0, 8)
        for entry in entries {
            append(entry.at.milliseconds, 8)
            append(Int64(min(entry.count, Int(Int32.max))), 4)
            append(Int64(entry.tag), 2)
        }
        return bytes
    }

    /// Every value that can stand in a row is taken or refused; none traps.
    package init(record bytes: [UInt8]) throws(StorageFault) {
        let body = bytes.count - Self.headLength
        guard body >= 0, body % Self.entryLength == 0, body / Self.entryLength <= LimitTally.maxEntries,
            bytes[0] == Self.version
        else {
            throw .corrupt(Self.column)
        }
        var rest = bytes.dropFirst()
        func next(_ length: Int) -> Int64 {
            let value = rest.prefix(length).reduce(0) { $0 << 8 | UInt64($1) }
            rest = rest.dropFirst(length)
            return Int64(bitPattern: value)
        }
        // Moments within ten thousand years: sums with any window stay in range.
        func moment() throws(StorageFault) -> Timestamp {
            let value = next(8)
            guard (0...400_000_000_000_000).contains(value) else { throw .corrupt(Self.column) }
            return Timestamp(milliseconds: value)
        }
        // No more than was ever written.
        func count() throws(StorageFault) -> Int {
            let value = next(4)
            guard value <= Int64(Int32.max) else { throw .corrupt(Self.column) }
            return Int(value)
        }
        let failures = try count()
        let lastFailure = try moment()
        let stop = try moment()
        var entries: [LimitTally.Entry] = []
        while !rest.isEmpty {
            entries.append(LimitTally.Entry(at: try moment(), count: try count(), tag: Int(next(2))))
        }
        self.init(
            entries: entries, failuresInARow: failures, lastFailureAt: failures > 0 ? lastFailure : nil,
            stoppedUntil: stop.milliseconds > 0 ? stop : nil)
    }
}
