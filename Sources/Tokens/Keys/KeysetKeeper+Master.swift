internal import Glibc
internal import Locks
package import Engine
package import Possession

// The master key is replaced in three steps, each durable before the next:
//
//     1. the database has the keyset under both keys    the file has the old key: a start opens with it
//     2. the file has the new key                       a start opens with that
//     3. the database has it under the new key only     the old key opens nothing any more

extension KeysetKeeper {
    /// Outcome of a command that replaces the master key.
    package enum MasterChange: Sendable, Equatable {
        /// The file now has another key: its ID, the ID of the previous key, which older backups need, and the file
        /// that keeps that key.
        case replaced(String, before: String, keptAt: String)
        /// A key was added, and is used from the next start with its file: its ID, and the ID of the key in use until
        /// then.
        case waits(String, before: String)
        /// The waiting key was withdrawn.
        case withdrawn
    }

    private static func draft(of keyFile: String) -> String { keyFile + ".next" }

    /// Writes the current key to a separate file that is never replaced: only this key opens the backups made so far.
    private func keepMaster(_ id: String) throws(KeysetFault) -> String {
        let path = keyFile + "." + id
        // The file exists after a replacement that was not completed.
        guard access(path, F_OK) != 0 else { return path }
        do throws(KeyFileFault) { try master.write(to: path) } catch { throw .cannotReplace(error) }
        return path
    }

    /// Creates a new master key and replaces the one in the key file.
    ///
    /// Once the file has the new key, the command has succeeded. If the database cannot record the end of the old key,
    /// the next start with the new key does that.
    /// - Parameter audit: records the end of the old key.
    /// - Throws: `KeysetFault`; the current key then stays valid.
    package func replaceMaster(
        at now: Timestamp, noting audit: any AuditLog
    ) async throws(KeysetFault) -> MasterChange {
        try await alone { (state) throws(KeysetFault) in
            let draft = Self.draft(of: self.keyFile)
            let own = try Self.own(state)
            if let waiting = state.newer(than: own) { throw .masterWaits(Self.name(waiting.masterID)) }
            unlink(draft)
            let kept = try self.keepMaster(Self.name(own.masterID))
            let new: MasterKey
            do throws(KeyFileFault) { new = try MasterKey.create(draft, randomBytes: self.randomBytes) } catch {
                unlink(kept)
                throw .cannotReplace(error)
            }
            let row = try Self.row(state.keyset, new, number: own.number + 1, at: now, self.randomBytes)
            // If this fails, the keyset may still have been stored: the next start then finds the key in the draft.
            try await self.save([own, row], over: state.stored)
            let isDurable: Bool
            do throws(KeyFileFault) { isDurable = try MasterKey.move(draft, over: self.keyFile) } catch {
                // Not possible, for example if the single file is a mount: restore the previous state.
                unlink(draft)
                unlink(kept)
                try await self.save([own], over: [own, row])
                throw .cannotReplace(error)
            }
            self.state.withLock { $0.master = new }
            if isDurable { try? await self.end([own], keeping: row, at: now, noting: audit) }
            return .replaced(Self.name(row.masterID), before: Self.name(own.masterID), keptAt: kept)
        }
    }

    /// Adds the master key of another file, which the next start must be given. The current key stays valid until then.
    /// A key that was added before is dropped.
    ///
    /// - Parameter path: of the new key file. The path of the current key withdraws a key that was added before.
    /// - Throws: `KeysetFault`; nothing has changed then.
    package func addMaster(_ path: String, at now: Timestamp) async throws(KeysetFault) -> MasterChange {
        try await alone { (state) throws(KeysetFault) in
            // The draft may exist after a replacement that was not completed.
            unlink(Self.draft(of: self.keyFile))
            let new: MasterKey
            do throws(KeyFileFault) { new = try MasterKey.load(path) } catch { throw .file(error) }
            let own = try Self.own(state)
            let row = try Self.row(state.keyset, new, number: own.number + 1, at: now, self.randomBytes)
            guard row.masterID != own.masterID else {
                if state.stored != [own] { try await self.save([own], over: state.stored) }
                return .withdrawn
            }
            try await self.save([own, row], over: state.stored)
            return .waits(Self.name(row.masterID), before: Self.name(own.masterID))
        }
    }

    /// Ends older master keys if the current one is the newest, and the key file durably contains it.
    ///
    /// - Parameter audit: records their end.
    /// - Throws: `KeysetFault`; nothing has changed then.
    package func endOlderMasters(at now: Timestamp, noting audit: any AuditLog) async throws(KeysetFault) {
        let older = try Self.older(state.withLock { $0 })
        guard !older.isEmpty else { return }
        try await alone { (state) throws(KeysetFault) in
            let older = try Self.older(state)
            guard !older.isEmpty else { return }
            do throws(KeyFileFault) { try MasterKey.syncDirectory(of: self.keyFile) } catch { throw .file(error) }
            try await self.end(older, keeping: try Self.own(state), at: now, noting: audit)
        }
    }

    /// The rows of keys older than the current one; empty if a newer key is waiting.
    private static func older(_ state: State) throws(KeysetFault) -> [StoredKeyset] {
        let own = try own(state)
        return state.newer(than: own) == nil ? state.stored.filter { $0 != own } : []
    }

    /// Removes the rows of older keys: from then on, those keys open nothing.
    private func end(
        _ older: [StoredKeyset], keeping own: StoredKeyset, at now: Timestamp, noting audit: any AuditLog
    ) async throws(KeysetFault) {
        let ids = older.map { Self.name($0.masterID) }.joined(separator: ",")
        let entry = AuditEntry(
            .masterKeyEnded, by: .server, at: now, detail: [("ids", ids), ("now", Self.name(own.masterID))])
        try await audit.recordingChange(entry) { () async -> Result<Void, KeysetFault> in
            do throws(KeysetFault) { return .success(try await self.save([own], over: older + [own])) } catch {
                return .failure(error)
            }
        }.get()
    }

    /// Moves the new key into place if a crash came between the first two steps. `nil`: there is no such key, or the
    /// system refuses; the old key is then still valid.
    static func finishReplacement(
        of keyFile: String, _ stored: [StoredKeyset]
    ) throws(KeysetFault) -> MasterKey? {
        let draft = draft(of: keyFile)
        guard stored.count > 1, access(draft, F_OK) == 0, let new = try? MasterKey.load(draft) else { return nil }
        do {
            guard try new.keyID() == stored.last?.masterID else { return nil }
        } catch { throw .token(error) }
        // Until the move is durable, the old key must stay valid.
        guard (try? MasterKey.move(draft, over: keyFile)) == true else { return nil }
        return new
    }
}
