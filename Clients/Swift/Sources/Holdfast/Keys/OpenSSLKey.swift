#if !canImport(CryptoKit)
    import CHoldfastCrypto
    import Foundation

    /// A P-256 key in memory.
    struct OpenSSLKey: SigningKey {
        let representation: Data
        let publicKey: Data

        init(_ representation: Data) throws {
            var point = [UInt8](repeating: 0, count: HFC_POINT_BYTES)
            guard representation.count == HFC_SCALAR_BYTES,
                hfc_p256_public([UInt8](representation), &point) == 1
            else { throw KeyFailure(what: "this is no private key of P-256") }
            self.representation = representation
            publicKey = Data(point)
        }

        func signature(for bytes: Data) throws -> Data {
            var signature = [UInt8](repeating: 0, count: HFC_SIGNATURE_BYTES)
            guard hfc_p256_sign([UInt8](representation), [UInt8](sha256(bytes)), &signature) == 1 else {
                throw KeyFailure(what: "OpenSSL does not sign")
            }
            return Data(signature)
        }
    }

    struct PlatformKeyMaker: KeyMaker {
        func makeKey(isDeviceKey: Bool) throws -> any SigningKey {
            var scalar = [UInt8](repeating: 0, count: HFC_SCALAR_BYTES)
            guard hfc_p256_generate(&scalar) == 1 else { throw KeyFailure(what: "OpenSSL makes no key") }
            return try OpenSSLKey(Data(scalar))
        }

        func key(of representation: Data) throws -> any SigningKey {
            try OpenSSLKey(representation)
        }
    }

    func sha256(_ bytes: Data) -> Data {
        var digest = [UInt8](repeating: 0, count: HFC_DIGEST_BYTES)
        precondition(hfc_sha256([UInt8](bytes), bytes.count, &digest) == 1, "OpenSSL has no SHA-256")
        return Data(digest)
    }
#endif
