import GRDB

/// Group commit by hand over the same pool: whatever arrived during the last commit shares the next one, a savepoint
/// each.
actor GroupCommit: SessionWriter {
    private typealias Waiter = (session: NewSession, continuation: CheckedContinuation<Void, any Error>)

    private let store: SessionStore
    private var waiting: [Waiter] = []
    private var isWriting = false

    init(_ store: SessionStore) {
        self.store = store
    }

    func insert(_ session: NewSession) async throws {
        try await withCheckedThrowingContinuation { continuation in
            waiting.append((session, continuation))
            guard !isWriting else { return }
            isWriting = true
            Task { await writeAll() }
        }
    }

    private func writeAll() async {
        while !waiting.isEmpty {
            let batch = waiting
            waiting = []
            do {
                let sessions = batch.map(\.session)
                let failures = try await store.pool.write { db in
                    try sessions.map { session -> (any Error)? in
                        var failure: (any Error)?
                        try db.inSavepoint {
                            do { try session.insert(db) } catch {
                                failure = error
                                return .rollback
                            }
                            return .commit
                        }
                        return failure
                    }
                }
                for (waiter, failure) in zip(batch, failures) {
                    if let failure {
                        waiter.continuation.resume(throwing: failure)
                    } else {
                        waiter.continuation.resume()
                    }
                }
            } catch {
                for waiter in batch { waiter.continuation.resume(throwing: error) }
            }
        }
        isWriting = false
    }
}
