package import Engine
package import Possession

extension KeysetKeeper {
    /// Facts about the database that opening its keyset needs.
    package struct Facts: Sendable {
        /// Whether it contains no data for which a key was used.
        package let isUnused: @Sendable () async throws(StorageFault) -> Bool
        /// Whether two sealers, of values and of signing keys, open at least one of its values; `nil`: it has none.
        package let isOpened: @Sendable (_ values: Sealer, _ signingKeys: Sealer) async throws(StorageFault) -> Bool?

        package init(
            isUnused: @escaping @Sendable () async throws(StorageFault) -> Bool,
            isOpened: @escaping @Sendable (Sealer, Sealer) async throws(StorageFault) -> Bool?
        ) {
            self.isUnused = isUnused
            self.isOpened = isOpened
        }
    }

    /// Opens the keyset of a database, or creates it at the first start of a build that has keysets. Completes a change
    /// of the master key that a crash interrupted, except ending older keys: `endOlderMasters` does that.
    ///
    /// - Parameters:
    ///   - master: of the key file.
    ///   - isCopy: the key file belongs to another database, and is not written.
    ///   - now: the machine's clock.
    /// - Throws: `KeysetFault` when the master key opens nothing, or the store refuses: the server must not start.
    package static func open(
        _ store: any KeysetStore, _ facts: Facts, master: MasterKey, keyFile: String, isCopy: Bool = false,
        now: @escaping Now,
        randomBytes: @escaping RandomBytes
    ) async throws(KeysetFault) -> KeysetKeeper {
        var stored: [StoredKeyset]
        do { stored = try await store.keysets() } catch { throw .storage(error) }
        var notes: [StartNote] = []
        var master = master
        if stored.isEmpty {
            let keyset = try await firstKeyset(facts, master, now, randomBytes, &notes)
            stored = [try row(keyset, master, number: 1, at: now(), randomBytes)]
            do { try await store.replaceKeysets([], with: stored) } catch {
                // Another server may have made the first keyset at the same time.
                do { stored = try await store.keysets() } catch { throw .storage(error) }
                if stored.isEmpty { throw .storage(error) }
            }
        } else if !isCopy, let finished = try finishReplacement(of: keyFile, stored) {
            master = finished
            notes.append(.replacementCompleted(keyFile))
        }

        let id: [UInt8]
        do { id = try master.keyID() } catch { throw .token(error) }
        guard let own = stored.first(where: { $0.masterID == id }) else {
            throw .otherMaster(name(id), wanted: stored.reversed().map { name($0.masterID) })
        }
        let keyset: Keyset
        do { keyset = try Keyset(own.sealed, under: master) } catch { throw .damaged(error) }
        if let newest = stored.last, newest != own {
            notes.append(.newerMasterWaits(name(newest.masterID)))
        } else if stored.count > 1 {
            notes.append(.oldMasterEnds(stored.dropLast().map { name($0.masterID) }))
        }
        do {
            return try KeysetKeeper(
                State(master: master, stored: stored, keyset: keyset), notes: notes, store: store, keyFile: keyFile,
                now: now, randomBytes: randomBytes)
        } catch { throw .token(error) }
    }

    private static func firstKeyset(
        _ facts: Facts, _ master: MasterKey, _ now: @escaping Now, _ randomBytes: @escaping RandomBytes,
        _ notes: inout [StartNote]
    ) async throws(KeysetFault) -> Keyset {
        do {
            if try await facts.isUnused() { return try Keyset.random(at: now(), randomBytes) }
            let keyset = Keyset.inherited(from: master, at: now())
            // Otherwise the wrong key would be recorded, and the right one could never be used again.
            let values = try Sealer(keys: try keyset.sealingKeys(.seal), now: now, randomBytes: randomBytes)
            let keys = try Sealer(keys: try keyset.sealingKeys(.signingKeySeal), now: now, randomBytes: randomBytes)
            guard try await facts.isOpened(values, keys) != false else { throw KeysetFault.opensNothing }
            notes.append(.inherited)
            return keyset
        } catch let fault as StorageFault {
            throw .storage(fault)
        } catch let fault as KeysetFault {
            throw fault
        } catch { throw .token(error as? TokenFault ?? TokenFault("\(error)")) }
    }
}
