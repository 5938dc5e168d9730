/// The names in a certificate, by their kind.
package struct CertificateNames: Sendable, Equatable {
    /// Of the subject.
    package let common: [[UInt8]]
    /// Of the subject alternative names, as the next ones.
    package let dns: [[UInt8]]
    package let uris: [[UInt8]]

    package init(common: [[UInt8]] = [], dns: [[UInt8]] = [], uris: [[UInt8]] = []) {
        self.common = common
        self.dns = dns
        self.uris = uris
    }
}
