/// Facts about the encryption of a connection, which both sides know. Shared by all requests of the connection.
package final class SecureChannel: Sendable {
    /// The TLS version.
    package enum Version: String, Sendable {
        case tls12 = "TLSv1.2"
        case tls13 = "TLSv1.3"
    }

    package let version: Version
    /// The names in the client's certificate, if it showed one and it was verified; otherwise `nil`.
    package let clientNames: CertificateNames?

    package init(version: Version, clientNames: CertificateNames? = nil) {
        self.version = version
        self.clientNames = clientNames
    }
}
