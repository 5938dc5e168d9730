internal import COpenSSL
internal import Glibc
internal import HTTPServer
internal import Secrets

/// The server's certificate with its key and its issuers' certificates, read and checked.
package final class TLSIdentity: @unchecked Sendable {
    // Sendable: nothing changes after `init`, and OpenSSL's reference counts are atomic.

    /// The server's own certificate first, then each one's issuer.
    let chain: [OpaquePointer]
    let key: OpaquePointer
    /// In seconds since 1970.
    package let validFrom: Int64
    /// In seconds since 1970. Issuers' certificates may be expired: chains contain old roots for old phones.
    package let validUntil: Int64
    private let path: String

    private static let maxCertificates = 16

    /// Reads both files.
    ///
    /// - Throws: when a file cannot be read or has other content, other users can read the key, certificate and key do
    ///   not match, or the chain is out of order.
    package init(_ files: TLSFiles) throws(TLSFault) {
        path = files.certificate
        let chain = try TLSIdentity.certificates(
            TLSFiles.read(files.certificate, .certificate, isSecret: false), files.certificate)
        self.chain = chain
        do throws(TLSFault) {
            key = try TLSIdentity.key(files.key)
        } catch {
            for certificate in chain { X509_free(certificate) }
            throw error
        }
        validFrom = TLSIdentity.seconds(X509_get0_notBefore(chain[0])) ?? .max
        validUntil = TLSIdentity.seconds(X509_get0_notAfter(chain[0])) ?? .min
        try check(files)
    }

    deinit {
        for certificate in chain { X509_free(certificate) }
        EVP_PKEY_free(key)
    }

    // MARK: Checks

    private func check(_ files: TLSFiles) throws(TLSFault) {
        guard X509_check_private_key(chain[0], key) == 1 else {
            ERR_clear_error()
            let isOutOfOrder = chain.contains { X509_check_private_key($0, key) == 1 }
            ERR_clear_error()
            throw isOutOfOrder
                ? TLSFault(
                    file: .certificate,
                    reason: "\(files.certificate) is out of order: the server's own certificate must come first, then "
                        + "the one that issued it")
                : TLSFault(
                    file: .key,
                    reason:
                        "\(files.key) does not belong to the certificate in \(files.certificate): name the two files "
                        + "that were made together")
        }
        for index in chain.indices.dropLast() where X509_check_issued(chain[index + 1], chain[index]) != X509_V_OK {
            throw TLSFault(
                file: .certificate,
                reason: "\(files.certificate) is out of order: its certificate \(index + 2) did not issue certificate "
                    + "\(index + 1); the server's own must come first, then each one's issuer")
        }
    }

    /// Throws if the certificate is not valid now.
    ///
    /// - Parameter now: seconds since 1970.
    package func checkTime(_ now: Int64) throws(TLSFault) {
        guard now >= validFrom else {
            throw TLSFault(
                file: .certificate,
                reason: "the certificate in \(path) is valid only from \(TLSIdentity.text(validFrom)) on: wait, or set "
                    + "the clock of this machine")
        }
        guard now < validUntil else {
            throw TLSFault(
                file: .certificate,
                reason: "the certificate in \(path) expired on \(TLSIdentity.text(validUntil)): "
                    + "renew it")
        }
    }

    /// Why clients that call the server as `host` would refuse the certificate; `nil`: they would not.
    ///
    /// - Parameter host: a name, or an IP address without brackets.
    package func defect(for host: String) -> String? {
        guard copenssl_is_for_host(chain[0], host, host.utf8.count) == 0 else { return nil }
        ERR_clear_error()
        let all = TLSIdentity.names(of: chain[0])
        var distinct: [[UInt8]] = []
        for name in all.common + all.dns + all.uris where !distinct.contains(name) { distinct.append(name) }
        let names = distinct.prefix(8).map { String(decoding: $0, as: UTF8.self) }
        let found = names.isEmpty ? "it names no host" : "it names \(names.joined(separator: ", "))"
        return
            "the certificate in \(path) is not for \(host) (\(found)): get one whose subject alternative names have it"
    }

    // MARK: Reading

    private static func certificates(_ bytes: [UInt8], _ path: String) throws(TLSFault) -> [OpaquePointer] {
        var found: [OpaquePointer] = []
        var defect: String?
        bytes.withUnsafeBytes { bytes in
            guard let source = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return }
            defer { BIO_free(source) }
            ERR_clear_error()
            while found.count < maxCertificates, let next = PEM_read_bio_X509(source, nil, copenssl_no_passphrase, nil)
            {
                found.append(next)
            }
            // A missing start line means the end of the file; any other error means damage.
            let error = ERR_peek_last_error()
            if error != 0, ERR_GET_REASON(error) != PEM_R_NO_START_LINE { defect = "holds a damaged certificate" }
            ERR_clear_error()
        }
        if found.isEmpty, defect == nil { defect = "holds no certificate in PEM" }
        guard let defect else { return found }
        for certificate in found { X509_free(certificate) }
        throw TLSFault(file: .certificate, reason: "\(path) \(defect): write the file again")
    }

    private static func key(_ path: String) throws(TLSFault) -> OpaquePointer {
        var bytes = try TLSFiles.read(path, .key, isSecret: true)
        defer { bytes.wipe() }
        let key: OpaquePointer? = bytes.withUnsafeBytes { bytes in
            guard let source = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return nil }
            defer { BIO_free(source) }
            return PEM_read_bio_PrivateKey(source, nil, copenssl_no_passphrase, nil)
        }
        ERR_clear_error()
        guard let key else {
            throw TLSFault(
                file: .key, reason: "\(path) holds no private key in PEM without a passphrase: write the file again")
        }
        return key
    }

    /// The names in a certificate. A name that cannot be read is included as an empty one, because it still counts as a
    /// name.
    static func names(of certificate: OpaquePointer) -> CertificateNames {
        CertificateNames(
            common: names(of: certificate, COPENSSL_COMMON_NAME), dns: names(of: certificate, COPENSSL_DNS_NAME),
            uris: names(of: certificate, COPENSSL_URI))
    }

    private static func names(of certificate: OpaquePointer, _ kind: Int32) -> [[UInt8]] {
        var names: [[UInt8]] = []
        var buffer = [UInt8](repeating: 0, count: 256)
        for index in 0..<64 {
            let length = copenssl_certificate_name(certificate, kind, Int32(index), &buffer, Int32(buffer.count))
            if length == -1 { break }
            names.append(Array(buffer.prefix(Int(max(0, length)))))
        }
        return names
    }

    // MARK: Times

    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        var seconds: Int64 = 0
        return copenssl_seconds(time, &seconds) == 1 ? seconds : nil
    }

    /// `2026-11-23T10:00:00Z`.
    package static func text(_ seconds: Int64) -> String {
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        let numbers = [parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec]
        let two = numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(parts.tm_year + 1900)-\(two[0])-\(two[1])T\(two[2]):\(two[3]):\(two[4])Z"
    }
}
