/// The keys of an activation, sealed for its id. Two parts, so that a signature writes only the one that it changes.
package struct ActivationSecrets: Sendable, Equatable {
    /// The server's private key, the device's public key and the secret they share. They never change. 113 bytes and the
    /// overhead of sealing.
    package let keys: [UInt8]
    /// The counter of signatures: 24 bytes and the overhead of sealing. Each signature that matches replaces it.
    package let counter: [UInt8]

    package init(keys: [UInt8], counter: [UInt8]) {
        self.keys = keys
        self.counter = counter
    }
}

/// An activation that has just been made: what is stored of it, and what the app gets.
package struct NewActivation: Sendable {
    package let secrets: ActivationSecrets
    /// The server's public key as an uncompressed point, 65 bytes (SEC 1 section 2.3.3).
    package let serverPublicKey: [UInt8]
    /// The start of the counter, 16 bytes: a secret of both sides.
    package let counterData: [UInt8]

    package init(secrets: ActivationSecrets, serverPublicKey: [UInt8], counterData: [UInt8]) {
        self.secrets = secrets
        self.serverPublicKey = serverPublicKey
        self.counterData = counterData
    }
}

/// A secret of an activation that signs calls in place of its keys: what is stored of it, and what the app gets.
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
