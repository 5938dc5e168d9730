internal import Possession

/// Several values in one column: a version byte, then each field as its length in two bytes, most significant first,
/// and its bytes. A length of 0xFFFF stands for an absent field.
enum Record {
    fileprivate static let absent: UInt16 = 0xFFFF
}

/// A record being made: each call adds the next field.
struct RecordWriter {
    private var content: [UInt8]
    private var isTooLong = false

    init(version: UInt8) {
        content = [version]
    }

    mutating func bytes(_ value: [UInt8]?) {
        field(value)
    }

    mutating func text(_ value: String?) {
        field(value?.utf8)
    }

    /// Sixteen bytes, most significant first.
    mutating func identifier(_ value: (some Identifier)?) {
        guard let value else { return bytes(nil) }
        withUnsafeBytes(of: value.bits.bigEndian) { field($0) }
    }

    mutating func flag(_ value: Bool) {
        integer(value ? 1 : 0)
    }

    mutating func time(_ value: Timestamp?) {
        integer(value?.milliseconds)
    }

    mutating func integer(_ value: Int?) {
        integer(value.map(Int64.init))
    }

    private mutating func integer(_ value: Int64?) {
        guard let value else { return bytes(nil) }
        withUnsafeBytes(of: value.bigEndian) { field($0) }
    }

    private mutating func field(_ value: (some Collection<UInt8>)?) {
        let count = value?.count ?? Int(Record.absent)
        guard value == nil || count < Record.absent else {
            isTooLong = true
            return
        }
        content.append(UInt8(count >> 8))
        content.append(UInt8(count & 0xFF))
        if let value { content += value }
    }

    /// The whole record.
    /// - Throws: `.corrupt` when a field was too long for its length.
    func finished(_ column: StaticString) throws(StorageFault) -> [UInt8] {
        if isTooLong { throw .corrupt(column) }
        return content
    }
}

/// A record being read: each call takes the next field and checks what it finds. Every fault names the column.
struct RecordReader {
    let version: UInt8
    private let column: StaticString
    private var rest: ArraySlice<UInt8>

    init(_ record: [UInt8], versions: ClosedRange<UInt8>, _ column: StaticString) throws(StorageFault) {
        rest = record[...]
        self.column = column
        guard let version = rest.popFirst(), versions.contains(version) else { throw .corrupt(column) }
        self.version = version
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// Demands that nothing is left.
    func end() throws(StorageFault) {
        guard isAtEnd else { throw .corrupt(column) }
    }

    mutating func optionalBytes() throws(StorageFault) -> [UInt8]? {
        guard let field = try next() else { return nil }
        return Array(field)
    }

    mutating func bytes() throws(StorageFault) -> [UInt8] {
        try required(try optionalBytes())
    }

    mutating func optionalText() throws(StorageFault) -> String? {
        guard let field = try next() else { return nil }
        return try required(String(validating: field, as: UTF8.self))
    }

    mutating func text() throws(StorageFault) -> String {
        try required(try optionalText())
    }

    mutating func optionalIdentifier<ID: Identifier>() throws(StorageFault) -> ID? {
        guard let field = try next() else { return nil }
        guard field.count == 16 else { throw .corrupt(column) }
        return ID(bits: field.reduce(0) { $0 << 8 | UInt128($1) })
    }

    mutating func identifier<ID: Identifier>() throws(StorageFault) -> ID {
        try required(try optionalIdentifier())
    }

    /// A case of an enum, by its raw value.
    mutating func optionalChoice<Choice: RawRepresentable<String>>() throws(StorageFault) -> Choice? {
        guard let text = try optionalText() else { return nil }
        return try required(Choice(rawValue: text))
    }

    mutating func choice<Choice: RawRepresentable<String>>() throws(StorageFault) -> Choice {
        try required(try optionalChoice())
    }

    mutating func optionalTime() throws(StorageFault) -> Timestamp? {
        guard let value = try optionalInteger() else { return nil }
        guard Column.times.contains(value) else { throw .corrupt(column) }
        return Timestamp(milliseconds: value)
    }

    mutating func time() throws(StorageFault) -> Timestamp {
        try required(try optionalTime())
    }

    mutating func optionalCount(_ range: ClosedRange<Int>) throws(StorageFault) -> Int? {
        guard let value = try optionalInteger() else { return nil }
        guard range.contains(Int(value)) else { throw .corrupt(column) }
        return Int(value)
    }

    mutating func count(_ range: ClosedRange<Int>) throws(StorageFault) -> Int {
        try required(try optionalCount(range))
    }

    mutating func flag() throws(StorageFault) -> Bool {
        try count(0...1) == 1
    }

    private mutating func optionalInteger() throws(StorageFault) -> Int64? {
        guard let field = try next() else { return nil }
        guard field.count == 8 else { throw .corrupt(column) }
        return Int64(bitPattern: field.reduce(0) { $0 << 8 | UInt64($1) })
    }

    private func required<Value>(_ value: Value?) throws(StorageFault) -> Value {
        guard let value else { throw .corrupt(column) }
        return value
    }

    private mutating func next() throws(StorageFault) -> ArraySlice<UInt8>? {
        guard let high = rest.popFirst(), let low = rest.popFirst() else { throw .corrupt(column) }
        let count = UInt16(high) << 8 | UInt16(low)
        if count == Record.absent { return nil }
        guard rest.count >= count else { throw .corrupt(column) }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }
}
