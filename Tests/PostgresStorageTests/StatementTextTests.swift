import Storage
import Testing

@testable import PostgresStorage

@Suite struct StatementTextTests {
    @Test(
        arguments: [
            ("SELECT a FROM t WHERE b = ?1 AND c = ?12", "SELECT a FROM t WHERE b = $1 AND c = $12"),
            ("SELECT a FROM t INDEXED BY t_by_b WHERE b = ?1", "SELECT a FROM t  WHERE b = $1"),
            ("SELECT a FROM t INDEXED BY t_by_b\n  WHERE b = ?1", "SELECT a FROM t \n  WHERE b = $1"),
        ] as [(Statement, String)])
    func `is in PostgreSQL's words`(statement: Statement, text: String) {
        #expect(statement.postgresText() == text)
        #expect(statement.postgresText(isLocking: true) == text + "\nFOR NO KEY UPDATE")
    }

    @Test func `takes other words where there are some`() {
        #expect(
            Statement("DELETE FROM a WHERE rowid = ?1", postgres: "DELETE FROM a WHERE b = ?1").postgresText()
                == "DELETE FROM a WHERE b = $1")
    }
}
