import Foundation
import Possession
import Testing

@testable import SQLiteStorage

/// DAT-01: the pages of `docs/data` name each stored field, its class, protection and retention.
@Suite struct InventoryTests {
    /// The rows of both pages.
    private static func rows() throws -> [Substring] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../docs/data/"
        return try ["inventory.md", "inventory-server.md"].flatMap { name in
            let page = try String(contentsOfFile: folder + name, encoding: .utf8)
            let inventory = try #require(page.components(separatedBy: "\n## Inventory\n").last)
            return inventory.split(separator: "\n").filter { $0.hasPrefix("| `") }
        }
    }

    /// `table.column` of every row, in the order of the pages.
    private static func listed() throws -> [String] {
        var fields: [String] = []
        for line in try rows() {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(cells.count == 5 && cells.allSatisfy { !$0.isEmpty }, "\(line)")
            let table = cells[0].trimmingCharacters(in: ["`"])
            for column in cells[1].components(separatedBy: ", ") {
                fields.append(table + "." + column.trimmingCharacters(in: ["`"]))
            }
        }
        return fields
    }

    private static func stored() async throws -> [String] {
        try await Fixture.database().read { (connection) throws(StorageFault) in
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
        #expect(Set(stored).subtracting(listed).sorted() == [], "columns that docs/data/ does not have")
        #expect(Set(listed).subtracting(stored).sorted() == [], "columns that are not in the schema")
        #expect(listed.count == Set(listed).count, "a column stands twice")
    }

    @Test func `what holds personal data or a secret says so, and is not in the clear`() throws {
        for line in try Self.rows() where line.contains("personal:") || line.contains("secret:") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(["sealed", "index", "digest"].contains(cells[3]), "\(line)")
            for column in cells[1].components(separatedBy: ", ") {
                #expect(["_sealed`", "_index`", "_digest`"].contains { column.hasSuffix($0) }, "\(column)")
            }
        }
    }
}
