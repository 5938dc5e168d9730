internal import CPostgres
internal import Storage

/// The result of one statement, in binary form.
final class PostgresResult: RowSource {
    private let result: OpaquePointer
    /// The row whose columns are read.
    var row: Int32 = 0

    /// - Parameter result: cleared with this object.
    init(_ result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    var status: ExecStatusType { PQresultStatus(result) }

    var rowCount: Int32 { PQntuples(result) }

    /// Rows that the statement changed. A query changes none.
    var changes: Int {
        tag.hasPrefix("SELECT") ? 0 : Int(String(cString: PQcmdTuples(result))) ?? 0
    }

    /// The command that was executed, such as `COMMIT` or `UPDATE 3`.
    var tag: String { String(cString: PQcmdStatus(result)) }

    /// Fields of a message (PostgreSQL, section 55.8); Swift does not import the names of postgres_ext.h.
    static let severity = Int32(UInt8(ascii: "V"))
    static let state = Int32(UInt8(ascii: "C"))
    static let constraint = Int32(UInt8(ascii: "n"))

    func errorField(_ code: Int32) -> String? {
        PQresultErrorField(result, code).map { String(cString: $0) }
    }

    /// All rows of a result in text form; a value that is NULL is `nil`.
    var texts: [[String?]] {
        (0..<rowCount).map { row in
            (0..<PQnfields(result)).map { column in
                guard PQgetisnull(result, row, column) == 0 else { return nil }
                return PQgetvalue(result, row, column).map { String(cString: $0) }
            }
        }
    }

    func cell(_ column: Int32) -> Cell {
        guard PQgetisnull(result, row, column) == 0, let start = PQgetvalue(result, row, column) else { return .null }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, row, column)))
        switch PQftype(result, column) {
        case TypeNumber.int8, TypeNumber.int4, TypeNumber.int2, TypeNumber.bool:
            return .integer(PostgresResult.integer(bytes))
        case TypeNumber.bytea: return .blob(bytes)
        default: return .text(bytes)
        }
    }

    private static func integer(_ bytes: UnsafeRawBufferPointer) -> Int64 {
        switch bytes.count {
        case 8: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        case 4: Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
        case 2: Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
        default: bytes.first == 1 ? 1 : 0
        }
    }
}

/// Numbers of types in PostgreSQL's catalog (pg_type.dat).
enum TypeNumber {
    static let bool: Oid = 16
    static let bytea: Oid = 17
    static let int8: Oid = 20
    static let int2: Oid = 21
    static let int4: Oid = 23
    static let text: Oid = 25

    static func of(_ type: CellType) -> Oid {
        switch type {
        case .integer: int8
        case .text: text
        case .blob: bytea
        }
    }
}
