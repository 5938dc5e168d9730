internal import Engine
internal import Possession
internal import Storage
internal import Tokens

/// Seals values of older keys with the current key, in short steps. Requests commit between the steps (DAT-03).
struct Resealer: Sendable {
    /// The result of one pass over every sealed value.
    struct Pass: Sendable, Equatable {
        /// Values that are now sealed with the current key.
        var resealed = 0
        /// Values that a request changed between the read and the write. The next pass checks them again.
        var changed = 0
        /// Values that cannot be opened and were left unchanged, by the generation of their key.
        var unreadable: [UInt8: Int] = [:]
        /// Columns that could not be read completely.
        var unread: [String] = []

        /// Whether another pass would find nothing to change.
        var isClean: Bool { resealed == 0 && changed == 0 }
        var left: Int { unreadable.values.reduce(0, +) }
    }

    let rows: SealedRows
    let sealer: Sealer
    let signingKeySealer: Sealer
    /// Pauses after each step that wrote, so that callers have the writer most of the time.
    var pause: @Sendable () async -> Void = { try? await Task.sleep(for: .milliseconds(20)) }

    init(_ rows: SealedRows, _ sealer: Sealer, _ signingKeySealer: Sealer) {
        self.rows = rows
        self.sealer = sealer
        self.signingKeySealer = signingKeySealer
    }

    /// The number of values that are not sealed with the current key; `nil`: the task was cancelled.
    func count() async throws(StorageFault) -> Int? {
        var count = 0
        let generation = sealer.generation
        for column in SealedColumn.all {
            // Ignore values that cannot be read: the pass reports them.
            _ = try await eachPage(of: column) { (values) async throws(StorageFault) in
                count += values.count { $0.sealed.first != generation }
            }
            if Task.isCancelled { return nil }
        }
        return count
    }

    /// Checks every sealed value once. Ends early with `nil` if its task is cancelled.
    ///
    /// - Parameter progress: called after each step with the number of values that it has sealed.
    func pass(progress: @Sendable (Int) -> Void = { _ in }) async throws(StorageFault) -> Pass? {
        var pass = Pass()
        let generation = sealer.generation
        for column in SealedColumn.all {
            let isWhole = try await eachPage(of: column) { (values) async throws(StorageFault) in
                let old = values.filter { $0.sealed.first != generation }
                if old.isEmpty { return }
                var replacements: [(old: SealedRows.Value, new: [UInt8])] = []
                for value in old {
                    if let new = resealed(value, column) {
                        replacements.append((value, new))
                    } else {
                        pass.unreadable[value.sealed.first ?? 0, default: 0] += 1
                    }
                }
                if replacements.isEmpty { return }
                let count = try await rows.replace(replacements, of: column)
                pass.resealed += count
                pass.changed += replacements.count - count
                progress(count)
                await pause()
            }
            if Task.isCancelled { return nil }
            if !isWhole { pass.unread.append("\(column.name)") }
        }
        return pass
    }

    /// Whether the sealers can open any value; `nil`: there are no values.
    func opensAny() async throws(StorageFault) -> Bool? {
        var isAny = false
        for column in SealedColumn.all {
            for value in try await rows.values(of: column, after: nil).values {
                isAny = true
                if resealed(value, column) != nil { return true }
            }
        }
        return isAny ? false : nil
    }

    /// Returns `false` if a page of the column is damaged. The values after it were not read.
    private func eachPage(
        of column: SealedColumn, _ body: ([SealedRows.Value]) async throws(StorageFault) -> Void
    ) async throws(StorageFault) -> Bool {
        var key: [SealedColumn.KeyPart]?
        while !Task.isCancelled {
            let page: SealedRows.Page
            do throws(StorageFault) { page = try await rows.values(of: column, after: key) } catch {
                guard case .corrupt = error else { throw error }
                return false
            }
            try await body(page.values)
            guard let next = page.next else { return true }
            key = next
            await Task.yield()
        }
        return true
    }

    // MARK: One value

    private func resealed(_ value: SealedRows.Value, _ column: SealedColumn) -> [UInt8]? {
        try? sealer(of: column).resealed(value.sealed, context: context(value, column))
    }

    private func sealer(of column: SealedColumn) -> Sealer {
        switch column.binding {
        case .row, .applicationKey: sealer
        case .privateKey, .publicKey: signingKeySealer
        }
    }

    private func context(_ value: SealedRows.Value, _ column: SealedColumn) -> [UInt8] {
        switch column.binding {
        case .row: column.rowContext(value.key)
        case .applicationKey: SealedKeys.application.context(of: value.key[0].blob)
        case .privateKey: SigningKeyRecord.sealContext(value.key[0].text, purpose(value))
        case .publicKey: SigningKeyRecord.publicSealContext(value.key[0].text, purpose(value))
        }
    }

    /// An unknown purpose opens nothing.
    private func purpose(_ value: SealedRows.Value) -> StoredSigningKey.Purpose {
        StoredSigningKey.Purpose(rawValue: value.key[1].text) ?? .auth
    }
}
