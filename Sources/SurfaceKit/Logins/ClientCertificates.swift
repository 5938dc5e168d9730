package import HTTPServer
package import Possession
internal import Text

/// Which certificates the connections of API clients must show (RFC 8705 section 2.1).
package enum ClientCertificates: Sendable {
    /// The one kind of name that is the id of the API client. An authority may let those who ask for a certificate choose
    /// names of other kinds, so these open nothing.
    package enum Name: String, Sendable, CaseIterable { case commonName, dnsName, uri }

    /// The server asks for none.
    case none
    /// One that is shown must name the API client.
    case optional(by: Name)
    /// One that names the API client must be shown.
    case required(by: Name)

    /// Whether a call of this API client may come over this connection. Its certificate was verified by the transport.
    package func allow(_ client: ClientID, over channel: SecureChannel?) -> Bool {
        switch (self, channel?.clientNames) {
        case (.none, _), (.optional, nil): true
        case (.required, nil): false
        case (.optional(let kind), let names?), (.required(let kind), let names?):
            kind.only(of: names)?.isSame(as: client.text) ?? false
        }
    }
}

extension ClientCertificates.Name {
    /// The name of this kind; `nil`: there is none, or more than one (RFC 8705 section 2.1.2 compares exactly one).
    fileprivate func only(of names: CertificateNames) -> [UInt8]? {
        let all =
            switch self {
            case .commonName: names.common
            case .dnsName: names.dns
            case .uri: names.uris
            }
        return all.count == 1 ? all[0] : nil
    }
}
