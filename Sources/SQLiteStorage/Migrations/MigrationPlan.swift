internal import Engine
internal import Possession
internal import Storage

/// The migrations of a folder: how many a database has, and which are still to be applied.
package struct MigrationPlan: Sendable, Equatable {
    /// 0 if the database does not exist yet.
    package let version: Int
    /// File names, in order.
    package let pending: [String]

    /// - Parameter database: its path; the file may be missing, and nothing is changed.
    /// - Throws: `.migrations` when the folder cannot be used; `.newer`, `.failed`, `.damaged` as when opening.
    package init(database path: String, migrations folder: String) throws(OpeningFault) {
        let files = try MigrationFile.all(in: folder)
        let opening = Opening(path: path, inMemory: false)
        guard SystemFiles.exists(path) else {
            version = 0
            pending = files.map(\.name)
            return
        }
        let connection: SQLiteConnection
        do { connection = try SQLiteConnection(path: path, .reader) } catch { throw opening.refusal(error.fault) }
        let version = try opening.step { () throws(StorageFault) in try connection.header().version }
        guard version <= files.count else { throw .newer(path: path, version: version, known: files.count) }
        self.version = version
        pending = files.dropFirst(version).map(\.name)
    }

    /// Checks whether the folder can be used, without a database.
    package static func checkFolder(_ folder: String) throws(OpeningFault) {
        _ = try MigrationFile.all(in: folder)
    }
}
