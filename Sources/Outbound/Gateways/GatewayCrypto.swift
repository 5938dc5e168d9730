/// Cryptographic functions that gateways use to sign and verify. Passed in from another target, so that this one needs
/// no second library.
package struct GatewayCrypto: Sendable {
    package enum Hash: Sendable { case md5, sha1, sha256, sha384, sha512 }

    /// HMAC (RFC 2104).
    package let hmac: @Sendable (_ hash: Hash, _ key: [UInt8], _ message: [UInt8]) -> [UInt8]
    package let digest: @Sendable (_ hash: Hash, _ message: [UInt8]) -> [UInt8]
    /// Ed25519 (RFC 8032); the key has 32 bytes.
    package let verifyEd25519: @Sendable (_ signature: [UInt8], _ key: [UInt8], _ message: [UInt8]) -> Bool

    package init(
        hmac: @escaping @Sendable (Hash, [UInt8], [UInt8]) -> [UInt8],
        digest: @escaping @Sendable (Hash, [UInt8]) -> [UInt8],
        verifyEd25519: @escaping @Sendable ([UInt8], [UInt8], [UInt8]) -> Bool
    ) {
        self.hmac = hmac
        self.digest = digest
        self.verifyEd25519 = verifyEd25519
    }
}
