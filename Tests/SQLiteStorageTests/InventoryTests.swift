import Foundation
import Engine
import Possession
import Testing

@testable import SQLiteStorage
@testable import Storage

/// DAT-01: `docs/data/inventory.tsv` names each stored field, its class, protection and retention.
@Suite struct InventoryTests {
    /// The cells of every row below the header.
    private static func rows() throws -> [[String]] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
        let text = try String(contentsOfFile: folder + "/../../docs/data/inventory.tsv", encoding: .utf8)
        let lines = text.split(separator: "\n")
        let header = try #require(lines.first)
        #expect(String(header) == "table\tcolumns\tclass\tprotection\tretention")
        return lines.dropFirst().map { line in line.components(separatedBy: "\t") }
    }

    /// `table.column` of every row, in the order of the file.
    private static func listed() throws -> [String] {
        var fields: [String] = []
        for cells in try rows() {
            try #require(cells.count == 5 && cells.allSatisfy { !$0.isEmpty }, "\(cells)")
            for column in cells[1].components(separatedBy: ", ") {
                fields.append(cells[0] + "." + column)
            }
        }
        return fields
    }

    private static func stored() async throws -> [String] {
        try await Fixture.sqlite().read { (connection) throws(StorageFault) in
            try connection.all(
                """
                SELECT t.name || '.' || c.name FROM pragma_table_list() t JOIN pragma_table_xinfo(t.name) c
                  WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                """
            ) { (row) throws(StorageFault) in try row.text("name") }
        }
    }

    @Test func `the inventory has every column of the schema once, and no other`() async throws {
        let (listed, stored) = (try Self.listed(), try await Self.stored())
        #expect(stored.count > 80)
        #expect(Set(stored).subtracting(listed).sorted() == [], "columns that docs/data/inventory.tsv does not have")
        #expect(Set(listed).subtracting(stored).sorted() == [], "columns that are not in the schema")
        #expect(listed.count == Set(listed).count, "a column stands twice")
    }

    @Test func `what holds personal data or a secret says so, and is not in the clear`() throws {
        for cells in try Self.rows() where cells[2].contains("personal:") || cells[2].contains("secret:") {
            #expect(["sealed", "index", "digest"].contains(cells[3]), "\(cells)")
            for column in cells[1].components(separatedBy: ", ") {
                #expect(["_sealed", "_index", "_digest"].contains { column.hasSuffix($0) }, "\(column)")
            }
        }
    }
}
