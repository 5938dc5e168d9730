/// Shows and revokes device keys; a session's change binds them.
package protocol DeviceKeyStore: Sendable {
    func deviceKey(_ id: DeviceID, of client: ClientID) async throws(StorageFault) -> DeviceKey?
    func deviceKey(_ thumbprint: Thumbprint, of client: ClientID) async throws(StorageFault) -> DeviceKey?
    /// The newest of a number first, revoked ones too.
    /// - Parameters:
    ///   - client: of this tenant only; `nil`: of all.
    ///   - end: of the page before.
    func deviceKeys(
        of number: PhoneNumber, at client: ClientID?, before end: DeviceKeyPlace?, most: Int
    ) async throws(StorageFault) -> [DeviceKey]
    /// The newest of a tenant first, revoked ones too.
    func deviceKeys(
        of client: ClientID, before end: DeviceKeyPlace?, most: Int
    ) async throws(StorageFault) -> [DeviceKey]
    /// The tenant that has the key, for an operator who knows its id only; `nil`: there is no such key.
    func owner(of id: DeviceID) async throws(StorageFault) -> ClientID?
    /// Marks the key revoked; `false`: the tenant has no such key. Revoking twice is no error, and told once.
    /// - Parameter teller: `nil` where nobody is told.
    func revokeDeviceKey(
        _ id: DeviceID, of client: ClientID, telling teller: WebhookTeller?, at now: Timestamp
    ) async throws(StorageFault) -> Bool
}

/// A place in a list of device keys, which is in the order of the times of their ids.
package enum DeviceKeyPlace: Sendable {
    /// That of a key, which may be gone.
    case key(DeviceID)
    /// Behind all keys of this millisecond and later ones.
    case time(Timestamp)
}
