package import Text

/// The texts that an application's apps are built with. Anyone who has the app can read them.
package struct ApplicationCredentials: Sendable, Equatable {
    /// Base64 of 16 bytes.
    package let applicationKey: String
    /// Base64 of 16 bytes.
    package let applicationSecret: Secret
    /// Base64 of the uncompressed point, 65 bytes (SEC 1 section 2.3.3).
    package let masterPublicKey: String
    /// The three in one text, for SDKs from version 1.8.
    package let configuration: Secret

    package init(applicationKey: String, applicationSecret: Secret, masterPublicKey: String, configuration: Secret) {
        self.applicationKey = applicationKey
        self.applicationSecret = applicationSecret
        self.masterPublicKey = masterPublicKey
        self.configuration = configuration
    }
}
