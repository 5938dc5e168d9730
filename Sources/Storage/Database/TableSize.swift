/// Size of a table.
package struct TableSize: Sendable, Equatable {
    package let name: String
    package var rows: Int
    /// Size of the table and its indexes, including free space in them.
    package var bytes: Int

    package init(name: String, rows: Int, bytes: Int) {
        self.name = name
        self.rows = rows
        self.bytes = bytes
    }
}
