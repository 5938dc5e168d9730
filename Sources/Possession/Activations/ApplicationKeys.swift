/// The keys of an application: what the apps of one API client are built with, and the server's halves of it.
///
/// The secret stands in every copy of the app, so it keeps nobody out: it tells apart apps of this application from others.
package struct ApplicationKeys: Sendable, Equatable {
    /// Bytes of the text of an application key.
    package static let textBytes = 24

    /// Names these keys: Base64 (RFC 4648 section 4) of 16 bytes, 24 characters. Public.
    package let applicationKey: String
    /// The secret and the master private key, sealed by `DeviceProtocol` for this application key.
    package let sealed: [UInt8]
    /// The other half of the master private key. Apps know it and trust what it signs.
    package let masterPublicKey: PublicKey

    package init(applicationKey: String, sealed: [UInt8], masterPublicKey: PublicKey) {
        self.applicationKey = applicationKey
        self.sealed = sealed
        self.masterPublicKey = masterPublicKey
    }
}

/// Keys of an application that somebody else has made: the public ones of a sandbox, or those of a server that moves.
package struct GivenApplicationKeys: Sendable {
    /// 16 bytes each.
    package let applicationKey: [UInt8]
    package let applicationSecret: [UInt8]
    /// A number from 1 to the order of P-256 less 1, 32 bytes, most significant first.
    package let masterPrivateKey: [UInt8]

    package init(applicationKey: [UInt8], applicationSecret: [UInt8], masterPrivateKey: [UInt8]) {
        self.applicationKey = applicationKey
        self.applicationSecret = applicationSecret
        self.masterPrivateKey = masterPrivateKey
    }
}
