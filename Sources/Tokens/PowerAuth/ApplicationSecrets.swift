import Engine
import Possession
internal import Text

/// The secret halves of an application's keys, in their form before sealing: version (1 byte), secret (16), the master
/// private key (32).
struct ApplicationSecrets: Sendable {
    private static let version: UInt8 = 1

    /// 16 bytes.
    let secret: BriefSecret
    /// 32 bytes. Not every call needs the key object made from it.
    let masterScalar: BriefSecret

    init(secret: [UInt8], masterScalar: BriefSecret) throws(TokenFault) {
        guard secret.count == KeyDerivation.keySize else { throw TokenFault("an application secret has 16 bytes") }
        self.secret = BriefSecret(secret)
        self.masterScalar = masterScalar
    }

    /// - Throws: `TokenFault` for malformed bytes.
    init(_ bytes: [UInt8]) throws(TokenFault) {
        guard bytes.count == 49, bytes[0] == Self.version else { throw TokenFault("no keys of an application") }
        secret = BriefSecret(Array(bytes[1..<17]))
        masterScalar = BriefSecret(Array(bytes[17...]))
    }

    /// The caller seals and then wipes them.
    var bytes: [UInt8] { [Self.version] + secret.bytes + masterScalar.bytes }

    /// The secret as Base64, 24 characters: the form in which codes and signatures contain it.
    var secretText: BriefSecret { BriefSecret(Array(Base64.encode(secret.bytes).utf8)) }
}
