package import Possession

/// Reads and revokes device keys. A change of a session binds them.
package protocol DeviceKeyStore: Sendable {
    func deviceKey(_ id: DeviceID, of client: ClientID) async throws(StorageFault) -> DeviceKey?
    func deviceKey(_ thumbprint: Thumbprint, of client: ClientID) async throws(StorageFault) -> DeviceKey?
    /// Keys of a number, including revoked ones, the newest first.
    /// - Parameters:
    ///   - client: only this tenant's; `nil`: all.
    ///   - end: the end of the previous page.
    func deviceKeys(
        of number: PhoneNumber, at client: ClientID?, before end: DeviceKeyPlace?, most: Int
    ) async throws(StorageFault) -> [DeviceKey]
    /// Keys of a tenant, including revoked ones, the newest first.
    func deviceKeys(
        of client: ClientID, before end: DeviceKeyPlace?, most: Int
    ) async throws(StorageFault) -> [DeviceKey]
    /// The tenant of a key, for an operator who knows only its id; `nil`: there is no such key.
    func owner(of id: DeviceID) async throws(StorageFault) -> ClientID?
    /// Marks the key revoked. `false`: the tenant has no such key. Revoking twice is not an error, and makes only one
    /// event.
    /// - Parameter teller: `nil`: no event is made.
    func revokeDeviceKey(
        _ id: DeviceID, of client: ClientID, telling teller: WebhookEventFactory?, at now: Timestamp
    ) async throws(StorageFault) -> Bool
}

/// A place in a list of device keys, which is ordered by the times in their ids.
package enum DeviceKeyPlace: Sendable {
    /// The place of a key, which may have been removed.
    case key(DeviceID)
    /// After all keys of this millisecond and later ones.
    case time(Timestamp)
}
