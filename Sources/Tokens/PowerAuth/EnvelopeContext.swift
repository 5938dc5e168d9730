import Engine
import Possession

/// The data that an envelope is bound to, in addition to its keys: version, use, application, activation, temporary
/// key.
struct EnvelopeContext: Sendable {
    private let version: [UInt8]
    private let sharedInfo1: SharedInfo1
    /// SHA-256 of the application's secret, or its HMAC under the transport key of the activation.
    private let base: BriefSecret
    /// "AD": the texts, as the caller sent them.
    let associatedData: [UInt8]

    /// - Parameters:
    ///   - secretText: of the application, in Base64.
    ///   - transportKey: of the calling activation; `nil`: an app without activation calls.
    init(
        _ envelope: Envelope, _ sharedInfo1: SharedInfo1, applicationKey: String, activationID: String?,
        secretText: BriefSecret, transportKey: BriefSecret?
    ) {
        version = Array(envelope.version.rawValue.utf8)
        self.sharedInfo1 = sharedInfo1
        base =
            transportKey.map { BriefSecret(MessageCode.hmac(.sha256, key: $0.bytes, secretText.bytes)) }
            ?? BriefSecret(SHA256.digest(secretText.bytes))
        let texts = [applicationKey, activationID, envelope.temporaryKeyID].compactMap { $0 }
        associatedData = KeyDerivation.joined([version] + texts.map { Array($0.utf8) })
    }

    /// The info of the key derivation. It contains the key as it was sent, 33 or 65 bytes.
    func derivationInfo(ephemeralPublicKey: [UInt8]) -> [UInt8] {
        version + Array(sharedInfo1.rawValue.utf8) + ephemeralPublicKey
    }

    /// "sharedInfo2", which is authenticated after the ciphertext.
    /// - Parameter ephemeralPublicKey: as it was sent; empty in a reply.
    func authenticatedData(nonce: [UInt8], timestamp: Int64, ephemeralPublicKey: [UInt8]) -> [UInt8] {
        KeyDerivation.joined([base.bytes, nonce, timestamp.bigEndianBytes, ephemeralPublicKey, associatedData])
    }
}

/// "sharedInfo1": the purpose of an envelope, on the wire.
enum SharedInfo1: String, Sendable, CaseIterable {
    case application = "/pa/generic/application"
    case activationOrder = "/pa/activation"
    case activation = "/pa/generic/activation"
    case token = "/pa/token/create"
    case vault = "/pa/vault/unlock"

    init(_ purpose: EnvelopePurpose) {
        switch purpose {
        case .application: self = .application
        case .activationOrder: self = .activationOrder
        case .activation: self = .activation
        case .token: self = .token
        case .vault: self = .vault
        }
    }
}
