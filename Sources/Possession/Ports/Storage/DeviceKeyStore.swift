/// Shows and revokes device keys; a session's change binds them.
package protocol DeviceKeyStore: Sendable {
    func deviceKey(_ id: DeviceID, of client: ClientID) async throws(StorageFault) -> DeviceKey?
    func deviceKey(_ thumbprint: Thumbprint, of client: ClientID) async throws(StorageFault) -> DeviceKey?
    /// Marks the key revoked; `false`: the tenant has no such key. Revoking twice is no error, and told once.
    /// - Parameter teller: `nil` where nobody is told.
    func revokeDeviceKey(
        _ id: DeviceID, of client: ClientID, telling teller: WebhookTeller?, at now: Timestamp
    ) async throws(StorageFault) -> Bool
}
