internal import Administration
internal import Backups
internal import Glibc
internal import Possession
internal import SQLiteStorage
internal import Tokens

/// Restores a backup into the data directory, or tests it in a separate folder.
///
/// Builds the directory in a work folder inside the data directory, then moves its files into place, the database last.
/// So after a crash the data directory either starts with all files, or refuses to start and accepts the same restore
/// again.
struct RestoreRun {
    let configuration: Configuration
    let signals: EndingSignals
    let now: Now

    /// - Parameters:
    ///   - path: the path of a backup, or of a folder, whose newest backup is used.
    ///   - masterKeyFile: the master key at the time of the backup. It is copied into place if the configured file is
    ///     missing.
    func restore(from path: String, masterKeyFile: String?) async throws(StartFault) -> Rebuilding.Rebuilt {
        let data = configuration.data.directory
        let directory: DataDirectory
        do throws(OpeningFault) { directory = try DataDirectory(data) } catch { throw .failed(error.description) }
        defer { withExtendedLifetime(directory) {} }
        try refuseDatabase(in: data)
        let keyFile = try keyFile(masterKeyFile)
        let place = configuration.keys.masterKeyFile
        guard FirstStart.exists(place) || access(Folder.parent(of: place), W_OK) == 0 else {
            throw .failed("\(place) is missing and cannot be written: put the backup's master key there, then restore")
        }
        let choice = try choose(path, keyFile)
        let reader = choice.reader
        try Folder.requireRoom([(data, reader.manifest.databaseBytes * 11 / 10 + (16 << 20))])
        // From here on, a start reports that the directory has lost its database.
        try ModeMark.check(configuration.mode, in: data)
        FirstStart.end(in: data)
        let work = try WorkFolder(data + "/restore.work", signals)
        defer { work.remove() }
        let rebuilding = Rebuilding(configuration, masterKeyFile: keyFile, in: work, now: now)
        var rebuilt = try await rebuilding.build(from: reader, isDrill: false)
        rebuilt.notes = choice.notes
        if !FirstStart.exists(place) {
            do { try MasterKey.copy(keyFile, to: place) } catch { throw .failed(error.reason) }
        }
        try Folder.move(work.witnessPath, to: data + "/holdfast.commits", replaces: true)
        try Folder.move(work.databasePath, to: directory.databasePath, replaces: false)
        return rebuilt
    }

    /// Tests the restore without changing the data directory's files, and removes everything afterwards.
    /// - Parameter folder: the folder for the unencrypted copy; `nil`: the data directory.
    func drill(
        from path: String, masterKeyFile: String?, in folder: String?
    ) async throws(StartFault) -> Rebuilding.Rebuilt {
        let base = folder ?? configuration.data.directory
        guard Folder.exists(base) else {
            throw .failed("there is no directory \(base): say with --work-directory where the copy may be meanwhile")
        }
        let keyFile = masterKeyFile ?? configuration.keys.masterKeyFile
        let choice = try choose(path, keyFile)
        let reader = choice.reader
        try Folder.requireRoom([(base, reader.manifest.databaseBytes * 11 / 10 + (64 << 20))])
        let work = try WorkFolder(base + "/drill.work", signals)
        defer { work.remove() }
        let rebuilding = Rebuilding(configuration, masterKeyFile: keyFile, in: work, now: now)
        var rebuilt = try await rebuilding.build(from: reader, isDrill: true)
        rebuilt.notes = choice.notes
        return rebuilt
    }

    /// A log without its database also counts: SQLite would apply it to the restored database.
    private func refuseDatabase(in data: String) throws(StartFault) {
        let database = DataDirectory.databasePath(in: data)
        let found = [database, database + "-wal", database + "-shm"].first { FirstStart.exists($0) }
        guard let found else { return }
        throw .failed(
            "\(found) is there, and a restore replaces nothing: stop the server, move holdfast.db, holdfast.db-wal, holdfast.db-shm and holdfast.commits together to another directory, then restore again"
        )
    }

    /// The master key file for reading the backup.
    private func keyFile(_ given: String?) throws(StartFault) -> String {
        let place = configuration.keys.masterKeyFile
        guard FirstStart.exists(place) else {
            guard let given else {
                throw .failed("\(place) is missing: give the master key of the backup with --master-key")
            }
            return given
        }
        guard let given else { return place }
        guard try BackupKeys(masterKeyFile: given).id == BackupKeys(masterKeyFile: place).id else {
            throw .failed("\(place) is another master key than \(given): move it away, then restore again")
        }
        return place
    }

    private func choose(_ path: String, _ keyFile: String) throws(StartFault) -> BackupChoice {
        let (keys, mode) = (try BackupKeys(masterKeyFile: keyFile), configuration.mode.rawValue)
        let choice = try BackupChoice(path, keys, mode: mode)
        let manifest = choice.reader.manifest
        guard manifest.mode.utf8.elementsEqual(mode.utf8) else {
            throw .configuration("the backup is of \(manifest.mode) mode, not of \(mode)")
        }
        return choice
    }
}
