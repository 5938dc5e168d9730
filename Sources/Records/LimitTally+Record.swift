package import Engine
package import Possession

/// The stored form of a tally. It contains no personal data, so it is not sealed.
///
/// Fixed widths, because it is written for every message and guess: version (1 byte), flags of the parts that follow (1
/// byte), failures in a row (4 bytes), the last of them (8), the number of entries (2), each entry as moment (8), count
/// (4) and tag (2); then each bucket as tokens, mean (8 each, IEEE 754), moment (8), mark (1) and start (4; version 2
/// had none); then each open number as place (2), address (2), messages and counted ones (2 each) and moment (8). Most
/// significant byte first.
extension LimitTally {
    private static let column: StaticString = "limit_counts.tally"
    private static let mostTokens = 1e9
    private static let unknownStart = Int64(UInt32.max)
    /// Bounds of a stored moment: wider than all that were ever written, and small enough that a sum with any window
    /// stays in range.
    private static let moments = Int64(0)...400_000_000_000_000

    package var record: [UInt8] {
        let buckets = [bucket, again].compactMap { $0 }
        let parts: UInt8 = (bucket == nil ? 0 : 1) | (again == nil ? 0 : 2)
        var record = Fields(count: 16 + entries.count * 14 + buckets.count * 29 + open.count * 16)
        record.append(Int64(RecordVersions.tally.upperBound), 1)
        record.append(Int64(parts), 1)
        record.append(Int64(min(failuresInARow, Int(Int32.max))), 4)
        record.append(lastFailureAt?.milliseconds ?? 0, 8)
        record.append(Int64(entries.count), 2)
        for entry in entries {
            record.append(entry.at.milliseconds, 8)
            record.append(Int64(min(entry.count, Int(Int32.max))), 4)
            record.append(Int64(entry.tag), 2)
        }
        for bucket in buckets {
            record.append(Int64(bitPattern: bucket.tokens.bitPattern), 8)
            record.append(Int64(bitPattern: bucket.mean.bitPattern), 8)
            record.append(bucket.at.milliseconds, 8)
            record.append(bucket.isTold ? 1 : 0, 1)
            record.append(bucket.start.map { Int64($0) } ?? Self.unknownStart, 4)
        }
        for number in open {
            record.append(Int64(number.place), 2)
            record.append(Int64(number.address), 2)
            record.append(Int64(min(number.messages, Int(UInt16.max))), 2)
            record.append(Int64(min(number.counted, Int(UInt16.max))), 2)
            record.append(number.at.milliseconds, 8)
        }
        return record.bytes
    }

    /// Accepts or refuses every value that a row can have; none traps.
    package init(record bytes: [UInt8]) throws(StorageFault) {
        guard bytes.count >= 16, RecordVersions.tally.contains(bytes[0]), bytes[1] < 4 else {
            throw .corrupt(Self.column)
        }
        let parts = bytes[1]
        var rest = Fields(bytes, from: 2)
        func next(_ length: Int) throws(StorageFault) -> Int64 {
            guard let value = rest.next(length) else { throw .corrupt(Self.column) }
            return value
        }
        func moment() throws(StorageFault) -> Timestamp {
            let value = try next(8)
            guard Self.moments.contains(value) else { throw .corrupt(Self.column) }
            return Timestamp(milliseconds: value)
        }
        // At most what is ever written.
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
            let isTold = try next(1) == 1
            let start = bytes[0] == 2 ? Self.unknownStart : try next(4)
            guard start == Self.unknownStart || start <= Int64(Self.mostTokens) else { throw .corrupt(Self.column) }
            return Bucket(
                tokens: tokens, mean: mean, at: at, isTold: isTold,
                start: start == Self.unknownStart ? nil : Double(start))
        }
        let failures = try count()
        let lastFailure = try moment()
        let entryCount = Int(try next(2))
        guard entryCount <= LimitTally.maxEntries else { throw .corrupt(Self.column) }
        var entries: [LimitTally.Entry] = []
        entries.reserveCapacity(min(entryCount, rest.left / 14))
        for _ in 0..<entryCount {
            entries.append(LimitTally.Entry(at: try moment(), count: try count(), tag: Int(try next(2))))
        }
        let first = parts & 1 == 0 ? nil : try bucket()
        let second = parts & 2 == 0 ? nil : try bucket()
        var open: [OpenNumber] = []
        guard rest.left / 16 <= LimitTally.maxEntries else { throw .corrupt(Self.column) }
        open.reserveCapacity(rest.left / 16)
        while rest.left > 0 {
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

/// A sequence of numbers of fixed widths. A network that many people share has some kilobytes of them, read and written
/// for each of its messages.
private struct Fields {
    private(set) var bytes: [UInt8]
    private var position: Int

    /// For writing: `count` is the size of the whole record.
    init(count: Int) {
        bytes = [UInt8](repeating: 0, count: count)
        position = 0
    }

    /// For reading.
    init(_ bytes: [UInt8], from position: Int) {
        self.bytes = bytes
        self.position = position
    }

    var left: Int { bytes.count - position }

    mutating func append(_ value: Int64, _ length: Int) {
        var rest = value
        for index in (position..<position + length).reversed() {
            bytes[index] = UInt8(truncatingIfNeeded: rest)
            rest >>= 8
        }
        position += length
    }

    /// `nil`: fewer bytes are left.
    mutating func next(_ length: Int) -> Int64? {
        guard left >= length else { return nil }
        var value: UInt64 = 0
        for index in position..<position + length { value = value << 8 | UInt64(bytes[index]) }
        position += length
        return Int64(bitPattern: value)
    }
}
