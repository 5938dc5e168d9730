package import HTTPServer
package import Possession
internal import Text

/// Which certificates the connections of API clients must show (RFC 8705 section 2.1).
package enum ClientCertificates: Sendable {
    /// The server asks for none.
    case none
    /// One that is shown must name the API client.
    case optional
    /// One that names the API client must be shown.
    case required

    /// Whether a call of this API client may come over this connection. Its certificate was verified by the transport.
    /// Of its names, the common name or a DNS name or URI is the id of the API client.
    package func allow(_ client: ClientID, over channel: SecureChannel?) -> Bool {
        switch (self, channel?.clientNames) {
        case (.none, _), (.optional, nil): true
        case (.required, nil): false
        case (_, let names?): names.contains { $0.isSame(as: client.text) }
        }
    }
}
