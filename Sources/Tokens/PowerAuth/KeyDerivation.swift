import Engine
import Possession
internal import Secrets

/// The key derivations of PowerAuth 3 (the vendor's names are in quotes).
enum KeyDerivation {
    /// The size of every key, in bytes.
    static let keySize = 16

    /// XOR of the two halves of 32 bytes.
    static func fold(_ bytes: [UInt8]) -> [UInt8] {
        precondition(bytes.count == 32, "32 bytes fold to 16")
        return (0..<16).map { bytes[$0] ^ bytes[$0 + 16] }
    }

    /// "KDF_INTERNAL": the halves of HMAC-SHA-256 of the index, folded.
    static func key(from key: BriefSecret, index: [UInt8]) -> BriefSecret {
        var code = MessageCode.hmac(.sha256, key: key.bytes, index)
        defer { code.wipe() }
        return BriefSecret(fold(code))
    }

    /// "KDF": AES-128 of one block that contains the number in its last eight bytes, most significant first.
    static func key(from key: BriefSecret, number: UInt64) throws(TokenFault) -> BriefSecret {
        BriefSecret(try AES128.encrypt(block: [UInt8](repeating: 0, count: 8) + number.bigEndianBytes, key: key))
    }

    /// ANSI X9.63 (SEC 1 section 3.6.1) with SHA-256: 48 bytes.
    static func x963(_ secret: BriefSecret, info: [UInt8]) -> BriefSecret {
        var output: [UInt8] = []
        output.reserveCapacity(48)
        for counter in UInt32(1)...2 {
            var message: [UInt8] = []
            message.reserveCapacity(secret.bytes.count + 4 + info.count)
            message += secret.bytes
            message += counter.bigEndianBytes
            message += info
            var block = SHA256.digest(message)
            output += block.prefix(48 - output.count)
            block.wipe()
            message.wipe()
        }
        return BriefSecret(output)
    }

    /// "KEY_MASTER_SECRET": the result of the agreement between the server's and the device's key, folded.
    static func masterSecret(of key: KeyHandle, with point: CurvePoint) throws(TokenFault) -> BriefSecret {
        BriefSecret(fold(try key.agree(with: point).bytes))
    }

    /// Fields, each preceded by its length in four bytes.
    static func joined(_ fields: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(fields.reduce(0) { $0 + 4 + $1.count })
        for field in fields {
            bytes += UInt32(field.count).bigEndianBytes
            bytes += field
        }
        return bytes
    }
}

extension FixedWidthInteger {
    /// Most significant first.
    var bigEndianBytes: [UInt8] {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> Self($0)) }
    }
}
