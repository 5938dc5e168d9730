/// The names in a certificate, by their kind.
package struct CertificateNames: Sendable, Equatable {
    /// Common names of the subject.
    package let common: [[UInt8]]
    /// DNS names among the subject alternative names; `uris` are the URIs among them.
    package let dns: [[UInt8]]
    package let uris: [[UInt8]]

    package init(common: [[UInt8]] = [], dns: [[UInt8]] = [], uris: [[UInt8]] = []) {
        self.common = common
        self.dns = dns
        self.uris = uris
    }
}
