import Foundation

/// A P-256 key that signs. Where the platform can, nobody sees its private part.
package protocol SigningKey: Sendable {
    /// x and y, 64 bytes.
    var publicKey: Data { get }
    /// By which the same key is found again: the private key, or an encrypted blob that only the Secure Enclave can use.
    var representation: Data { get }
    /// r and s, 64 bytes, over the SHA-256 of these bytes.
    func signature(for bytes: Data) throws -> Data
}

/// Makes keys, and finds them again.
package protocol KeyMaker: Sendable {
    /// - Parameter isDeviceKey: the key stays for long, and should be kept in hardware.
    func makeKey(isDeviceKey: Bool) throws -> any SigningKey
    func key(of representation: Data) throws -> any SigningKey
}

struct KeyFailure: Error {
    let what: String
}
