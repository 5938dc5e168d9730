internal import Locks
package import Engine
package import Possession
internal import Text

/// Loads and stores the keyset, and provides its keys.
package final class KeysetKeeper: Sendable {
    /// Note about the start, for the operator.
    package enum StartNote: Sendable, Equatable {
        /// Older master keys (IDs) will open nothing after `endOlderMasters` has run.
        case oldMasterEnds([String])
        /// A newer master key (ID) is waiting for a restart with it.
        case newerMasterWaits(String)
        /// A replacement of the key file, which a crash had interrupted, was completed.
        case replacementCompleted(String)
        /// The keyset was made from the master key of a build without keysets.
        case inherited
    }

    struct State: Sendable {
        /// The master key from the key file.
        var master: MasterKey
        var stored: [StoredKeyset]
        var keyset: Keyset
        var isBusy = false
        /// Numbers of the last reading of the stored keysets that has begun, and of the one in use.
        fileprivate var readings = (begun: 0, used: 0)

        init(master: MasterKey, stored: [StoredKeyset], keyset: Keyset) {
            self.master = master
            self.stored = stored
            self.keyset = keyset
        }

        fileprivate mutating func beginReading() -> Int {
            readings.begun += 1
            return readings.begun
        }

        /// The row of the master key in use.
        func own() throws(TokenFault) -> StoredKeyset {
            let id = try master.keyID()
            guard let own = stored.first(where: { $0.masterID == id }) else { throw TokenFault("no keyset is stored") }
            return own
        }

        /// The row of a newer master key that is waiting for a restart.
        func newer(than own: StoredKeyset) -> StoredKeyset? { stored.last { $0.number > own.number } }
    }

    /// Seals stored data of callers and people.
    package let sealer: Sealer
    /// Seals the keys that sign tokens.
    package let signingKeySealer: Sealer
    package let startNotes: [StartNote]
    let store: any KeysetStore
    let keyFile: String
    let randomBytes: RandomBytes
    let state: Locked<State>

    /// All other keys are derived from it.
    package var root: MasterKey { state.withLock { $0.keyset.root } }

    /// The one in the key file; changes with `replaceMaster`.
    package var master: MasterKey { state.withLock { $0.master } }

    /// Whether the keyset is also stored for another master key, which the next start may have.
    package var hasOtherMaster: Bool { state.withLock { $0.stored.count > 1 } }

    /// Whether stored values may still be sealed with an older sealing key.
    package var hasOlderSealingKeys: Bool { state.withLock { $0.keyset.generations.count > 1 } }

    /// - Parameter now: the machine's clock.
    init(
        _ state: State, notes: [StartNote], store: any KeysetStore, keyFile: String, now: @escaping Now,
        randomBytes: @escaping RandomBytes
    ) throws(TokenFault) {
        sealer = try Sealer(keys: try state.keyset.sealingKeys(.seal), now: now, randomBytes: randomBytes)
        signingKeySealer = try Sealer(
            keys: try state.keyset.sealingKeys(.signingKeySeal), now: now, randomBytes: randomBytes)
        startNotes = notes
        self.store = store
        self.keyFile = keyFile
        self.randomBytes = randomBytes
        self.state = Locked(state)
    }

    /// The keys in use, and since when.
    package struct Standing: Sendable, Equatable {
        package let masterID: String
        package let masterSince: Timestamp
        /// Stored, but used only after a restart with it.
        package let waitingMasterID: String?
        package let generation: UInt8
        package let generationSince: Timestamp
        /// Older generations that still open values.
        package let olderGenerations: [UInt8]
    }

    package func standing() throws(TokenFault) -> Standing {
        let state = state.withLock { $0 }
        let (own, keyset) = (try state.own(), state.keyset)
        return Standing(
            masterID: Self.name(own.masterID), masterSince: own.createdAt,
            waitingMasterID: state.newer(than: own).map { Self.name($0.masterID) }, generation: keyset.current.number,
            generationSince: keyset.current.since, olderGenerations: keyset.generations.dropLast().map(\.number))
    }

    /// Name of a master key, as operators see it.
    static func name(_ id: [UInt8]) -> String { Hex.text(id) }

    // MARK: One change at a time

    /// Runs `change` while no other change runs.
    /// - Throws: `.busy`.
    func alone<Value: Sendable>(
        _ change: (State) async throws(KeysetFault) -> Value
    ) async throws(KeysetFault) -> Value {
        let state = state.withLock { state -> State? in
            if state.isBusy { return nil }
            state.isBusy = true
            return state
        }
        guard let state else { throw .busy }
        defer { self.state.withLock { $0.isBusy = false } }
        return try await change(state)
    }

    /// Stores the new keysets, and then uses them.
    /// - Parameter keyset: their content; `nil`: as before.
    func save(
        _ new: [StoredKeyset], over old: [StoredKeyset], of keyset: Keyset? = nil
    ) async throws(KeysetFault) {
        let reading = state.withLock { $0.beginReading() }
        do { try await store.replaceKeysets(old, with: new) } catch { throw .storage(error) }
        do { try use(new, of: keyset ?? state.withLock(\.keyset), reading) } catch { throw .token(error) }
    }

    /// Reads the keyset again, which another server may have changed.
    /// - Throws: `.corrupt`: it is damaged, or the master key of this server does not open it.
    package func readAgain() async throws(StorageFault) {
        let reading = state.withLock { $0.beginReading() }
        let stored = try await store.keysets()
        do throws(TokenFault) {
            let master = master
            let id = try master.keyID()
            guard let own = stored.first(where: { $0.masterID == id }) else {
                throw TokenFault("another server has ended this master key")
            }
            try use(stored, of: try Keyset(own.sealed, under: master), reading)
        } catch { throw .corrupt(what: "the keyset: \(error)") }
    }

    /// Uses what was read or stored, unless a reading that began later is in use.
    private func use(_ stored: [StoredKeyset], of keyset: Keyset, _ reading: Int) throws(TokenFault) {
        let (keys, signingKeys) = (try keyset.sealingKeys(.seal), try keyset.sealingKeys(.signingKeySeal))
        try state.withLock { (state) throws(TokenFault) in
            guard reading > state.readings.used else { return }
            try sealer.adopt(keys)
            try signingKeySealer.adopt(signingKeys)
            state.keyset = keyset
            state.stored = stored
            state.readings.used = reading
        }
    }

    static func own(_ state: State) throws(KeysetFault) -> StoredKeyset {
        do { return try state.own() } catch { throw .token(error) }
    }

    /// A keyset as a row for a master key.
    static func row(
        _ keyset: Keyset, _ master: MasterKey, number: Int, at time: Timestamp, _ randomBytes: @escaping RandomBytes
    ) throws(KeysetFault) -> StoredKeyset {
        do {
            return StoredKeyset(
                masterID: try master.keyID(), number: number, createdAt: time,
                sealed: try keyset.sealed(under: master, randomBytes))
        } catch { throw .token(error) }
    }
}

