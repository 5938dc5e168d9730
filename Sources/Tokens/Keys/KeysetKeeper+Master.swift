internal import Glibc
internal import Locks
package import Possession

// The master key is replaced in three steps, each durable before the next:
//
//     1. the database has the keyset under both keys    the file has the old key: a start opens with it
//     2. the file has the new key                       a start opens with that
//     3. the database has it under the new key only     the old key opens nothing any more

extension KeysetKeeper {
    /// Outcome of an order to replace the master key.
    package enum MasterChange: Sendable, Equatable {
        /// The file has another key now; its id, and that of the one before, which older backups need, with the file that
        /// keeps it.
        case replaced(String, before: String, keptAt: String)
        /// A key was added, and is used from the next start with its file; its id, and that of the one until then.
        case waits(String, before: String)
        /// No other key waits any more.
        case withdrawn
    }

    private static func draft(of keyFile: String) -> String { keyFile + ".next" }

    /// Writes the key in use to a file of its own, which nothing replaces: backups made until now open with it alone.
    private func keepMaster(_ id: String) throws(KeysetFault) -> String {
        let path = keyFile + "." + id
        // The file is there after a replacement that did not come to its end.
        guard access(path, F_OK) != 0 else { return path }
        do throws(KeyFileFault) { try master.write(to: path) } catch { throw .cannotReplace(error) }
        return path
    }

    /// Makes a new master key and puts it in the place of the one in the key file.
    ///
    /// Once the file has the new key, the order is done: where the database cannot be told that the old key ends, the
    /// next start with the new one does that.
    /// - Parameter audit: told of the end of the old key.
    /// - Throws: `KeysetFault`; the key in use stays good then.
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
            // If this fails, it may have been stored all the same: then the next start finds the key in the draft.
            try await self.save([own, row], over: state.stored)
            let isDurable: Bool
            do throws(KeyFileFault) { isDurable = try MasterKey.move(draft, over: self.keyFile) } catch {
                // Not there, as on a mount of a single file: everything as it was.
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

    /// Adds the master key of another file, which the next start is to be given. The one in use stays until then, and one
    /// that was added before goes.
    ///
    /// - Parameter path: of the new key file; that of the key in use takes back what was added before.
    /// - Throws: `KeysetFault`; nothing has changed then.
    package func addMaster(_ path: String, at now: Timestamp) async throws(KeysetFault) -> MasterChange {
        try await alone { (state) throws(KeysetFault) in
            // The draft may be there after a replacement that did not come to its end.
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

    /// Ends older master keys where the one in use is the newest, and the key file has it for good.
    ///
    /// - Parameter audit: told of their end.
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

    /// The rows of keys before the one in use; none where a newer one waits.
    private static func older(_ state: State) throws(KeysetFault) -> [StoredKeyset] {
        let own = try own(state)
        return state.newer(than: own) == nil ? state.stored.filter { $0 != own } : []
    }

    /// From then on, older keys open nothing.
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

    /// Puts the new key into its place where a crash came between the first two steps. `nil`: there is no such key, or the
    /// system refuses; the old key is good then.
    static func finishReplacement(
        of keyFile: String, _ stored: [StoredKeyset]
    ) throws(KeysetFault) -> MasterKey? {
        let draft = draft(of: keyFile)
        guard stored.count > 1, access(draft, F_OK) == 0, let new = try? MasterKey.load(draft) else { return nil }
        do {
            guard try new.keyID() == stored.last?.masterID else { return nil }
        } catch { throw .token(error) }
        // Until that is durable, the old key must stay good.
        guard (try? MasterKey.move(draft, over: keyFile)) == true else { return nil }
        return new
    }
}
