/// The types of columns and parameters that SQLite and PostgreSQL both have.
package enum CellType: Sendable {
    case integer, text, blob
}

/// The value of a column or of a parameter, in the types that SQLite and PostgreSQL both have. Bytes are valid only
/// during the call that passes them.
package enum Cell {
    case null
    case integer(Int64)
    /// UTF-8.
    case text(UnsafeRawBufferPointer)
    case blob(UnsafeRawBufferPointer)
}
