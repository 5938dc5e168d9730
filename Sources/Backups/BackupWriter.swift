internal import Engine
internal import Possession
package import Tokens

/// Writes a backup: the manifest, then the bytes of the database.
///
///     let writer = try BackupWriter(path, keys, salt: salt, manifest)
///     try writer.write(bytes)
///     try writer.finish()
///
/// The file is on the disk when `finish` returns. After a failure, the caller removes it.
package final class BackupWriter {
    private let file: PlainFile
    private let cipher: ChunkCipher
    private var waiting: [UInt8] = []
    private var chunks: UInt64 = 0

    /// Creates the file, accessible only to its owner.
    /// - Parameter salt: 32 random bytes.
    /// - Throws: `.file`, also if the file exists; `.cipher`.
    package init(
        _ path: String, _ keys: BackupKeys, salt: [UInt8], _ manifest: BackupManifest
    ) throws(BackupFault) {
        let header = BackupHeader(keyID: keys.id, salt: salt).bytes
        do { cipher = try keys.cipher(salt: salt, header: header, .encrypting) } catch {
            throw .cipher(path: path, reason: error.reason)
        }
        file = try PlainFile(making: path)
        try file.write(header)
        let words = manifest.bytes
        precondition(words.count <= BackupManifest.mostBytes, "a manifest of ours is short")
        let length = UInt32(words.count)
        try write([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + words)
    }

    package func write(_ bytes: [UInt8]) throws(BackupFault) {
        waiting += bytes
        var done = 0
        // The last chunk has at least one byte, so a full chunk waits until more bytes come.
        while waiting.count - done > ChunkCipher.chunkBytes {
            try seal(Array(waiting[done..<done + ChunkCipher.chunkBytes]), isLast: false)
            done += ChunkCipher.chunkBytes
        }
        waiting.removeFirst(done)
    }

    /// Returns once the whole file is on the disk.
    package func finish() throws(BackupFault) {
        try seal(waiting, isLast: true)
        waiting = []
        try file.sync()
    }

    private func seal(_ chunk: [UInt8], isLast: Bool) throws(BackupFault) {
        let sealed: [UInt8]
        do { sealed = try cipher.seal(chunk, number: chunks, isLast: isLast) } catch {
            throw .cipher(path: file.path, reason: error.reason)
        }
        chunks += 1
        try file.write(sealed)
    }
}
