internal import COpenSSL
import Foundation

/// A certificate and its key, made when a test needs them: nothing is checked in that could expire.
package final class TestCertificate: @unchecked Sendable {
    // Sendable: set up in `init` and only read afterwards.

    package enum Key: Sendable {
        case p256, rsa2048, rsa1024
    }

    struct Failure: Error {
        let step: String
    }

    /// OpenSSL's own.
    package let certificate: OpaquePointer
    package let key: OpaquePointer

    /// - Parameters:
    ///   - name: the common name.
    ///   - moreNames: common names behind it.
    ///   - alternatives: as OpenSSL writes them, such as `DNS:a.example,IP:127.0.0.1`.
    ///   - issuer: `nil`: itself.
    ///   - validFrom: seconds from now.
    ///   - validUntil: seconds from now.
    package init(
        _ name: String, moreNames: [String] = [], alternatives: String? = "DNS:localhost,IP:127.0.0.1",
        issuer: TestCertificate? = nil,
        isAuthority: Bool = false, key kind: Key = .p256, validFrom: Int = -3600, validUntil: Int = 30 * 86_400
    ) throws {
        key = try TestCertificate.makeKey(kind)
        guard let certificate = X509_new() else { throw Failure(step: "X509_new") }
        self.certificate = certificate
        X509_set_version(certificate, 2)
        ASN1_INTEGER_set_int64(X509_get_serialNumber(certificate), Int64.random(in: 1...Int64.max))
        X509_gmtime_adj(X509_getm_notBefore(certificate), validFrom)
        X509_gmtime_adj(X509_getm_notAfter(certificate), validUntil)
        X509_set_pubkey(certificate, key)
        let subject = X509_get_subject_name(certificate)
        for name in [name] + moreNames {
            X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, name, Int32(name.utf8.count), -1, 0)
        }
        X509_set_issuer_name(certificate, X509_get_subject_name(issuer?.certificate ?? certificate))
        try add(NID_basic_constraints, isAuthority ? "critical,CA:TRUE" : "CA:FALSE")
        if let alternatives { try add(NID_subject_alt_name, alternatives) }
        guard X509_sign(certificate, issuer?.key ?? key, EVP_sha256()) > 0 else { throw Failure(step: "X509_sign") }
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    private func add(_ kind: Int32, _ value: String) throws {
        guard let field = X509V3_EXT_conf_nid(nil, nil, kind, value) else { throw Failure(step: value) }
        X509_add_ext(certificate, field, -1)
        X509_EXTENSION_free(field)
    }

    private static func makeKey(_ kind: Key) throws -> OpaquePointer {
        let context = EVP_PKEY_CTX_new_id(kind == .p256 ? EVP_PKEY_EC : EVP_PKEY_RSA, nil)
        defer { EVP_PKEY_CTX_free(context) }
        EVP_PKEY_keygen_init(context)
        switch kind {
        case .p256: EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1)
        case .rsa2048: EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048)
        case .rsa1024: EVP_PKEY_CTX_set_rsa_keygen_bits(context, 1024)
        }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen(context, &key) == 1, let key else { throw Failure(step: "EVP_PKEY_keygen") }
        return key
    }

    // MARK: As text

    package var certificateText: String {
        TestCertificate.text { PEM_write_bio_X509($0, certificate) }
    }

    package var keyText: String {
        TestCertificate.text { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }
    }

    private static func text(_ write: (OpaquePointer?) -> Int32) -> String {
        let memory = BIO_new(BIO_s_mem())
        defer { BIO_free(memory) }
        _ = write(memory)
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = BIO_read(memory, &bytes, Int32(bytes.count))
        return String(decoding: bytes.prefix(max(0, Int(count))), as: UTF8.self)
    }

    /// Writes the certificate with those of `issuers` behind it, and the key, each by a rename as certificate clients
    /// do.
    package func write(
        certificate certificatePath: String, key keyPath: String, issuers: [TestCertificate] = [], keyMode: Int = 0o600
    ) throws {
        let chain = ([self] + issuers).map(\.certificateText).joined()
        try TestCertificate.replace(certificatePath, chain, mode: 0o644)
        try TestCertificate.replace(keyPath, keyText, mode: keyMode)
    }

    package static func replace(_ path: String, _ text: String, mode: Int) throws {
        let fresh = path + ".new"
        try Data(text.utf8).write(to: URL(filePath: fresh))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: fresh)
        guard rename(fresh, path) == 0 else { throw Failure(step: "rename \(path)") }
    }
}

/// A directory for the files of a test.
package final class TestDirectory: Sendable {
    package let path: String

    package init() throws {
        path = NSTemporaryDirectory() + "/holdfast-test-\(UInt64.random(in: 0...UInt64.max))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    package func file(_ name: String) -> String { path + "/" + name }
}
