internal import COpenSSL

/// The loaded OpenSSL.
package enum CryptoLibrary {
    /// Such as `OpenSSL 3.0.19 27 Jan 2026`.
    package static var version: String { OpenSSL_version(OPENSSL_VERSION).map { String(cString: $0) } ?? "OpenSSL" }
}
