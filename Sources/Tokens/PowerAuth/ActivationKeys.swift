import Engine
import Possession

/// The keys of an activation, in their form before sealing: version (1 byte), shared secret (16), the device's point (x
/// and y, 64), the server's private key (32).
struct ActivationKeys: Sendable {
    private static let version: UInt8 = 1
    private static let pointStart = 1 + KeyDerivation.keySize
    private static let scalarStart = pointStart + 64
    private static let size = scalarStart + 32

    /// The server's private key, 32 bytes. Not every call needs the key object made from it.
    let serverScalar: BriefSecret
    let devicePublicKey: PublicKey
    /// "KEY_MASTER_SECRET": all other keys are derived from it.
    let masterSecret: BriefSecret

    /// Agrees on keys with a device.
    init(_ serverKey: KeyHandle, agreeing point: CurvePoint) throws(TokenFault) {
        serverScalar = try serverKey.scalar()
        devicePublicKey = point.publicKey
        masterSecret = try KeyDerivation.masterSecret(of: serverKey, with: point)
    }

    /// - Throws: `TokenFault` for malformed bytes.
    init(_ bytes: [UInt8]) throws(TokenFault) {
        guard bytes.count == Self.size, bytes[0] == Self.version,
            let point = PublicKey(
                x: Array(bytes[Self.pointStart..<Self.pointStart + 32]),
                y: Array(bytes[Self.pointStart + 32..<Self.scalarStart]))
        else { throw TokenFault("no keys of an activation") }
        masterSecret = BriefSecret(Array(bytes[1..<Self.pointStart]))
        devicePublicKey = point
        serverScalar = BriefSecret(Array(bytes[Self.scalarStart...]))
    }

    /// The caller seals and then wipes them.
    var bytes: [UInt8] {
        var bytes: [UInt8] = [Self.version]
        bytes.reserveCapacity(Self.size)
        bytes += masterSecret.bytes
        bytes += devicePublicKey.x
        bytes += devicePublicKey.y
        bytes += serverScalar.bytes
        return bytes
    }

    /// The key of one factor.
    enum Factor: UInt64 { case possession = 1, knowledge = 2, biometry = 3 }

    func key(of factor: Factor) throws(TokenFault) -> BriefSecret {
        try KeyDerivation.key(from: masterSecret, number: factor.rawValue)
    }

    /// "KEY_TRANSPORT".
    func transportKey() throws(TokenFault) -> BriefSecret {
        try KeyDerivation.key(from: masterSecret, number: 1000)
    }

    /// "KEY_ENCRYPTION_VAULT".
    func vaultKey() throws(TokenFault) -> BriefSecret {
        try KeyDerivation.key(from: masterSecret, number: 2000)
    }

    /// The keys of the factors, in the order in which they sign.
    func keys(of factors: SignatureFactors) throws(TokenFault) -> [BriefSecret] {
        var keys: [BriefSecret] = []
        for factor in factors.all { keys.append(try key(of: factor)) }
        return keys
    }
}

extension SignatureFactors {
    fileprivate var all: [ActivationKeys.Factor] {
        switch self {
        case .possession: [.possession]
        case .knowledge: [.knowledge]
        case .biometry: [.biometry]
        case .possessionKnowledge: [.possession, .knowledge]
        case .possessionBiometry: [.possession, .biometry]
        case .possessionKnowledgeBiometry: [.possession, .knowledge, .biometry]
        }
    }
}
