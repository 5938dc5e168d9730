package import HTTPServer
package import Possession
internal import Text

/// The certificates that connections of API clients must present (RFC 8705 section 2.1).
package enum ClientCertificates: Sendable {
    /// The kind of name in a certificate that is compared with the API client's id. Names of other kinds are ignored,
    /// because an authority may let applicants choose them.
    package enum Name: String, Sendable, CaseIterable { case commonName, dnsName, uri }

    /// The server requests no certificate.
    case none
    /// If a certificate is presented, it must name the API client.
    case optional(by: Name)
    /// A certificate that names the API client is required.
    case required(by: Name)

    /// Whether this API client may call over this connection. The transport has already verified the certificate.
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
    /// The only name of this kind; `nil`: there is none, or more than one (RFC 8705 section 2.1.2 compares exactly
    /// one).
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
