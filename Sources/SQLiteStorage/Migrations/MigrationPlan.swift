internal import Possession

/// Which migrations of a folder a database has, and which it would get.
package struct MigrationPlan: Sendable, Equatable {
    /// 0 for a database that is not there yet.
    package let version: Int
    /// File names, in their order.
    package let pending: [String]

    /// - Parameter database: its path; nothing has to be there, and nothing is changed.
    /// - Throws: `.migrations` when the folder cannot be used; `.newer`, `.failed`, `.damaged` as an opening does.
    package init(database path: String, migrations folder: String) throws(OpeningFault) {
        let files = try MigrationFile.all(in: folder)
        let opening = Opening(path: path, inMemory: false)
        guard SystemFiles.exists(path) else {
            version = 0
            pending = files.map(\.name)
            return
        }
        let connection: Connection
        do { connection = try Connection(path: path, .reader) } catch { throw opening.refusal(error.fault) }
        let version = try opening.step { () throws(StorageFault) in try connection.header().version }
        guard version <= files.count else { throw .newer(path: path, version: version, known: files.count) }
        self.version = version
        pending = files.dropFirst(version).map(\.name)
    }

    /// Whether the folder can be used, whatever the database is.
    package static func checkFolder(_ folder: String) throws(OpeningFault) {
        _ = try MigrationFile.all(in: folder)
    }
}
