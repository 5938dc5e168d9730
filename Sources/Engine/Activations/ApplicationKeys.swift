package import Possession

/// The keys of an application: those that one API client's apps are built with, and the server's halves.
///
/// Every copy of the app contains the secret, so it proves no identity: it only distinguishes this application's apps
/// from others.
package struct ApplicationKeys: Sendable, Equatable {
    /// Length of an application key's text in bytes.
    package static let textBytes = 24

    /// Identifies these keys: Base64 (RFC 4648 section 4) of 16 bytes, 24 characters. Public.
    package let applicationKey: String
    /// The secret and the master private key, sealed by `DeviceProtocol` for this application key.
    package let sealed: [UInt8]
    /// The public half of the master private key. Apps contain it and trust what it signs.
    package let masterPublicKey: PublicKey

    package init(applicationKey: String, sealed: [UInt8], masterPublicKey: PublicKey) {
        self.applicationKey = applicationKey
        self.sealed = sealed
        self.masterPublicKey = masterPublicKey
    }
}

/// Application keys from outside: the public ones of a sandbox, or those of a server that is migrated.
package struct GivenApplicationKeys: Sendable {
    /// 16 bytes each.
    package let applicationKey: [UInt8]
    package let applicationSecret: [UInt8]
    /// A number from 1 to the order of P-256 minus 1, 32 bytes, most significant first.
    package let masterPrivateKey: [UInt8]

    package init(applicationKey: [UInt8], applicationSecret: [UInt8], masterPrivateKey: [UInt8]) {
        self.applicationKey = applicationKey
        self.applicationSecret = applicationSecret
        self.masterPrivateKey = masterPrivateKey
    }
}
