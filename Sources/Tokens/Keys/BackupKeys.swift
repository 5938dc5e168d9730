package import Engine
internal import Possession

/// The keys of backups. A backup is encrypted under the master key in use when it is made, and names that key.
package struct BackupKeys: Sendable {
    private let key: SecretBytes
    /// Identifies the master key without revealing anything else about it: 8 bytes.
    package let id: [UInt8]

    /// - Throws: `TokenFault` when OpenSSL refuses.
    package init(_ master: MasterKey) throws(TokenFault) {
        key = try master.subkey(.backup)
        id = try master.keyID()
    }

    /// Encrypts or decrypts one backup.
    /// - Parameters:
    ///   - salt: 32 random bytes, different for each backup.
    ///   - header: the bytes before the chunks; the key depends on them.
    /// - Throws: `TokenFault` when OpenSSL refuses.
    package func cipher(
        salt: [UInt8], header: [UInt8], _ direction: ChunkCipher.Direction
    ) throws(TokenFault) -> ChunkCipher {
        let info = Array("holdfast backup file 1".utf8) + [0] + header
        let fileKey = try HKDF.derive(from: key, salt: salt, info: info, count: 32)
        return try ChunkCipher(key: fileKey, header: header, direction)
    }
}
