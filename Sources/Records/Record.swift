package import Engine
package import Possession

/// Writes several values as bytes: a version byte, then one field after the other.
///
/// A number, zero or above, is a varint: seven bits a byte, least significant first, the highest bit set while more
/// follow (LEB128). A number field is its value plus one. A field of bytes is its length plus one, then the bytes. 0
/// means an absent field. Fields have no names: each version has a fixed order of fields.
package struct RecordWriter {
    private var content: [UInt8]
    private var isOutOfRange = false

    /// - Parameter versions: it writes the last one.
    package init(_ versions: ClosedRange<UInt8>, expecting capacity: Int = 128) {
        content = []
        content.reserveCapacity(capacity)
        content.append(versions.upperBound)
    }

    package mutating func bytes(_ value: [UInt8]?) {
        guard let value else { return varint(0) }
        varint(UInt64(value.count) + 1)
        content += value
    }

    package mutating func text(_ value: String?) {
        guard let value else { return varint(0) }
        varint(UInt64(value.utf8.count) + 1)
        content += value.utf8
    }

    /// Sixteen bytes, most significant first.
    package mutating func identifier(_ value: (some Identifier)?) {
        guard let value else { return varint(0) }
        varint(17)
        for half in [value.high, value.low] { withUnsafeBytes(of: half.bigEndian) { content += $0 } }
    }

    package mutating func flag(_ value: Bool?) {
        integer(value.map { $0 ? 1 : 0 })
    }

    package mutating func time(_ value: Timestamp?) {
        integer(value.map { Int($0.milliseconds) })
    }

    /// A case of an enum, by its index in `recorded`.
    mutating func choice<Choice: RecordedChoice>(_ value: Choice?) {
        guard let value else { return varint(0) }
        guard let place = Choice.recorded.firstIndex(of: value) else {
            isOutOfRange = true
            return
        }
        varint(UInt64(place) + 1)
    }

    package mutating func integer(_ value: Int?) {
        guard let value else { return varint(0) }
        guard value >= 0, value < Int.max else {
            isOutOfRange = true
            return
        }
        varint(UInt64(value) + 1)
    }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            content.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        content.append(UInt8(truncatingIfNeeded: rest))
    }

    /// The whole record.
    /// - Throws: `.corrupt` when a value is out of range for a record.
    package func finished(_ column: StaticString) throws(StorageFault) -> [UInt8] {
        if isOutOfRange { throw .corrupt(column) }
        return content
    }
}

/// An enum whose cases are recorded by their index in `recorded`.
protocol RecordedChoice: Equatable {
    /// Only append to it: the indexes are stored in records.
    static var recorded: [Self] { get }
}

/// Reads a record: each call takes the next field and checks its value. Every fault names the column.
package struct RecordReader {
    package let version: UInt8
    private let column: StaticString
    private let record: [UInt8]
    private var position = 1

    /// - Throws: `.corrupt` when this build cannot read the version of the record.
    package init(_ record: [UInt8], _ versions: ClosedRange<UInt8>, _ column: StaticString) throws(StorageFault) {
        self.record = record
        self.column = column
        guard let version = record.first else { throw .corrupt(column) }
        guard versions.contains(version) else {
            throw .corrupt(
                what: "\(column), a record of version \(version) where this build reads up to \(versions.upperBound),")
        }
        self.version = version
    }

    package var isAtEnd: Bool { position == record.count }

    /// - Throws: `.corrupt` if anything is left.
    package func end() throws(StorageFault) {
        guard isAtEnd else { throw .corrupt(column) }
    }

    package mutating func optionalBytes() throws(StorageFault) -> [UInt8]? {
        guard let range = try range() else { return nil }
        return Array(record[range])
    }

    package mutating func bytes() throws(StorageFault) -> [UInt8] {
        try required(try optionalBytes())
    }

    package mutating func optionalText() throws(StorageFault) -> String? {
        guard let range = try range() else { return nil }
        let bytes = record[range]
        // Nearly all texts are ASCII, and decoding them without validation is several times faster.
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        return try required(String(validating: bytes, as: UTF8.self))
    }

    package mutating func text() throws(StorageFault) -> String {
        try required(try optionalText())
    }

    package mutating func optionalIdentifier<ID: Identifier>() throws(StorageFault) -> ID? {
        guard let range = try range() else { return nil }
        guard range.count == 16 else { throw .corrupt(column) }
        var (high, low): (UInt64, UInt64) = (0, 0)
        for index in range {
            high = high << 8 | low >> 56
            low = low << 8 | UInt64(record[index])
        }
        return ID(high: high, low: low)
    }

    package mutating func identifier<ID: Identifier>() throws(StorageFault) -> ID {
        try required(try optionalIdentifier())
    }

    mutating func optionalChoice<Choice: RecordedChoice>() throws(StorageFault) -> Choice? {
        let place = try varint()
        if place == 0 { return nil }
        let cases = Choice.recorded
        guard place <= UInt64(cases.count) else { throw .corrupt(column) }
        return cases[Int(place) - 1]
    }

    mutating func choice<Choice: RecordedChoice>() throws(StorageFault) -> Choice {
        try required(try optionalChoice())
    }

    package mutating func optionalTime() throws(StorageFault) -> Timestamp? {
        guard let value = try optionalInteger() else { return nil }
        guard StoredBounds.times.contains(Int64(value)) else { throw .corrupt(column) }
        return Timestamp(milliseconds: Int64(value))
    }

    package mutating func time() throws(StorageFault) -> Timestamp {
        try required(try optionalTime())
    }

    package mutating func optionalCount(_ range: ClosedRange<Int>) throws(StorageFault) -> Int? {
        guard let value = try optionalInteger() else { return nil }
        guard range.contains(value) else { throw .corrupt(column) }
        return value
    }

    package mutating func count(_ range: ClosedRange<Int>) throws(StorageFault) -> Int {
        try required(try optionalCount(range))
    }

    package mutating func optionalFlag() throws(StorageFault) -> Bool? {
        try optionalCount(0...1).map { $0 == 1 }
    }

    package mutating func flag() throws(StorageFault) -> Bool {
        try required(try optionalFlag())
    }

    private mutating func optionalInteger() throws(StorageFault) -> Int? {
        let value = try varint()
        return value == 0 ? nil : try required(Int(exactly: value - 1))
    }

    /// Range of the next field's bytes; `nil`: the field is absent.
    private mutating func range() throws(StorageFault) -> Range<Int>? {
        let length = try varint()
        if length == 0 { return nil }
        guard length - 1 <= UInt64(record.count - position) else { throw .corrupt(column) }
        let start = position
        position += Int(length - 1)
        return start..<position
    }

    private mutating func varint() throws(StorageFault) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while position < record.count, shift < 63 {
            let byte = record[position]
            position += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw .corrupt(column)
    }

    /// - Returns: the value.
    /// - Throws: `.corrupt` for `nil`.
    func required<Value>(_ value: Value?) throws(StorageFault) -> Value {
        guard let value else { throw .corrupt(column) }
        return value
    }
}
