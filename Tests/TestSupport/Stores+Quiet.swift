package import Engine
package import Possession

// The ports as tests call them that have nothing to do with webhooks or fences.

extension SessionStore {
    package func insert(_ session: Session, freshHolderID: HolderID) async throws(StorageFault) {
        try await insert(session, freshHolderID: freshHolderID, webhooks: [])
    }

    package func insert(
        _ session: Session, freshHolderID: HolderID, counting keys: [LimitKey],
        _ rule: @escaping @Sendable (inout LimitTallies) -> LimitHit?
    ) async throws(StorageFault) -> LimitHit? {
        try await insert(session, freshHolderID: freshHolderID, webhooks: [], counting: keys, rule)
    }
}

extension SessionStore {
    /// Looks among all sessions: for keys that are not shared.
    package func session(_ key: SessionKey) async throws(StorageFault) -> Session? {
        try await session(key, in: .all)
    }

    package func update<R: Sendable>(
        _ key: SessionKey, _ lookup: ChangeInputs, freshHolderID: HolderID,
        _ rule: @escaping @Sendable (inout SessionChange) -> R
    ) async throws(StorageFault) -> R? {
        try await update(key, in: .all, lookup, freshHolderID: freshHolderID, rule)
    }
}

extension DeviceKeyStore {
    package func revokeDeviceKey(
        _ id: DeviceID, of client: ClientID, at now: Timestamp
    ) async throws(StorageFault) -> Bool {
        try await revokeDeviceKey(id, of: client, telling: nil, at: now)
    }
}

extension IdentityStore {
    package func enrol(
        _ enrolments: [Enrolment], of client: ClientID, fresh: [HolderID], at now: Timestamp
    ) async throws(StorageFault) -> [EnrolmentOutcome] {
        try await enrol(enrolments, of: client, fresh: fresh, telling: nil, at: now)
    }

    package func setActive(
        _ isActive: Bool, _ id: HolderID, of client: ClientID
    ) async throws(StorageFault) -> Bool {
        try await setActive(isActive, id, of: client, telling: nil)
    }
}
