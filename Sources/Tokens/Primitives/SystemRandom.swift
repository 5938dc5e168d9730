internal import Locks
import COpenSSL
package import Possession

/// Random bytes from OpenSSL's generator, drawn in blocks: a small call then costs tens of nanoseconds.
package final class SystemRandom: Sendable {
    private static let blockSize = 4096

    private struct Block {
        var bytes = [UInt8](repeating: 0, count: SystemRandom.blockSize)
        var next = SystemRandom.blockSize
    }

    private let block = Locked(Block())

    package init() {}

    /// The same as a closure.
    package var randomBytes: RandomBytes {
        { (count) throws(EntropyFault) in try self.bytes(count) }
    }

    /// Fresh bytes; each is returned only once.
    ///
    /// - Throws: `EntropyFault` when the generator refuses.
    package func bytes(_ count: Int) throws(EntropyFault) -> [UInt8] {
        precondition(count >= 0, "a count is not negative")
        guard count <= Self.blockSize / 4 else {
            var bytes = [UInt8](repeating: 0, count: count)
            try Self.fill(&bytes)
            return bytes
        }
        return try block.withLock { (block) throws(EntropyFault) -> [UInt8] in
            if block.next + count > Self.blockSize {
                try Self.fill(&block.bytes)
                block.next = 0
            }
            let range = block.next..<block.next + count
            let bytes = Array(block.bytes[range])
            // Returned bytes may become a code or a token, so no second copy is kept.
            for index in range { block.bytes[index] = 0 }
            block.next += count
            return bytes
        }
    }

    private static func fill(_ bytes: inout [UInt8]) throws(EntropyFault) {
        let count = Int32(clamping: bytes.count)
        guard Int(count) == bytes.count, RAND_bytes(&bytes, count) == 1 else {
            ERR_clear_error()
            throw EntropyFault()
        }
    }
}
