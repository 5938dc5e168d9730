internal import CSQLite
internal import Engine
internal import Possession
internal import Records

/// One row of a result: each call reads the next column and checks its value.
///
/// Every method takes the column's full name for the fault; the value itself never appears in a fault.
struct Row {
    private let handle: OpaquePointer
    private var index: Int32 = 0

    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    private mutating func next() -> Int32 {
        defer { index += 1 }
        return index
    }

    private func type(_ column: Int32) -> Int32 { sqlite3_column_type(handle, column) }

    mutating func integer(_ name: StaticString) throws(StorageFault) -> Int64 {
        guard let value = try optionalInteger(name) else { throw .corrupt(name) }
        return value
    }

    mutating func optionalInteger(_ name: StaticString) throws(StorageFault) -> Int64? {
        let column = next()
        switch type(column) {
        case SQLITE_NULL: return nil
        case SQLITE_INTEGER: return sqlite3_column_int64(handle, column)
        default: throw .corrupt(name)
        }
    }

    /// A count, an index or a length within `range`.
    mutating func count(_ range: ClosedRange<Int>, _ name: StaticString) throws(StorageFault) -> Int {
        let value = Int(try integer(name))
        guard range.contains(value) else { throw .corrupt(name) }
        return value
    }

    mutating func flag(_ name: StaticString) throws(StorageFault) -> Bool {
        guard let value = try optionalFlag(name) else { throw .corrupt(name) }
        return value
    }

    mutating func optionalFlag(_ name: StaticString) throws(StorageFault) -> Bool? {
        switch try optionalInteger(name) {
        case nil: nil
        case 0: false
        case 1: true
        default: throw .corrupt(name)
        }
    }

    mutating func time(_ name: StaticString) throws(StorageFault) -> Timestamp {
        guard let time = try optionalTime(name) else { throw .corrupt(name) }
        return time
    }

    mutating func optionalTime(_ name: StaticString) throws(StorageFault) -> Timestamp? {
        guard let value = try optionalInteger(name) else { return nil }
        guard StoredBounds.times.contains(value) else { throw .corrupt(name) }
        return Timestamp(milliseconds: value)
    }

    mutating func text(_ name: StaticString) throws(StorageFault) -> String {
        guard let value = try optionalText(name) else { throw .corrupt(name) }
        return value
    }

    mutating func optionalText(_ name: StaticString) throws(StorageFault) -> String? {
        let column = next()
        switch type(column) {
        case SQLITE_NULL: return nil
        case SQLITE_TEXT:
            guard let start = sqlite3_column_text(handle, column) else { throw .corrupt(name) }
            let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
            // Nearly all texts are ASCII, and decoding them without validation is several times faster.
            if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
            guard let value = String(validating: bytes, as: UTF8.self) else { throw .corrupt(name) }
            return value
        default: throw .corrupt(name)
        }
    }

    /// A case of an enum, by its raw value.
    mutating func choice<Choice: RawRepresentable<String>>(_ name: StaticString) throws(StorageFault) -> Choice {
        guard let value: Choice = try optionalChoice(name) else { throw .corrupt(name) }
        return value
    }

    mutating func optionalChoice<Choice: RawRepresentable<String>>(
        _ name: StaticString
    ) throws(StorageFault) -> Choice? {
        guard let text = try optionalText(name) else { return nil }
        guard let value = Choice(rawValue: text) else { throw .corrupt(name) }
        return value
    }

    mutating func blob(_ name: StaticString) throws(StorageFault) -> [UInt8] {
        guard let value = try optionalBlob(name) else { throw .corrupt(name) }
        return value
    }

    mutating func optionalBlob(_ name: StaticString) throws(StorageFault) -> [UInt8]? {
        let column = next()
        switch type(column) {
        case SQLITE_NULL: return nil
        case SQLITE_BLOB:
            let bytes = UnsafeRawBufferPointer(
                start: sqlite3_column_blob(handle, column), count: Int(sqlite3_column_bytes(handle, column)))
            return [UInt8](bytes)
        default: throw .corrupt(name)
        }
    }

    mutating func identifier<ID: Identifier>(_ name: StaticString) throws(StorageFault) -> ID {
        guard let value: ID = try optionalIdentifier(name) else { throw .corrupt(name) }
        return value
    }

    mutating func optionalIdentifier<ID: Identifier>(_ name: StaticString) throws(StorageFault) -> ID? {
        let column = next()
        switch type(column) {
        case SQLITE_NULL: return nil
        case SQLITE_BLOB:
            guard sqlite3_column_bytes(handle, column) == 16, let start = sqlite3_column_blob(handle, column) else {
                throw .corrupt(name)
            }
            return ID(bits: UInt128(bigEndian: start.loadUnaligned(as: UInt128.self)))
        default: throw .corrupt(name)
        }
    }
}
