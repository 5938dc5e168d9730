internal import Engine
internal import Possession
internal import Records

/// Rows of tables `audit_entries` and `audit_ends` (migration 0012) inside a transaction.
struct AuditRows: Sendable {
    private enum SQL {
        static let ends: Statement = """
            SELECT before_number, before_hash, last_number, last_hash, code FROM audit_ends WHERE number = 1
            """
        static let newest: Statement = "SELECT number, hash FROM audit_entries ORDER BY number DESC LIMIT 1"
        static let saveEnds: Statement = """
            INSERT INTO audit_ends (number, before_number, before_hash, last_number, last_hash, code)
              VALUES (1, ?1, ?2, ?3, ?4, ?5)
              ON CONFLICT (number) DO UPDATE SET before_number = excluded.before_number,
                before_hash = excluded.before_hash, last_number = excluded.last_number,
                last_hash = excluded.last_hash, code = excluded.code
            """
        static let insert: Statement = """
            INSERT INTO audit_entries (number, at_ms, line_sealed, hash) VALUES (?1, ?2, ?3, ?4)
            """
        static let lines: Statement = """
            SELECT number, line_sealed, hash FROM audit_entries WHERE number > ?1 ORDER BY number LIMIT ?2
            """
        /// Only from the start of the chain: if a clock went back, younger lines come before older ones.
        static let oldest: Statement = """
            SELECT number, line_sealed, hash FROM audit_entries WHERE number > ?1 ORDER BY number LIMIT ?2
            """
        static let remove: Statement = "DELETE FROM audit_entries WHERE number <= ?1"
    }

    let form: AuditForm
    let sealing: Sealing

    private static func context(_ number: Int64) -> [UInt8] {
        SealingContext("audit_entries.line_sealed", row: AuditLine.bytes(of: number)).bytes
    }

    func append(_ entry: AuditEntry, _ connection: any Connection) throws(StorageFault) {
        var (ends, isAuthentic) = try ends(connection)
        let (number, isTooFar) = ends.last.addingReportingOverflow(1)
        guard !isTooFar, number > 0 else { throw .corrupt("audit_ends.last_number") }
        let line = form.line(entry, number, ends.lastHash)
        let hash = form.hash(line)
        let sealed = try sealing.seal(line, Self.context(number))
        try connection.run(SQL.insert.claiming) {
            $0.integer(number)
            $0.time(entry.at)
            $0.blob(sealed)
            $0.blob(hash)
        }
        ends.last = number
        ends.lastHash = hash
        try save(ends, isAuthentic: isAuthentic, connection)
    }

    /// Both ends, and whether they are authentic: written with the key. A database without entries has authentic ends;
    /// entries without ends are not authentic.
    func ends(_ connection: any Connection) throws(StorageFault) -> (AuditEnds, isAuthentic: Bool) {
        let noted = try connection.first(SQL.ends.locking) { (row) throws(StorageFault) in
            let ends = AuditEnds(
                before: try row.integer("audit_ends.before_number"), beforeHash: try row.blob("audit_ends.before_hash"),
                last: try row.integer("audit_ends.last_number"), lastHash: try row.blob("audit_ends.last_hash"))
            return (ends, isAuthentic: form.code(ends.bytes) == (try row.blob("audit_ends.code")))
        }
        if let noted { return noted }
        let newest = try connection.first(SQL.newest) { (row) throws(StorageFault) in
            (number: try row.integer("audit_entries.number"), hash: try row.blob("audit_entries.hash"))
        }
        guard let newest else { return (.none, isAuthentic: true) }
        var ends = AuditEnds.none
        (ends.last, ends.lastHash) = newest
        return (ends, isAuthentic: false)
    }

    /// A line that cannot be opened is returned empty: no hash matches an empty line.
    func lines(after number: Int64, limit: Int, _ connection: any Connection) throws(StorageFault) -> [AuditLine] {
        try connection.all(SQL.lines) {
            $0.integer(number)
            $0.integer(limit)
        } _: { (row) throws(StorageFault) in
            let number = try row.integer("audit_entries.number")
            let sealed = try row.blob("audit_entries.line_sealed")
            return AuditLine(
                number: number, text: (try? sealing.open(sealed, Self.context(number))) ?? [],
                hash: try row.blob("audit_entries.hash"))
        }
    }

    /// Removes the oldest lines, as long as all of them are from before `end`; returns how many. A line dated in the
    /// future, written while a clock was wrong, counts as old as the line after it. The time comes from the line
    /// itself, which its hash covers: a separate column could be changed by anyone who can write the file. A damaged
    /// line stays, and so do all lines after it.
    func sweep(
        before end: Timestamp, at now: Timestamp, limit: Int, _ connection: any Connection
    ) throws(StorageFault) -> Int {
        var (ends, isAuthentic) = try ends(connection)
        let oldest = try connection.all(SQL.oldest) {
            $0.integer(ends.before)
            $0.integer(limit)
        } _: { (row) throws(StorageFault) in
            (
                number: try row.integer("audit_entries.number"), sealed: try row.blob("audit_entries.line_sealed"),
                hash: try row.blob("audit_entries.hash")
            )
        }
        let times = oldest.map { row -> Timestamp? in
            guard let line = try? sealing.open(row.sealed, Self.context(row.number)), form.hash(line) == row.hash else {
                return nil
            }
            return form.time(line)
        }
        let old = times.prefix { time in time.map { $0 < end || $0 > now } ?? false }
        guard let count = old.lastIndex(where: { $0.map { $0 < end } ?? false }).map({ $0 + 1 }) else { return 0 }
        let last = oldest[count - 1]
        try connection.run(SQL.remove) { $0.integer(last.number) }
        ends.before = last.number
        ends.beforeHash = last.hash
        try save(ends, isAuthentic: isAuthentic, connection)
        return count
    }

    /// Replaces the code of ends that were not authentic. It never verifies, so that tampering with the log stays
    /// visible.
    private static let noCode = [UInt8](repeating: 0, count: 32)

    private func save(
        _ ends: AuditEnds, isAuthentic: Bool, _ connection: any Connection
    ) throws(StorageFault) {
        try connection.run(SQL.saveEnds) {
            $0.integer(ends.before)
            $0.blob(ends.beforeHash)
            $0.integer(ends.last)
            $0.blob(ends.lastHash)
            $0.blob(isAuthentic ? form.code(ends.bytes) : Self.noCode)
        }
    }
}
