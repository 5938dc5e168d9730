internal import COpenSSL
internal import HTTPServer

/// Settings that many connections share: versions, ciphers, certificate, key, and the keys of session tickets.
/// Immutable: another certificate gets another context, and existing connections keep theirs.
final class TLSContext: @unchecked Sendable {
    // Sendable: set up in `init` and only read afterwards; OpenSSL's reference count is atomic.

    let context: OpaquePointer
    let identity: TLSIdentity
    private let plainChannels: [Int32: SecureChannel]

    /// - Throws: when OpenSSL refuses the certificate, such as one with a weak key, or the certificate authorities for
    ///   clients.
    init(_ identity: TLSIdentity, _ files: TLSFiles) throws(TLSFault) {
        // With client certificates there are no tickets: a ticket would keep a certificate valid after its authority
        // was removed.
        guard let context = copenssl_server_context(files.clientAuthorities == nil ? 1 : 0) else {
            ERR_clear_error()
            throw TLSFault(file: .certificate, reason: "OpenSSL does not know what this server speaks")
        }
        self.context = context
        self.identity = identity
        plainChannels = [
            TLS1_2_VERSION: SecureChannel(version: .tls12), TLS1_3_VERSION: SecureChannel(version: .tls13),
        ]
        try useIdentity(files)
        if let path = files.clientAuthorities {
            _ = try TLSFiles.read(path, .clientAuthorities, isSecret: false)
            guard copenssl_verify_clients(context, path) == 1 else {
                ERR_clear_error()
                throw TLSFault(
                    file: .clientAuthorities, reason: "\(path) holds no certificate in PEM: write the file again")
            }
        }
    }

    deinit { SSL_CTX_free(context) }

    private func useIdentity(_ files: TLSFiles) throws(TLSFault) {
        var isUsed = SSL_CTX_use_certificate(context, identity.chain[0]) == 1
        for issuer in identity.chain.dropFirst() {
            isUsed = isUsed && copenssl_add_chain_certificate(context, issuer) == 1
        }
        isUsed = isUsed && SSL_CTX_use_PrivateKey(context, identity.key) == 1
        guard isUsed else {
            ERR_clear_error()
            throw TLSFault(
                file: .certificate,
                reason:
                    "the certificate in \(files.certificate) has a weak key or signature: use P-256, or RSA with 2048 "
                    + "bits or more, and SHA-256")
        }
    }

    /// The TLS version and the client's names, from the handshake of a connection.
    func channel(of connection: OpaquePointer) -> SecureChannel? {
        let version = SSL_version(connection)
        guard let certificate = SSL_get0_peer_certificate(connection) else { return plainChannels[version] }
        let names = TLSIdentity.names(of: certificate)
        return SecureChannel(version: plainChannels[version]?.version ?? .tls12, clientNames: names)
    }
}
