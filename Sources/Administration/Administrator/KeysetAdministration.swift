internal import Engine
package import Possession
package import Tokens

/// Lets an operator replace the master key and the sealing key, and shows their state.
package struct KeysetAdministration: Sendable {
    /// The progress of sealing older values with the current key.
    package struct Progress: Sendable, Equatable {
        /// The values sealed again since the start; `nil`: no server runs.
        package let resealed: Int?
        /// The values that still have to be sealed again.
        package let left: Int
        /// The values among `left` that cannot be opened.
        package let unreadable: Int

        package init(resealed: Int?, left: Int, unreadable: Int) {
            self.resealed = resealed
            self.left = left
            self.unreadable = unreadable
        }
    }

    let keeper: KeysetKeeper
    /// The machine's clock.
    let now: Now
    /// Servers that use the keys.
    let servers: @Sendable () -> Int
    let progress: @Sendable () async throws -> Progress

    package init(
        _ keeper: KeysetKeeper, now: @escaping Now, servers: @escaping @Sendable () -> Int,
        progress: @escaping @Sendable () async throws -> Progress
    ) {
        self.keeper = keeper
        self.now = now
        self.servers = servers
        self.progress = progress
    }
}

extension Administrator {
    /// - Throws: `.failed`.
    func keysetStanding() async throws(Refusal) -> ShowKeyStatus.Status {
        let standing: KeysetKeeper.Standing
        do { standing = try keysets.keeper.standing() } catch { throw .failed("keys: \(error)") }
        do { return (standing, try await keysets.progress()) } catch { throw .failed("storage: \(error)") }
    }

    /// - Throws: `.invalid`, `.failed`.
    func rotateMaster(newKeyFile: String?) async throws(Refusal) -> KeysetKeeper.MasterChange {
        let now = keysets.now()
        guard keysets.servers() == 1 else {
            throw .invalid(
                "\(keysets.servers()) servers use the database, and the other ones have the former key: stop all but one"
            )
        }
        do throws(KeysetFault) {
            try await keysets.keeper.endOlderMasters(at: now, noting: audit)
            guard let newKeyFile else {
                return try await keysets.keeper.replaceMaster(at: now, noting: audit)
            }
            return try await keysets.keeper.addMaster(newKeyFile, at: now)
        } catch { throw Refusal(error) }
    }

    /// Replaces the sealing key if it is older than `age`, unless another change of the keys is in progress.
    /// - Returns: whether it was replaced.
    /// - Throws: `.invalid`, `.failed`.
    package func rotateSealing(olderThan age: Duration) async throws(Refusal) -> Bool {
        let standing: KeysetKeeper.Standing
        do { standing = try keysets.keeper.standing() } catch { throw .failed("keys: \(error)") }
        guard standing.waitingMasterID == nil, standing.olderGenerations.isEmpty,
            standing.generationSince.adding(age) <= keysets.now()
        else { return false }
        let entry = AuditEntry(.sealingKeyRotated, by: .server, at: keysets.now())
        try await audit.recordingChange(entry) { () async -> Result<Void, Refusal> in
            do throws(Refusal) { return .success(try await rotateSealing()) } catch { return .failure(error) }
        }.get()
        return true
    }

    /// - Throws: `.invalid`, `.failed`.
    package func rotateSealing() async throws(Refusal) {
        do throws(KeysetFault) {
            try await keysets.keeper.endOlderMasters(at: keysets.now(), noting: audit)
            try await keysets.keeper.rotateSealing(at: keysets.now())
        } catch { throw Refusal(error) }
    }
}

extension Administrator.Refusal {
    fileprivate init(_ fault: KeysetFault) {
        switch fault {
        case .file, .masterWaits, .cannotReplace: self = .invalid(fault.advice)
        case .busy: self = .overloaded
        case .storage, .token, .otherMaster, .opensNothing, .damaged: self = .failed(fault.advice)
        }
    }
}
