internal import Administration
internal import Backups
internal import Glibc
internal import Engine
internal import Possession
internal import SQLiteStorage
internal import Storage
internal import Text
internal import Tokens

/// Makes one backup: copies the database while a server may run, checks the copy, encrypts it, and reads the result
/// back (DUR-17).
struct BackupRun {
    let configuration: Configuration
    let signals: EndingSignals
    let now: Now

    struct Made {
        let path: String
        let bytes: Int
        let manifest: BackupManifest
        /// The names of older backups that were removed.
        let removed: [String]
        /// Whether `/metrics` will show the backup.
        let isNoted: Bool
    }

    /// Free space that must remain on the data disk for a running server.
    private static let spareBytes = 64 << 20

    /// - Parameters:
    ///   - path: the file to make, or a folder.
    ///   - replaces: whether an existing file of that name is replaced.
    ///   - keep: how many backups stay in the folder; `nil`: all.
    ///   - workFolder: the folder for the unencrypted copy; `nil`: the data directory.
    func make(
        to path: String, replaces: Bool, keep: Int? = nil, workFolder: String? = nil
    ) throws(StartFault) -> Made {
        let data = configuration.data.directory
        guard try ModeMark.compare(configuration.mode, in: data) else {
            throw .failed("\(data) has no database to back up")
        }
        // Report an unreadable key before any work.
        _ = try BackupKeys(masterKeyFile: configuration.keys.masterKeyFile)
        let madeAt = now()
        let target = BackupTarget(path, at: madeAt)
        guard keep == nil || target.isInFolder else { throw .failed("--keep needs a directory, and \(path) is none") }
        if !replaces && FirstStart.exists(target.path) {
            throw .failed("\(target.path) is there already; give another name, or --replace")
        }
        let base = workFolder ?? data
        let database = DataDirectory.databasePath(in: data)
        let bytes = Folder.size(of: database) + Folder.size(of: database + "-wal")
        try Folder.requireRoom([(base, bytes + Self.spareBytes), (target.parent, bytes + bytes / 1000)])
        let work = try WorkFolder(base + "/backup.work", signals)
        defer { work.remove() }
        target.removeLeftovers()
        let facts = try copy(database, to: work.databasePath)
        let keys = try keys(of: facts)
        let manifest = manifest(of: facts, at: madeAt)
        signals.onEnd { unlink(target.partPath) }
        do {
            try encrypt(work.databasePath, to: target.partPath, keys, manifest)
            work.remove()
            try verify(target.partPath, keys, manifest)
            try Folder.move(target.partPath, to: target.path, replaces: replaces)
        } catch {
            unlink(target.partPath)
            throw error
        }
        let size = Folder.size(of: target.path)
        let isNoted = BackupNote.write(BackupNote.Backup(madeAt: madeAt, bytes: size), in: data)
        let removed = keep.map { target.removeOldest(keeping: $0) } ?? []
        return Made(path: target.path, bytes: size, manifest: manifest, removed: removed, isNoted: isNoted)
    }

    private func copy(_ database: String, to path: String) throws(StartFault) -> DatabaseFacts {
        do throws(OpeningFault) {
            try DatabaseCopy.make(from: database, to: path)
            return try DatabaseCopy.check(path)
        } catch { throw .failed("no backup was made: \(error)") }
    }

    /// The backup keys of the current master key, which may have been replaced since the copy began. Refuses a master
    /// key that does not open the database: such a backup would be useless.
    private func keys(of facts: DatabaseFacts) throws(StartFault) -> BackupKeys {
        let file = configuration.keys.masterKeyFile
        let keys = try BackupKeys(masterKeyFile: file)
        guard facts.masterIDs.isEmpty || facts.masterIDs.contains(keys.id) else {
            let wanted = facts.masterIDs.map { Hex.text($0) }.joined(separator: " or ")
            throw .failed(
                "no backup was made: \(file) has master key \(Hex.text(keys.id)), and the database opens with \(wanted): if it was replaced just now, try again; else put the right key there"
            )
        }
        return keys
    }

    private func manifest(of facts: DatabaseFacts, at madeAt: Timestamp) -> BackupManifest {
        BackupManifest(
            madeAt: madeAt, program: BuildInfo.version, mode: configuration.mode.rawValue, migration: facts.migration,
            commits: facts.commits, databaseBytes: facts.bytes,
            tables: facts.tables.map { BackupManifest.Table(name: $0.name, rows: $0.rows) })
    }

    private func encrypt(
        _ copy: String, to path: String, _ keys: BackupKeys, _ manifest: BackupManifest
    ) throws(StartFault) {
        let salt: [UInt8]
        do { salt = try SystemRandom().bytes(BackupHeader.saltBytes) } catch {
            throw .failed("no random bytes for a backup")
        }
        do throws(BackupFault) {
            let source = try PlainFile(reading: copy)
            let writer = try BackupWriter(path, keys, salt: salt, manifest)
            while true {
                let bytes = try source.read(Self.pieceBytes)
                if bytes.isEmpty { break }
                try writer.write(bytes)
            }
            try writer.finish()
        } catch { throw .failed("no backup was made: \(error)") }
    }

    private static let pieceBytes = 1 << 20

    /// Reads the whole backup from the disk again.
    private func verify(_ path: String, _ keys: BackupKeys, _ manifest: BackupManifest) throws(StartFault) {
        do throws(BackupFault) {
            let reader = try BackupReader(path, keys)
            guard reader.manifest == manifest else {
                throw BackupFault.contradiction(path: path, reason: "its manifest is not the one that was written")
            }
            while try reader.next() != nil {}
        } catch { throw .failed("no backup was made, what was written cannot be read back: \(error)") }
    }
}

extension BackupKeys {
    /// - Parameter path: the path of the file with the master key.
    init(masterKeyFile path: String) throws(StartFault) {
        let master: MasterKey
        do throws(KeyFileFault) { master = try MasterKey.load(path) } catch { throw .failed(error.reason) }
        do throws(TokenFault) { try self.init(master) } catch { throw .failed(error.reason) }
    }
}
