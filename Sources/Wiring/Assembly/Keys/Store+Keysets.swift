internal import Administration
internal import Clocks
internal import Logging
internal import Engine
internal import Possession
internal import Storage
internal import Tokens

extension Store {
    /// Opens the keyset of a database.
    /// - Parameter isCopy: the key file belongs to another database.
    static func keysets(
        of database: Database, _ master: MasterKey, _ configuration: Configuration, _ random: SystemRandom,
        isCopy: Bool
    ) async throws(StartFault) -> KeysetKeeper {
        let rows = SealedRows(database)
        let facts = KeysetKeeper.Facts(
            isUnused: { () async throws(StorageFault) in try await rows.areUnused() },
            isOpened: { (values, signingKeys) async throws(StorageFault) in
                try await Resealer(rows, values, signingKeys).opensAny()
            })
        do throws(KeysetFault) {
            return try await KeysetKeeper.open(
                KeysetsTable(database), facts, master: master, keyFile: configuration.keys.masterKeyFile,
                isCopy: isCopy,
                now: { SystemClock.now() }, randomBytes: random.randomBytes)
        } catch { throw .failed(error.advice) }
    }

    var resealer: Resealer { Resealer(SealedRows(database), keysets.sealer, keysets.signingKeySealer) }

    /// Returns when all servers of the database use the keyset that is stored; `nil`: only one server may use it.
    var waitForServers: (@Sendable () async throws(StorageFault) -> Void)? {
        guard watched.server != nil else { return nil }
        let database = database
        return { () async throws(StorageFault) in try await database.waitForServers() }
    }

    /// - Parameter resealing: the progress of a running server; `nil`: none runs.
    func keysetAdministration(_ resealing: ResealProgress?) -> KeysetAdministration {
        let (keysets, resealer, watched) = (keysets, resealer, watched)
        return KeysetAdministration(
            keysets, now: { SystemClock.now() }, servers: { watched.servers }
        ) { () async throws(StorageFault) in
            let figures = resealing?.figures
            if !keysets.hasOlderSealingKeys { return .init(resealed: figures?.resealed, left: 0, unreadable: 0) }
            // Ignore figures of an earlier rotation.
            if let figures, let left = figures.left, figures.generation == keysets.sealer.generation {
                return .init(resealed: figures.resealed, left: left, unreadable: figures.unreadable)
            }
            return .init(resealed: figures?.resealed, left: try await resealer.count() ?? 0, unreadable: 0)
        }
    }
}

extension Logger {
    /// Logs what the start has found about the keys.
    func note(_ notes: [KeysetKeeper.StartNote]) {
        for note in notes {
            switch note {
            case .inherited:
                notice(
                    "all keys come from the master key: run holdfast keys rotate-master, then rotate-sealing, to part them"
                )
            case .oldMasterEnds(let ids):
                notice("the old master key opens nothing any more", metadata: ["ids": "\(ids.joined(separator: ","))"])
            case .replacementCompleted(let path):
                notice("the master key was replaced, which a crash had left half done", metadata: ["path": "\(path)"])
            case .newerMasterWaits(let id):
                warning(
                    "a newer master key was added: name its file in keys.masterKeyFile and restart",
                    metadata: ["id": "\(id)"])
            }
        }
    }
}
