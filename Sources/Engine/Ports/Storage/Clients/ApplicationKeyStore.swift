package import Possession

/// Stores the keys of applications: one key ring for each API client.
package protocol ApplicationKeyStore: Sendable {
    /// The application with these keys, even if they have ended (`ApplicationKeyRing.keys(named:at:)`), or `nil`.
    /// - Parameter applicationKey: as a caller wrote it.
    func application(_ applicationKey: String) async throws(StorageFault) -> Application?

    /// The application of a client; `nil`: it has no keys.
    func application(of client: ClientID) async throws(StorageFault) -> Application?

    /// Gives a client its first keys.
    /// - Returns: `false` if the client has keys.
    /// - Throws: `.duplicate` if the application key exists.
    func add(_ keys: ApplicationKeys, to client: ClientID) async throws(StorageFault) -> Bool

    /// Replaces the keys of a client. The previous ones are accepted until the overlap ends. Configured keys do not
    /// change.
    /// - Returns: the application as it is stored now; `nil`: the client has no keys.
    /// - Throws: `.duplicate` if the application key exists.
    func rotate(
        _ client: ClientID, to keys: ApplicationKeys, at now: Timestamp, overlap: Duration
    ) async throws(StorageFault) -> Application?

    /// Removes every other configured application, and replaces the keys of these clients.
    /// - Throws: `.duplicate` for an application key of another client.
    func setConfigured(_ keys: [(client: ClientID, keys: ApplicationKeys)]) async throws(StorageFault)
}
