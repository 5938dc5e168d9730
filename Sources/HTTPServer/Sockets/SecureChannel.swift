/// What the two sides of an encrypted connection know of each other. One for all requests of the connection.
package final class SecureChannel: Sendable {
    /// The version of the protocol, such as `TLSv1.3`.
    package let version: String
    /// The names in the certificate that the client has shown, once it was verified; `nil` without one.
    package let clientNames: [[UInt8]]?

    package init(version: String, clientNames: [[UInt8]]? = nil) {
        self.version = version
        self.clientNames = clientNames
    }
}
