import COpenSSL

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    /// Fetched once: a fetch searches the providers and costs more than a short digest. OpenSSL's algorithm objects are
    /// immutable.
    nonisolated(unsafe) static let algorithm = EVP_MD_fetch(nil, "SHA256", nil)

    /// 32 bytes. It can fail only when memory is exhausted, which ends a Swift process anyway.
    static func digest(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let digest = [UInt8](unsafeUninitializedCapacity: 32) { output, count in
            let result = bytes.withUnsafeBytes {
                EVP_Digest($0.baseAddress, $0.count, output.baseAddress, nil, algorithm, nil)
            }
            count = result == 1 ? 32 : 0
        }
        precondition(digest.count == 32, "EVP_Digest failed")
        return digest
    }

    package static func digest(_ bytes: [UInt8]) -> [UInt8] { digest(bytes[...]) }
    package static func digest(_ text: String) -> [UInt8] { digest(Array(text.utf8)) }
}
