package import Possession

/// A tally as its row keeps it. It names nobody, so it is not sealed.
///
/// Fixed widths, because it is written for every message and guess: version, what parts follow (1 byte), failures in a row
/// (4 bytes), the last of them (8), the number of entries (2), each entry as moment (8), count (4) and tag (2); then each
/// bucket as tokens, mean (8 each, IEEE 754), moment (8) and mark (1); then each open number as place (2), address (2),
/// messages and counted ones (2 each) and moment (8). Most significant byte first.
extension LimitTally {
    private static let column: StaticString = "limit_counts.tally"
    private static let version: UInt8 = 2
    private static let mostTokens = 1e9
    /// Any number that was ever stored: within ten thousand years, so that sums with any window stay in range.
    private static let moments = Int64(0)...400_000_000_000_000

    package var record: [UInt8] {
        let parts: UInt8 = (bucket == nil ? 0 : 1) | (again == nil ? 0 : 2)
        var bytes = [Self.version, parts]
        bytes.reserveCapacity(16 + entries.count * 14 + 50 + open.count * 16)
        func append(_ value: Int64, _ length: Int) {
            for shift in stride(from: (length - 1) * 8, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: value >> Int64(shift)))
            }
        }
        append(Int64(min(failuresInARow, Int(Int32.max))), 4)
        append(lastFailureAt?.milliseconds ?? 0, 8)
        append(Int64(entries.count), 2)
        for entry in entries {
            append(entry.at.milliseconds, 8)
            append(Int64(min(entry.count, Int(Int32.max))), 4)
            append(Int64(entry.tag), 2)
        }
        for bucket in [bucket, again].compactMap({ $0 }) {
            append(Int64(bitPattern: bucket.tokens.bitPattern), 8)
            append(Int64(bitPattern: bucket.mean.bitPattern), 8)
            append(bucket.at.milliseconds, 8)
            append(bucket.isTold ? 1 : 0, 1)
        }
        for number in open {
            append(Int64(number.place), 2)
            append(Int64(number.address), 2)
            append(Int64(min(number.messages, Int(UInt16.max))), 2)
            append(Int64(min(number.counted, Int(UInt16.max))), 2)
            append(number.at.milliseconds, 8)
        }
        return bytes
    }

    /// Every value that can stand in a row is taken or refused; none traps.
    package init(record bytes: [UInt8]) throws(StorageFault) {
        guard bytes.count >= 16, bytes[0] == Self.version, bytes[1] < 4 else { throw .corrupt(Self.column) }
        let parts = bytes[1]
        var rest = bytes[2...]
        func next(_ length: Int) throws(StorageFault) -> Int64 {
            guard rest.count >= length else { throw .corrupt(Self.column) }
            let value = rest.prefix(length).reduce(0) { $0 << 8 | UInt64($1) }
            rest = rest.dropFirst(length)
            return Int64(bitPattern: value)
        }
        func moment() throws(StorageFault) -> Timestamp {
            let value = try next(8)
            guard Self.moments.contains(value) else { throw .corrupt(Self.column) }
            return Timestamp(milliseconds: value)
        }
        // No more than was ever written.
        func count() throws(StorageFault) -> Int {
            let value = try next(4)
            guard value <= Int64(Int32.max) else { throw .corrupt(Self.column) }
            return Int(value)
        }
        func number() throws(StorageFault) -> Double {
            let value = Double(bitPattern: UInt64(bitPattern: try next(8)))
            guard value.isFinite, abs(value) <= Self.mostTokens else { throw .corrupt(Self.column) }
            return value
        }
        func bucket() throws(StorageFault) -> Bucket {
            let (tokens, mean) = (try number(), try number())
            guard mean >= 0 else { throw .corrupt(Self.column) }
            let at = try moment()
            return Bucket(tokens: tokens, mean: mean, at: at, isTold: try next(1) == 1)
        }
        let failures = try count()
        let lastFailure = try moment()
        let entryCount = Int(try next(2))
        guard entryCount <= LimitTally.maxEntries else { throw .corrupt(Self.column) }
        var entries: [LimitTally.Entry] = []
        for _ in 0..<entryCount {
            entries.append(LimitTally.Entry(at: try moment(), count: try count(), tag: Int(try next(2))))
        }
        let first = parts & 1 == 0 ? nil : try bucket()
        let second = parts & 2 == 0 ? nil : try bucket()
        var open: [OpenNumber] = []
        guard rest.count / 16 <= LimitTally.maxEntries else { throw .corrupt(Self.column) }
        while !rest.isEmpty {
            open.append(
                OpenNumber(
                    place: Int(try next(2)), address: Int(try next(2)), messages: Int(try next(2)),
                    counted: Int(try next(2)), at: try moment()))
        }
        self.init(
            entries: entries, failuresInARow: failures, lastFailureAt: failures > 0 ? lastFailure : nil, bucket: first,
            again: second, open: open)
    }
}
