package import Possession

/// The apps of one API client, identified by the keys that they are built with.
package struct Application: Sendable, Equatable {
    package let client: ClientID
    package let keys: ApplicationKeyRing
    /// Its keys come from the configuration file of a sandbox, and are removed with their entry there.
    package let isConfigured: Bool

    package init(client: ClientID, keys: ApplicationKeyRing, isConfigured: Bool = false) {
        self.client = client
        self.keys = keys
        self.isConfigured = isConfigured
    }
}
