internal import Administration
internal import Backups
internal import Glibc
internal import Engine
internal import Possession
internal import SQLiteStorage
internal import Storage
internal import Tokens

/// Builds a data directory from a backup in a separate folder: reads and checks the backup, opens the store with its
/// keys, and revokes everything that may have been used since the backup (DUR-18).
struct Rebuilding {
    /// The configuration with the paths of the folder and the master key.
    let configuration: Configuration
    let work: WorkFolder
    let now: Now

    struct Rebuilt {
        let manifest: BackupManifest
        let revocation: RestoredStore.Revocation
        /// Notes on the chosen backup.
        var notes: [String] = []
    }

    init(_ configuration: Configuration, masterKeyFile: String, in work: WorkFolder, now: @escaping Now) {
        var configuration = configuration
        configuration.data.directory = work.path
        configuration.keys.masterKeyFile = masterKeyFile
        self.configuration = configuration
        self.work = work
        self.now = now
    }

    /// - Parameter isDrill: every value must be sound, and the signing keys of a first start are made. In a real
    ///   restore, a database with a damaged value is better than none.
    func build(from reader: BackupReader, isDrill: Bool) async throws(StartFault) -> Rebuilt {
        try decrypt(reader)
        try compare(reader.manifest)
        var consent = StartConsent()
        // The backup's clock may have been ahead. Accept the earlier time, because nothing that depended on the clock
        // is left.
        consent.clock = true
        let store = try await Store.open(configuration, consent: consent, isCopy: true)
        let revocation: RestoredStore.Revocation
        do {
            revocation = try await RestoredStore(store, configuration, now: now).revoke(
                isDrill: isDrill, detail: [("madeAt", reader.manifest.madeAt.rfc3339)])
            if isDrill { _ = try await store.tokenService(publicURL: "https://drill.invalid") }
        } catch {
            await store.close()
            throw error
        }
        await store.close()
        guard Folder.size(of: work.databasePath + "-wal") == 0 else {
            throw .failed("the log of \(work.databasePath) could not be emptied")
        }
        return Rebuilt(manifest: reader.manifest, revocation: revocation)
    }

    private func decrypt(_ reader: BackupReader) throws(StartFault) {
        do throws(BackupFault) {
            let file = try PlainFile(making: work.databasePath)
            while let bytes = try reader.next() { try file.write(bytes) }
            try file.sync()
        } catch { throw StartFault(error) }
    }

    private func compare(_ manifest: BackupManifest) throws(StartFault) {
        let facts: DatabaseFacts
        do throws(OpeningFault) { facts = try DatabaseCopy.check(work.databasePath) } catch {
            throw .data("the backup cannot be used: \(error)")
        }
        let tables = facts.tables.map { BackupManifest.Table(name: $0.name, rows: $0.rows) }
        for (found, noted) in zip(tables, manifest.tables) where found != noted {
            throw .data("the backup contradicts itself: \(found.rows) rows in \(found.name), \(noted.rows) were noted")
        }
        guard tables.count == manifest.tables.count, facts.migration == manifest.migration,
            facts.commits == manifest.commits
        else { throw .data("the backup contradicts itself: its tables, migration or commits are not those noted") }
    }
}

extension StartFault {
    init(_ fault: BackupFault) {
        self = fault.isOfTheFile ? .data(fault.description) : .failed(fault.description)
    }
}
