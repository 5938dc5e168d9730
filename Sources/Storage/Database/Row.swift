package import Engine
package import Possession
internal import Records

/// Gives the columns of the current row. Each engine has its own.
package protocol RowSource: AnyObject {
    /// - Parameter column: from 0 on. The value is valid until the next row.
    func cell(_ column: Int32) -> Cell
}

/// One row of a result: each call reads the next column and checks its value.
///
/// Every method takes the column's full name for the fault; the value itself never appears in a fault.
package struct Row {
    private let source: any RowSource
    private var index: Int32 = 0

    package init(_ source: any RowSource) {
        self.source = source
    }

    private mutating func next() -> Cell {
        defer { index += 1 }
        return source.cell(index)
    }

    package mutating func integer(_ name: StaticString) throws(StorageFault) -> Int64 {
        guard let value = try optionalInteger(name) else { throw .corrupt(name) }
        return value
    }

    package mutating func optionalInteger(_ name: StaticString) throws(StorageFault) -> Int64? {
        switch next() {
        case .null: return nil
        case .integer(let value): return value
        case .text, .blob: throw .corrupt(name)
        }
    }

    /// A count, an index or a length within `range`.
    package mutating func count(_ range: ClosedRange<Int>, _ name: StaticString) throws(StorageFault) -> Int {
        let value = Int(try integer(name))
        guard range.contains(value) else { throw .corrupt(name) }
        return value
    }

    package mutating func flag(_ name: StaticString) throws(StorageFault) -> Bool {
        guard let value = try optionalFlag(name) else { throw .corrupt(name) }
        return value
    }

    package mutating func optionalFlag(_ name: StaticString) throws(StorageFault) -> Bool? {
        switch try optionalInteger(name) {
        case nil: nil
        case 0: false
        case 1: true
        default: throw .corrupt(name)
        }
    }

    package mutating func time(_ name: StaticString) throws(StorageFault) -> Timestamp {
        guard let time = try optionalTime(name) else { throw .corrupt(name) }
        return time
    }

    package mutating func optionalTime(_ name: StaticString) throws(StorageFault) -> Timestamp? {
        guard let value = try optionalInteger(name) else { return nil }
        guard StoredBounds.times.contains(value) else { throw .corrupt(name) }
        return Timestamp(milliseconds: value)
    }

    package mutating func text(_ name: StaticString) throws(StorageFault) -> String {
        guard let value = try optionalText(name) else { throw .corrupt(name) }
        return value
    }

    package mutating func optionalText(_ name: StaticString) throws(StorageFault) -> String? {
        switch next() {
        case .null: return nil
        case .text(let bytes):
            // Nearly all texts are ASCII, and decoding them without validation is several times faster.
            if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
            guard let value = String(validating: bytes, as: UTF8.self) else { throw .corrupt(name) }
            return value
        case .integer, .blob: throw .corrupt(name)
        }
    }

    /// A case of an enum, by its raw value.
    package mutating func choice<Choice: RawRepresentable<String>>(_ name: StaticString) throws(StorageFault) -> Choice
    {
        guard let value: Choice = try optionalChoice(name) else { throw .corrupt(name) }
        return value
    }

    package mutating func optionalChoice<Choice: RawRepresentable<String>>(
        _ name: StaticString
    ) throws(StorageFault) -> Choice? {
        guard let text = try optionalText(name) else { return nil }
        guard let value = Choice(rawValue: text) else { throw .corrupt(name) }
        return value
    }

    package mutating func blob(_ name: StaticString) throws(StorageFault) -> [UInt8] {
        guard let value = try optionalBlob(name) else { throw .corrupt(name) }
        return value
    }

    package mutating func optionalBlob(_ name: StaticString) throws(StorageFault) -> [UInt8]? {
        switch next() {
        case .null: return nil
        case .blob(let bytes): return [UInt8](bytes)
        case .integer, .text: throw .corrupt(name)
        }
    }

    package mutating func identifier<ID: Identifier>(_ name: StaticString) throws(StorageFault) -> ID {
        guard let value: ID = try optionalIdentifier(name) else { throw .corrupt(name) }
        return value
    }

    package mutating func optionalIdentifier<ID: Identifier>(_ name: StaticString) throws(StorageFault) -> ID? {
        switch next() {
        case .null: return nil
        case .blob(let bytes):
            guard bytes.count == 16 else { throw .corrupt(name) }
            return ID(bits: UInt128(bigEndian: bytes.loadUnaligned(as: UInt128.self)))
        case .integer, .text: throw .corrupt(name)
        }
    }
}
