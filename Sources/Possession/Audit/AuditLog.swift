/// Takes what has to be kept for auditors (OPS-04).
package protocol AuditLog: Sendable {
    /// Stores an entry by itself. Durable when it returns.
    func add(_ entry: AuditEntry) async throws(StorageFault)

    /// Stores an entry soon, with a commit that happens anyway; nobody is told if that fails.
    func submit(_ entry: AuditEntry)

    /// Runs `work`, and stores the entry in the first transaction of `work` that changes something. So there is no
    /// change without its entry, and no entry of a change that was taken back.
    func auditing<Value: Sendable>(_ entry: AuditEntry, _ work: () async -> Value) async -> (Value, isStored: Bool)
}

extension AuditLog {
    /// The same for an order that somebody gave. It stands in the log also when it has changed nothing: then as an entry
    /// of its own, with the result. A change that was begun and did not come to its end has a second entry.
    package func recording<Value: Sendable>(
        _ entry: AuditEntry, result: (Value) -> AuditEntry.Result, _ work: () async -> Value
    ) async -> Value {
        let (value, isStored) = await auditing(entry, work)
        let result = result(value)
        // Where the store fails as well, the order has failed, and the log of the server tells why.
        if !isStored || result != .done { try? await add(entry.with(result)) }
        return value
    }

    /// The same for what is no order: it stands in the log only when it has changed something. One that has and then
    /// failed has a second entry.
    /// - Parameter orElse: called when it stands nowhere, as nothing has changed.
    package func recordingChange<Value: Sendable, Failure: Error>(
        _ entry: AuditEntry, orElse: () -> Void = {}, _ work: () async -> Result<Value, Failure>
    ) async -> Result<Value, Failure> {
        let (result, isStored) = await auditing(entry, work)
        if !isStored { orElse() }
        if isStored, case .failure = result { try? await add(entry.with(.failed)) }
        return result
    }
}

/// Keeps nothing.
package struct NoAudit: AuditLog {
    package init() {}

    package func add(_ entry: AuditEntry) async throws(StorageFault) {}
    package func submit(_ entry: AuditEntry) {}
    package func auditing<Value: Sendable>(
        _ entry: AuditEntry, _ work: () async -> Value
    ) async -> (Value, isStored: Bool) { (await work(), true) }
}
