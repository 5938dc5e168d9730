internal import Administration
internal import Engine
internal import Possession
internal import Storage
internal import Tokens

/// A store with the data of an earlier time, before a server serves any request from it (DUR-18).
struct RestoredStore {
    /// Counts of the revoked items.
    struct Revocation {
        /// The sealed values that were opened.
        let opened: RestoredDatabase.Opened
        let sessions: RestoredSessions.Outcome
        let taken: RestoredDatabase.Taken
    }

    /// The most values that are opened for each sealed column.
    private static let sealedValues = 100

    private let store: Store
    private let configuration: Configuration
    private let now: Now

    init(_ store: Store, _ configuration: Configuration, now: @escaping Now) {
        self.store = store
        self.configuration = configuration
        self.now = now
    }

    /// Revokes everything that may have been used since that time.
    /// - Parameters:
    ///   - isDrill: every value must be sound, and the signing keys must open. In a real restore, a database with a
    ///     damaged value is better than none.
    ///   - detail: for the audit log.
    func revoke(isDrill: Bool, detail: [(String, String)]) async throws(StartFault) -> Revocation {
        let restored = store.restored
        let opened: RestoredDatabase.Opened
        do throws(StorageFault) { opened = try await restored.openSealed(atMost: Self.sealedValues) } catch {
            throw .failed("storage: \(error)")
        }
        if !opened.damaged.isEmpty && (isDrill || opened.values == 0) {
            let columns = opened.damaged.sorted { $0.key < $1.key }.map { "\($0.value) of \($0.key)" }
            throw .data("stored values cannot be opened: \(columns.joined(separator: ", "))")
        }
        if isDrill {
            do { _ = try await store.keeper.load(at: now()) } catch { throw StartFault.data(error.advice) }
        }
        let sessions: RestoredSessions.Outcome
        do throws(EngineFault) { sessions = try await store.restoredSessions(configuration, now: now).endAll() } catch {
            throw .failed("the sessions of the backup could not be ended: \(error)")
        }
        let taken: RestoredDatabase.Taken
        let entry = AuditEntry(.restored, by: .operator, at: now(), detail: detail)
        do throws(StorageFault) {
            taken = try await store.audit.recordingChange(entry) {
                () async -> Result<RestoredDatabase.Taken, StorageFault> in
                do throws(StorageFault) { return .success(try await restored.takeBack(now: now())) } catch {
                    return .failure(error)
                }
            }.get()
        } catch { throw .failed("storage: \(error)") }
        return Revocation(opened: opened, sessions: sessions, taken: taken)
    }
}
