/// Keeps the keys of applications: one ring for an API client.
package protocol ApplicationKeyStore: Sendable {
    /// The application that has these keys, also where they have ended (`ApplicationKeyRing.keys(named:at:)`); `nil`: there is
    /// none.
    /// - Parameter applicationKey: as a caller wrote it.
    func application(_ applicationKey: String) async throws(StorageFault) -> Application?

    /// The application of a client; `nil`: it has no keys.
    func application(of client: ClientID) async throws(StorageFault) -> Application?

    /// Gives a client its first keys.
    /// - Returns: `false` where it has keys.
    /// - Throws: `.duplicate` for an application key that is there.
    func add(_ keys: ApplicationKeys, to client: ClientID) async throws(StorageFault) -> Bool

    /// Puts keys in the place of those of a client. The ones before are taken until the overlap ends. Configured keys stay
    /// as they are.
    /// - Returns: the application as it is stored now; `nil`: the client has no keys.
    /// - Throws: `.duplicate` for an application key that is there.
    func rotate(
        _ client: ClientID, to keys: ApplicationKeys, at now: Timestamp, overlap: Duration
    ) async throws(StorageFault) -> Application?

    /// Removes every configured application but these, and stores these in the place of what their clients have.
    /// - Throws: `.duplicate` for an application key of another client.
    func setConfigured(_ keys: [(client: ClientID, keys: ApplicationKeys)]) async throws(StorageFault)
}

/// No client has an application.
package struct NoApplicationKeys: ApplicationKeyStore {
    package init() {}

    package func application(_ applicationKey: String) async throws(StorageFault) -> Application? { nil }
    package func application(of client: ClientID) async throws(StorageFault) -> Application? { nil }
    package func add(_ keys: ApplicationKeys, to client: ClientID) async throws(StorageFault) -> Bool { false }
    package func rotate(
        _ client: ClientID, to keys: ApplicationKeys, at now: Timestamp, overlap: Duration
    ) async throws(StorageFault) -> Application? { nil }
    package func setConfigured(_ keys: [(client: ClientID, keys: ApplicationKeys)]) async throws(StorageFault) {}
}
