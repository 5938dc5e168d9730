/// Checks whether a server can use a PostgreSQL: whether it is one of Holdfast, with the schema of this build and the
/// rights of a server, and whether what it acknowledges is durable.
package struct PostgresInspection: Sendable {
    /// The configuration expects this of the database.
    package struct Expectation: Sendable {
        /// `sandbox` or `live`.
        let mode: String
        /// Number of the last migration of this build.
        package let schema: Int
        /// Changes must be on the disk before they are acknowledged.
        let needsDisk: Bool
        /// Changes must be on a synchronous standby, too.
        let needsStandby: Bool
        /// The database may be a copy in another PostgreSQL.
        package var acceptsCopy = false

        package init(mode: String, schema: Int, needsDisk: Bool, needsStandby: Bool) {
            self.mode = mode
            self.schema = schema
            self.needsDisk = needsDisk
            self.needsStandby = needsStandby
        }
    }

    private enum SQL {
        static let server: StaticString = """
            SELECT current_setting('server_version'), current_setting('server_version_num'),
                   current_setting('server_encoding'), current_setting('fsync'), current_setting('full_page_writes'),
                   current_setting('synchronous_standby_names')
            """
        static let hasInstallation: StaticString = "SELECT 1 WHERE to_regclass('installation') IS NOT NULL"
        static let installation: StaticString = """
            SELECT mode, schema, system_identifier, (SELECT system_identifier FROM pg_control_system())
              FROM installation WHERE number = 1
            """
        /// Tables whose rows the role cannot read and change.
        static let missingRights: StaticString = """
            SELECT relname FROM pg_class
              WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname <> 'installation'
                AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
                         AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))
              ORDER BY relname LIMIT 1
            """
        /// Rights with which a fault of the server could remove tables or their rules.
        static let tooManyRights: StaticString = """
            SELECT 'is a superuser' FROM pg_roles WHERE rolname = current_user AND rolsuper
            UNION ALL
            SELECT 'may make tables in the schema' WHERE has_schema_privilege(current_schema(), 'CREATE')
            UNION ALL
            SELECT 'owns tables, or may truncate them'
              WHERE EXISTS (SELECT FROM pg_class
                              WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
                                AND (pg_has_role(relowner, 'MEMBER') OR has_table_privilege(oid, 'TRUNCATE')))
            """
    }

    private static let oldestVersion = 150_000

    /// Weaknesses that the configuration accepts.
    package private(set) var warnings: [String] = []
    /// The version of PostgreSQL, such as `15.14 (Debian 15.14-0+deb12u1)`.
    package private(set) var version = ""

    /// - Throws: the first reason why it cannot be used.
    package init(_ address: PostgresAddress, _ expected: Expectation) throws(PostgresOpeningFault) {
        let session = try PostgresSession(address)
        try checkServer(session, expected)
        try checkInstallation(session, expected)
        try PostgresInspection.checkRights(session, role: address.role)
    }

    private mutating func checkServer(
        _ session: PostgresSession, _ expected: Expectation
    ) throws(PostgresOpeningFault) {
        let row = try session.rows(SQL.server).first?.map { $0 ?? "" } ?? []
        guard row.count == 6 else { throw .refused("PostgreSQL does not tell its settings") }
        version = row[0]
        guard Int(row[1]).map({ $0 >= PostgresInspection.oldestVersion }) == true else {
            throw .refused("PostgreSQL \(row[0]) is too old: Holdfast needs version 15 or newer")
        }
        guard row[2] == "UTF8" else { throw .refused("the database has the encoding \(row[2]): make it with UTF8") }
        for (name, value) in [("fsync", row[3]), ("full_page_writes", row[4])] where value != "on" {
            let text = "PostgreSQL has \(name) = \(value): a crash of its machine can lose acknowledged changes"
            if expected.needsDisk { throw .refused("\(text); set it to on") }
            warnings.append(text)
        }
        if row[5].isEmpty, expected.needsStandby {
            throw .refused(
                "PostgreSQL has no synchronous standby (synchronous_standby_names is empty), so the loss of its disk loses acknowledged changes: add one, or set database.allowNoStandby"
            )
        }
    }

    private func checkInstallation(
        _ session: PostgresSession, _ expected: Expectation
    ) throws(PostgresOpeningFault) {
        guard try !session.rows(SQL.hasInstallation).isEmpty else {
            throw .refused("the database has no tables of Holdfast: run holdfast database migrate")
        }
        let row = try session.rows(SQL.installation).first?.map { $0 ?? "" } ?? []
        guard row.count == 4, let schema = Int(row[1]) else {
            throw .refused("table installation of the database is empty: run holdfast database migrate")
        }
        guard row[0] == expected.mode else {
            throw .refused("the database is one of mode \(row[0]); \(expected.mode) needs its own")
        }
        if schema < expected.schema {
            throw .refused(
                "the database is at migration \(schema), and this build needs \(expected.schema): run holdfast database migrate"
            )
        }
        if schema > expected.schema {
            throw .refused(
                "the database is at migration \(schema), and this build knows \(expected.schema): use a newer build")
        }
        guard row[2] == row[3] || expected.acceptsCopy else {
            throw .refused(
                "the database was copied or restored into another PostgreSQL (system identifier \(row[3]), not \(row[2])): what was used since that copy would be accepted again; run holdfast database restored"
            )
        }
    }

    private static func checkRights(_ session: PostgresSession, role: String) throws(PostgresOpeningFault) {
        if let table = try session.rows(SQL.missingRights).first?.first ?? nil {
            throw .refused(
                "the role \(role) may not read and change table \(table): run holdfast database migrate, which grants that"
            )
        }
        if let right = try session.rows(SQL.tooManyRights).first?.first ?? nil {
            throw .refused(
                "the role \(role) \(right): serve with a role that only reads and writes rows, and name the owner in database.ownerUrl"
            )
        }
    }
}
