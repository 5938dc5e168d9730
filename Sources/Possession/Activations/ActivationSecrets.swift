/// The keys of an activation, sealed for its id. They are two parts, so that a signature writes only the part that it
/// changes.
package struct ActivationSecrets: Sendable, Equatable {
    /// The server's private key, the device's public key and their shared secret. They never change. 113 bytes and the
    /// overhead of sealing.
    package let keys: [UInt8]
    /// The counter of signatures: 24 bytes and the overhead of sealing. Each valid signature replaces it.
    package let counter: [UInt8]

    package init(keys: [UInt8], counter: [UInt8]) {
        self.keys = keys
        self.counter = counter
    }
}

/// A new activation: the data to store, and the data for the app.
package struct NewActivation: Sendable {
    package let secrets: ActivationSecrets
    /// The server's public key as an uncompressed point, 65 bytes (SEC 1 section 2.3.3).
    package let serverPublicKey: [UInt8]
    /// The initial counter, 16 bytes: a shared secret.
    package let counterData: [UInt8]

    package init(secrets: ActivationSecrets, serverPublicKey: [UInt8], counterData: [UInt8]) {
        self.secrets = secrets
        self.serverPublicKey = serverPublicKey
        self.counterData = counterData
    }
}

/// A secret that signs calls in place of an activation's keys: the data to store, and the data for the app.
package struct NewDeviceToken: Sendable {
    /// Sealed for the activation.
    package let sealed: [UInt8]
    /// 16 bytes.
    package let secret: [UInt8]

    package init(sealed: [UInt8], secret: [UInt8]) {
        self.sealed = sealed
        self.secret = secret
    }
}
