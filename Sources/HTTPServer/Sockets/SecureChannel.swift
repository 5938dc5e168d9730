/// Facts that the two sides of an encrypted connection know of each other. One for all requests of the connection.
package final class SecureChannel: Sendable {
    /// The version of the protocol.
    package enum Version: String, Sendable {
        case tls12 = "TLSv1.2"
        case tls13 = "TLSv1.3"
    }

    package let version: Version
    /// The names in the certificate that the client has shown, once it was verified; `nil` without one.
    package let clientNames: CertificateNames?

    package init(version: Version, clientNames: CertificateNames? = nil) {
        self.version = version
        self.clientNames = clientNames
    }
}
