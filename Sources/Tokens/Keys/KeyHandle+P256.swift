import COpenSSL
import Engine
import Possession
internal import Secrets

/// P-256 keys made from numbers, and key agreement.
extension KeyHandle {
    /// An empty P-256 key, whose parameters all others copy: looking them up by name takes longer.
    private static let p256: KeyHandle? = try? {
        () throws(TokenFault) -> KeyHandle in
        let context = try requireObject(EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil), "EVP_PKEY_CTX_new_id")
        defer { EVP_PKEY_CTX_free(context) }
        try requireSuccess(EVP_PKEY_paramgen_init(context), "EVP_PKEY_paramgen_init")
        try requireSuccess(
            EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1),
            "EVP_PKEY_CTX_set_ec_paramgen_curve_nid")
        var key: OpaquePointer?
        try requireSuccess(EVP_PKEY_paramgen(context, &key), "EVP_PKEY_paramgen")
        return KeyHandle(owning: try requireObject(key, "EVP_PKEY_paramgen"))
    }()

    /// Reads a point in one of its forms (SEC 1 section 2.3.4); the caller has checked the length. Checks that its
    /// coordinates are in range and satisfy the curve equation.
    ///
    /// - Throws: `TokenFault` for any other.
    convenience init(point: [UInt8]) throws(TokenFault) {
        guard let p256 = Self.p256 else { throw TokenFault("P-256 is not available") }
        self.init(owning: try requireObject(EVP_PKEY_new(), "EVP_PKEY_new"))
        try requireSuccess(EVP_PKEY_copy_parameters(key, p256.key), "EVP_PKEY_copy_parameters")
        try requireSuccess(
            EVP_PKEY_set1_encoded_public_key(key, point, point.count), "EVP_PKEY_set1_encoded_public_key")
    }

    /// Makes the key pair of a private number: 32 bytes, most significant first.
    ///
    /// - Throws: `TokenFault` unless it is from 1 to the order of P-256 less 1.
    convenience init(scalar: [UInt8]) throws(TokenFault) {
        guard ECDSASignature.isInRange(scalar[...]) else { throw TokenFault("no private key of P-256") }
        self.init(owning: try requireObject(copenssl_p256_key(scalar), "EVP_PKEY_fromdata"))
    }

    /// The private number, 32 bytes.
    func scalar() throws(TokenFault) -> BriefSecret { BriefSecret(try number("priv")) }

    /// The coordinates of the public half.
    ///
    /// - Throws: `TokenFault` for a key of another kind, or on a curve of more than 256 bits.
    func publicKey() throws(TokenFault) -> PublicKey {
        guard let publicKey = PublicKey(x: try number("qx"), y: try number("qy")) else {
            throw TokenFault("not a P-256 key")
        }
        return publicKey
    }

    private func number(_ name: String) throws(TokenFault) -> [UInt8] {
        var number: OpaquePointer?
        try requireSuccess(EVP_PKEY_get_bn_param(key, name, &number), "EVP_PKEY_get_bn_param")
        let value = try requireObject(number, "EVP_PKEY_get_bn_param")
        defer { BN_clear_free(value) }
        var bytes = [UInt8](repeating: 0, count: 32)
        guard BN_bn2binpad(value, &bytes, 32) == 32 else { throw TokenFault("not a P-256 key") }
        return bytes
    }

    /// ECDH (NIST SP 800-56A section 5.7.1.2): the x-coordinate of the shared point, 32 bytes.
    ///
    /// - Throws: `TokenFault` when OpenSSL refuses.
    func agree(with point: CurvePoint) throws(TokenFault) -> BriefSecret {
        let context = try context(starting: EVP_PKEY_derive_init, "EVP_PKEY_derive_init")
        defer { EVP_PKEY_CTX_free(context) }
        // The point was checked when it was read. Its order is that of the curve, whose cofactor is 1; checking again
        // takes longer than the agreement.
        try requireSuccess(EVP_PKEY_derive_set_peer_ex(context, point.handle.key, 0), "EVP_PKEY_derive_set_peer_ex")
        var shared = [UInt8](repeating: 0, count: 32)
        var length = shared.count
        let result = EVP_PKEY_derive(context, &shared, &length)
        guard result == 1, length == shared.count else {
            shared.wipe()
            ERR_clear_error()
            throw TokenFault("EVP_PKEY_derive failed")
        }
        return BriefSecret(shared)
    }
}

extension PublicKey {
    /// The uncompressed form, 65 bytes (SEC 1 section 2.3.3).
    var uncompressed: [UInt8] { [0x04] + x + y }
}
