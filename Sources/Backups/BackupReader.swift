internal import Engine
internal import Possession
internal import Text
package import Tokens

/// Reads a backup, and returns only authenticated bytes.
///
///     let reader = try BackupReader(path, keys)
///     while let bytes = try reader.next() { ... }
///
/// Only when `next` has returned `nil` is it certain that the backup is complete.
package final class BackupReader {
    package let manifest: BackupManifest
    private let chunks: Chunks
    private var nextChunk: Int
    /// Bytes of the database that followed the manifest.
    private var first: [UInt8]
    private var given = 0

    /// Opens the file and reads its manifest.
    /// - Throws: `BackupFault`.
    package init(_ path: String, _ keys: BackupKeys) throws(BackupFault) {
        chunks = try Chunks(path, keys)
        (manifest, first, nextChunk) = try Self.manifest(in: chunks)
    }

    /// The next bytes of the database, about 64 KiB; `nil`: there are no more, and the whole backup was good.
    package func next() throws(BackupFault) -> [UInt8]? {
        var bytes: [UInt8] = []
        if !first.isEmpty {
            swap(&bytes, &first)
        } else if nextChunk < chunks.count {
            bytes = try chunks.chunk(nextChunk)
            nextChunk += 1
        } else {
            guard given == manifest.databaseBytes else {
                throw contradiction("it holds \(given) bytes of \(manifest.databaseBytes)")
            }
            return nil
        }
        given += bytes.count
        guard given <= manifest.databaseBytes else {
            throw contradiction("it holds more than \(manifest.databaseBytes) bytes")
        }
        return bytes
    }

    private func contradiction(_ reason: String) -> BackupFault {
        .contradiction(path: chunks.file.path, reason: reason)
    }

    /// The manifest may end in any chunk.
    /// - Returns: the manifest, the bytes after it in its last chunk, and the number of the next chunk.
    private static func manifest(in chunks: Chunks) throws(BackupFault) -> (BackupManifest, rest: [UInt8], next: Int) {
        let path = chunks.file.path
        var bytes = try chunks.chunk(0)
        var next = 1
        guard bytes.count >= 4 else { throw .contradiction(path: path, reason: "it has no manifest") }
        let length = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard length <= BackupManifest.mostBytes else {
            throw .contradiction(path: path, reason: "its manifest is too long")
        }
        while bytes.count < 4 + length {
            guard next < chunks.count else { throw .contradiction(path: path, reason: "its manifest has no end") }
            bytes += try chunks.chunk(next)
            next += 1
        }
        guard let manifest = BackupManifest(Array(bytes[4..<4 + length])) else {
            throw .contradiction(path: path, reason: "its manifest cannot be read")
        }
        return (manifest, Array(bytes[(4 + length)...]), next)
    }
}

/// The chunks of a backup file, in order.
private final class Chunks {
    private static let sealedBytes = ChunkCipher.chunkBytes + ChunkCipher.overhead

    let file: PlainFile
    let count: Int
    /// Size of the last chunk with its tag: the rest of the file.
    private let lastBytes: Int
    private let cipher: ChunkCipher

    init(_ path: String, _ keys: BackupKeys) throws(BackupFault) {
        file = try PlainFile(reading: path)
        let bytes = try file.read(BackupHeader.size)
        let header: BackupHeader
        do throws(BackupHeader.Defect) { header = try BackupHeader(bytes) } catch {
            switch error {
            case .foreign: throw .foreign(path: path)
            case .newer(let form): throw .newer(path: path, form: form)
            }
        }
        guard header.keyID == keys.id else {
            throw .otherKey(path: path, wanted: Hex.text(header.keyID), given: Hex.text(keys.id))
        }
        let all = max(0, file.size - BackupHeader.size)
        count = max(1, (all + Self.sealedBytes - 1) / Self.sealedBytes)
        lastBytes = all - (count - 1) * Self.sealedBytes
        do { cipher = try keys.cipher(salt: header.salt, header: bytes, .decrypting) } catch {
            throw .cipher(path: path, reason: error.reason)
        }
    }

    /// - Parameter number: from 0; chunks must be read in order.
    func chunk(_ number: Int) throws(BackupFault) -> [UInt8] {
        let isLast = number == count - 1
        let size = isLast ? lastBytes : Self.sealedBytes
        let damaged = BackupFault.damaged(path: file.path, chunk: number + 1, of: count)
        guard size >= ChunkCipher.overhead else { throw damaged }
        let sealed = try file.read(size)
        guard sealed.count == size else { throw damaged }
        do { return try cipher.open(sealed, number: UInt64(number), isLast: isLast) } catch { throw damaged }
    }
}
