package import Possession

/// Records entries for auditors (OPS-04).
package protocol AuditLog: Sendable {
    /// Stores a single entry. Durable when it returns.
    func add(_ entry: AuditEntry) async throws(StorageFault)

    /// Stores an entry soon, with another commit. A failure is not reported to the caller.
    func submit(_ entry: AuditEntry)

    /// Runs `work`, and stores the entry in the first transaction of `work` that changes something. So every change has
    /// its entry, and a change that was rolled back has none.
    func auditing<Value: Sendable>(_ entry: AuditEntry, _ work: () async -> Value) async -> (Value, isStored: Bool)
}

extension AuditLog {
    /// As `auditing`, for an operator's command. It is recorded even if it has changed nothing: then as a separate
    /// entry with the result. A change that started and did not finish has a second entry.
    package func recording<Value: Sendable>(
        _ entry: AuditEntry, result: (Value) -> AuditEntry.Result, _ work: () async -> Value
    ) async -> Value {
        let (value, isStored) = await auditing(entry, work)
        let result = result(value)
        // If the store fails here too, the command has failed, and the server's log says why.
        if !isStored || result != .done { try? await add(entry.with(result)) }
        return value
    }

    /// As `auditing`, for calls that are not commands. It is recorded only if it has changed something. If it then
    /// failed, it has a second entry.
    /// - Parameter orElse: called if nothing was recorded, because nothing has changed.
    package func recordingChange<Value: Sendable, Failure: Error>(
        _ entry: AuditEntry, orElse: () -> Void = {}, _ work: () async -> Result<Value, Failure>
    ) async -> Result<Value, Failure> {
        let (result, isStored) = await auditing(entry, work)
        if !isStored { orElse() }
        if isStored, case .failure = result { try? await add(entry.with(.failed)) }
        return result
    }
}
