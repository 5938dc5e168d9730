/// Shows and revokes device keys; a session's change binds them.
package protocol DeviceKeyStore: Sendable {
    func deviceKey(_ id: DeviceID, of client: ClientID) async throws(StorageFault) -> DeviceKey?
    /// Marks the key revoked; `false`: the tenant has no such key. Revoking twice is no error.
    func revokeDeviceKey(_ id: DeviceID, of client: ClientID, at now: Timestamp) async throws(StorageFault) -> Bool
}
