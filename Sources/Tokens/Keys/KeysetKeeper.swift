internal import Locks
package import Possession
internal import Text

/// Brings the keyset from storage and back, and gives its parts to those who use them.
package final class KeysetKeeper: Sendable {
    /// Note of a start for the operator.
    package enum StartNote: Sendable, Equatable {
        /// Older master keys open nothing any more, once `endOlderMasters` has run; ids.
        case oldMasterEnds([String])
        /// A newer master key waits for a start with it.
        case newerMasterWaits(String)
        /// The replacement of the key file was completed, which a crash had left half done.
        case replacementCompleted(String)
        /// The keyset was made from the master key of a build without keysets.
        case inherited
    }

    struct State: Sendable {
        /// Master key of the key file.
        var master: MasterKey
        var stored: [StoredKeyset]
        var keyset: Keyset
        var isBusy = false

        /// The row of the master key in use.
        func own() throws(TokenFault) -> StoredKeyset {
            let id = try master.keyID()
            guard let own = stored.first(where: { $0.masterID == id }) else { throw TokenFault("no keyset is stored") }
            return own
        }

        /// That of a master key that waits for a start with it.
        func newer(than own: StoredKeyset) -> StoredKeyset? { stored.last { $0.number > own.number } }
    }

    /// Seals what is stored of callers and people.
    package let sealer: Sealer
    /// Seals the keys that sign tokens.
    package let signingKeySealer: Sealer
    package let startNotes: [StartNote]
    let store: any KeysetStore
    let keyFile: String
    let randomBytes: RandomBytes
    let state: Locked<State>

    /// All other keys come from it.
    package var root: MasterKey { state.withLock { $0.keyset.root } }

    /// The one in the key file: another one after `replaceMaster`.
    package var master: MasterKey { state.withLock { $0.master } }

    /// Whether values may be stored that an older sealing key has sealed.
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

    /// Which keys are in use, and since when.
    package struct Standing: Sendable, Equatable {
        package let masterID: String
        package let masterSince: Timestamp
        /// Added, and not in use before a start with it.
        package let waitingMasterID: String?
        package let generation: UInt8
        package let generationSince: Timestamp
        /// Those that still open values.
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

    /// Runs `change` while no other does.
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

    /// Stores what `stored` is to be, and goes on with it.
    func save(_ new: [StoredKeyset], over old: [StoredKeyset]) async throws(KeysetFault) {
        do { try await store.replaceKeysets(old, with: new) } catch { throw .storage(error) }
        state.withLock { $0.stored = new }
    }

    static func own(_ state: State) throws(KeysetFault) -> StoredKeyset {
        do { return try state.own() } catch { throw .token(error) }
    }

    /// A keyset as the row of a master key.
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

    /// Adds a sealing key. It is durable before it seals; what older ones have sealed stays readable.
    ///
    /// - Throws: `KeysetFault`; nothing has changed then.
    package func rotateSealing(at now: Timestamp) async throws(KeysetFault) {
        try await changeKeyset { (keyset) throws(TokenFault) in try keyset.rotated(at: now, self.randomBytes) }
    }

    /// Removes every older sealing key but those that are named. Returns those that went.
    ///
    /// - Parameter generation: the one that seals; nothing changes when it is another by now.
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
            // The keyset can be sealed for the key in use only, and a start with the other one would miss the change.
            if let newer = state.newer(than: own) { throw .masterWaits(Self.name(newer.masterID)) }
            let keyset: Keyset
            let keys: (SealingKeys, SealingKeys)
            do throws(TokenFault) {
                keyset = try change(state.keyset)
                keys = (try keyset.sealingKeys(.seal), try keyset.sealingKeys(.signingKeySeal))
            } catch { throw .token(error) }
            if state.stored.count > 1 {
                // The old master key ends with this, so the file must have the new one for good.
                do throws(KeyFileFault) { try MasterKey.syncDirectory(of: self.keyFile) } catch { throw .file(error) }
            }
            let row = try Self.row(keyset, state.master, number: own.number, at: own.createdAt, self.randomBytes)
            try await self.save([row], over: state.stored)
            self.state.withLock { $0.keyset = keyset }
            do throws(TokenFault) {
                try self.sealer.adopt(keys.0)
                try self.signingKeySealer.adopt(keys.1)
            } catch { throw .token(error) }
        }
    }
}
