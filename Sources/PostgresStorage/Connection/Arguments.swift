internal import CPostgres
internal import Storage

/// The values of one run of a statement, in PostgreSQL's binary form: integers as 8 bytes, most significant first.
final class Arguments: ParameterTarget {
    private(set) var types: [Oid] = []
    private var bytes: [UInt8] = []
    /// Where each value begins in `bytes`; `nil`: NULL.
    private var places: [Int?] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    init() {}

    init(of values: (inout Parameters) -> Void) {
        var parameters = Parameters(self)
        values(&parameters)
    }

    func isSame(as other: Arguments) -> Bool {
        lengths == other.lengths && places == other.places && bytes == other.bytes
    }

    func bind(_ cell: Cell, _ type: CellType, to number: Int32) {
        types.append(TypeNumber.of(type))
        formats.append(1)
        let start = bytes.count
        switch cell {
        case .null:
            places.append(nil)
            lengths.append(0)
            return
        case .integer(let value): withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
        case .text(let value), .blob(let value): bytes.append(contentsOf: value)
        }
        places.append(start)
        lengths.append(Int32(clamping: bytes.count - start))
    }

    /// Calls `body` with the arrays that libpq takes.
    func withPointers<Result>(
        _ body: (
            _ count: Int32, _ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]
        ) -> Result
    ) -> Result {
        // One byte more, so that an empty value at the end has an address.
        bytes.append(0)
        defer { bytes.removeLast() }
        return bytes.withUnsafeBytes { buffer in
            let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values = places.map { place in place.flatMap { start?.advanced(by: $0) } }
            return body(Int32(places.count), values, lengths, formats)
        }
    }
}
