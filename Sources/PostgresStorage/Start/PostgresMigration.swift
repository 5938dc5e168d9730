package import Storage

/// Brings the schema of a PostgreSQL up to the last migration file, forward only (DUR-12). Works as the owner of the
/// tables, and grants the server's role what it needs.
///
/// Each file runs in one transaction together with the new number in table `installation`, so that a crash leaves the
/// schema before or after it.
package struct PostgresMigration {
    private enum SQL {
        static let tables: StaticString = """
            SELECT to_regclass('installation') IS NOT NULL, count(*) FROM pg_class
              WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm')
                AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')
            """
        static let version: StaticString = "SELECT mode, schema FROM installation WHERE number = 1"
        static let hasRole: StaticString = "SELECT 1 FROM pg_roles WHERE rolname = $1"
        static let quotedRole: StaticString = "SELECT quote_ident($1), current_user = $1"
        static let schema: StaticString = "SELECT quote_ident(current_schema())"
        /// The key is a number of this program. One migration at a time holds it.
        static let lock = "SET lock_timeout = '2s'; SELECT pg_advisory_lock(5189011402)"
        static let unlock = "SELECT pg_advisory_unlock(5189011402)"
    }

    private let session: PostgresSession
    private let files: [MigrationFile]
    private let mode: String
    /// Number of the last migration of the database; 0: it has none.
    package let version: Int

    /// Connects, and waits for another migration that is under way.
    /// - Parameters:
    ///   - owner: with the role that owns the tables, or will own them.
    ///   - mode: `sandbox` or `live`.
    package init(
        _ owner: PostgresAddress, _ files: [MigrationFile], mode: String
    ) throws(PostgresOpeningFault) {
        session = try PostgresSession(owner)
        self.files = files
        self.mode = mode
        try session.run(SQL.lock, "a lock for migrations")
        guard let tables = try session.rows(SQL.tables).first, tables[0] == "t" else {
            version = 0
            let count = try session.rows(SQL.tables).first?[1] ?? "0"
            guard count == "0" else {
                throw .refused("the database has tables that are not of Holdfast: give Holdfast a database of its own")
            }
            return
        }
        guard let row = try session.rows(SQL.version).first, let found = row[1].flatMap({ Int($0) }) else {
            throw .refused("table installation of the database is empty, so it is not one of Holdfast")
        }
        guard row[0] == mode else {
            throw .refused("the database is one of mode \(row[0] ?? ""); \(mode) needs its own")
        }
        guard found <= files.count else {
            throw .refused(
                "the database is at migration \(found), and this build knows \(files.count): use a newer build")
        }
        version = found
    }

    /// Makes a database that was copied into another PostgreSQL the one that servers use.
    package static func acceptCopy(_ owner: PostgresAddress) throws(PostgresOpeningFault) {
        let session = try PostgresSession(owner)
        try session.run(
            """
            UPDATE installation SET system_identifier = (SELECT system_identifier FROM pg_control_system())
              WHERE number = 1
            """, "table installation")
    }

    /// The files that are still to be applied.
    package var pending: [MigrationFile] { Array(files.dropFirst(version)) }

    /// Applies the pending files.
    /// - Parameter role: of the server; it may be the owner in tests only.
    package func apply(grantingTo role: String) throws(PostgresOpeningFault) {
        guard try !session.rows(SQL.hasRole, role).isEmpty else {
            throw .refused(
                "there is no role \(role) in PostgreSQL: make it with CREATE ROLE \(role) LOGIN PASSWORD '...'")
        }
        for file in pending {
            let record =
                file.number == 1
                ? """
                INSERT INTO installation (number, mode, system_identifier, schema)
                  SELECT 1, '\(mode)', system_identifier, 1 FROM pg_control_system()
                """ : "UPDATE installation SET schema = \(file.number) WHERE number = 1"
            try session.run("BEGIN;\n\(file.text)\n;\(record);\nCOMMIT", file.name)
        }
        try grant(to: role)
        // A plan for an empty table would be kept for a full one.
        try session.run("ANALYZE", "ANALYZE")
        try session.run(SQL.unlock, "a lock for migrations")
    }

    private func grant(to role: String) throws(PostgresOpeningFault) {
        guard let quoted = try session.rows(SQL.quotedRole, role).first, let name = quoted[0], quoted[1] == "f",
            let schema = try session.rows(SQL.schema).first?[0]
        else { return }
        try session.run(
            """
            GRANT USAGE ON SCHEMA \(schema) TO \(name);
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(schema) TO \(name);
            REVOKE INSERT, UPDATE, DELETE ON installation FROM \(name);
            """, "the rights of role \(role)")
    }
}
