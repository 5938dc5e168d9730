internal import Engine
internal import Possession
internal import Storage

/// Brings the schema up to the last migration file, forward only (DUR-12).
///
/// Each file runs in one transaction together with its record and the new `user_version`, so that a crash leaves the
/// schema before or after it. The record is the file's whole text: comparing it detects an edit of an applied file.
struct Migrator {
    let files: [MigrationFile]
    let opening: Opening

    func migrate(_ connection: SQLiteConnection, from version: Int, now: Timestamp) throws(OpeningFault) {
        if version > 0 { try compare(connection, applied: version) }
        for file in files.dropFirst(version) { try apply(file, connection, now) }
    }

    private func compare(_ connection: SQLiteConnection, applied version: Int) throws(OpeningFault) {
        let records = try opening.step { () throws(StorageFault) in try MigrationsTable.all(connection) }
        guard records.count == version else {
            throw .damaged(path: opening.path, reason: "user_version \(version) with \(records.count) migrations")
        }
        for (file, record) in zip(files, records) where file != record {
            throw .altered(migration: record.name)
        }
    }

    private func apply(_ file: MigrationFile, _ connection: SQLiteConnection, _ now: Timestamp) throws(OpeningFault) {
        do throws(SQLiteFailure) {
            try connection.runScript("BEGIN IMMEDIATE")
            try connection.runScript(file.text)
        } catch {
            let reason = connection.lastMessage
            connection.rollBack()
            throw .migrationFailed(migration: file.name, reason: reason)
        }
        guard connection.isInTransaction else {
            throw .migrationFailed(migration: file.name, reason: "it must not end its transaction")
        }
        do throws(StorageFault) {
            try MigrationsTable.record(file, at: now, connection)
            try connection.commit()
        } catch {
            connection.rollBack()
            throw opening.refusal(error)
        }
    }
}