extension KeysetKeeper {
    // MARK: The sealing key

    /// Adds a sealing key. Each server can open with it before one seals with it; values sealed with older keys stay
    /// readable.
    ///
    /// - Throws: `KeysetFault`; the former key then seals.
    package func rotateSealing(at now: Timestamp) async throws(KeysetFault) {
        var added: UInt8 = 0
        try await changeKeyset { (keyset) throws(TokenFault) in
            let next = try keyset.adding(at: now, self.randomBytes)
            added = next.number
            return next.keyset
        }
        try await changeKeyset { (keyset) throws(TokenFault) in try keyset.sealing(with: added) }
    }

    /// Removes all older sealing keys except the named ones. Returns the removed ones.
    ///
    /// - Parameter generation: the one that seals; nothing changes if it is no longer the current one.
    /// - Throws: `KeysetFault`; nothing has changed then.
    package func retireSealing(
        before generation: UInt8, keeping numbers: Set<UInt8>
    ) async throws(KeysetFault) -> [UInt8] {
        let before = state.withLock { $0.keyset }
        guard before.current.number == generation else { return [] }
        let gone = before.generations.map(\.number).filter { $0 != generation && !numbers.contains($0) }
        guard !gone.isEmpty else { return [] }
        try await changeKeyset { (keyset) throws(TokenFault) in
            guard keyset.current.number == generation else { throw TokenFault("another sealing key has come") }
            return keyset.keeping(numbers)
        }
        return gone
    }

    private func changeKeyset(_ change: (Keyset) throws(TokenFault) -> Keyset) async throws(KeysetFault) {
        try await alone { (state) throws(KeysetFault) in
            let own = try Self.own(state)
            // The keyset can be sealed only for the current master key, so a start with the waiting one would miss the
            // change.
            if let newer = state.newer(than: own) { throw .masterWaits(Self.name(newer.masterID)) }
            let keyset: Keyset
            do throws(TokenFault) { keyset = try change(state.keyset) } catch { throw .token(error) }
            if state.stored.count > 1 {
                // This ends the old master key, so the file must durably contain the new one.
                do throws(KeyFileFault) { try MasterKey.syncDirectory(of: self.keyFile) } catch { throw .file(error) }
            }
            let row = try Self.row(keyset, state.master, number: own.number, at: own.createdAt, self.randomBytes)
            try await self.save([row], over: state.stored, of: keyset)
        }
    }
}
