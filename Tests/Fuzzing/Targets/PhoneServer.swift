@testable import OnboardingSurface
@testable import Engine
@testable import Possession
internal import StrictJSON
internal import Text
@testable import Tokens

/// A server's cryptography with one application and one activation of it, and the phone that has them. Every key stands
/// still; only what a server remembers of calls is each input's own.
struct PhoneServer {
    static let now = Timestamp(milliseconds: 1_790_000_000_123)
    static let activation = ActivationID(high: 0x0198_0000_0000_7000, low: 0x8000_0000_0000_00AB)
    static let secret = [UInt8](repeating: 3, count: 16)
    /// In the order in which the fuzz targets name them, the key that each signs with, and the one that answers.
    static let callers: [(DeviceCaller, [UInt8], SigningKey)] = [
        (DeviceCaller(keys), secret, masterKey), (caller, keyOfActivation, serverKey),
        (DeviceCaller(otherKeys), [UInt8](repeating: 4, count: 16), key(13)),
    ]

    let crypto = PhoneServer.protocol33()

    private static func protocol33() -> PowerAuthProtocol {
        let crypto = PowerAuthProtocol(
            sealer: sealer, randomBytes: randomBytes, startedAt: now.adding(.seconds(-600)),
            temporarySecrets: NoTemporarySecrets(), usedNames: NoUsedNames())
        let period = now.seconds / TemporaryKeys.life + 1
        crypto.temporaryKeys.hold(
            KeyedHash(key: SecretBytes([UInt8](repeating: 8, count: 32))), of: period, at: now)
        return crypto
    }

    /// The one secret is in memory.
    private struct NoTemporarySecrets: TemporarySecretStore {
        func temporarySecrets() async throws(StorageFault) -> [TemporarySecret] { [] }
        func add(_ secret: TemporarySecret) async throws(StorageFault) -> TemporarySecret { secret }
        func removeTemporarySecrets(_ periods: [Int64]) async throws(StorageFault) {}
    }

    /// The calls go to one server.
    private struct NoUsedNames: UsedNameStore {
        func isFirstUse(of name: UsedName, at now: Timestamp) async throws(StorageFault) -> Bool { true }
    }

    private static let randomBytes: RandomBytes = { [UInt8](repeating: 9, count: $0) }
    private static let sealer = made {
        try Sealer(
            key: SecretBytes([UInt8](repeating: 1, count: 32)), now: { PhoneServer.now }, randomBytes: randomBytes)
    }

    /// One of 256 private keys.
    static func key(_ number: UInt8) -> SigningKey { made { try SigningKey(scalar: SHA256.digest([number])) } }

    private static let (masterKey, serverKey, deviceKey) = (key(10), key(11), key(12))
    static let keys = applicationKeys(2, secret, masterKey)
    private static let otherKeys = applicationKeys(5, [UInt8](repeating: 4, count: 16), key(13))

    private static func applicationKeys(_ byte: UInt8, _ secret: [UInt8], _ key: SigningKey) -> ApplicationKeys {
        made {
            try protocol33().applicationKeys(
                GivenApplicationKeys(
                    applicationKey: [UInt8](repeating: byte, count: 16), applicationSecret: secret,
                    masterPrivateKey: try key.handle.scalar().bytes))
        }
    }

    private static func point(_ key: PublicKey) -> CurvePoint { made { try CurvePoint(encoded: key.uncompressed) } }

    private static let transportKey = made {
        try ActivationKeys(deviceKey.handle, agreeing: point(serverKey.publicKey)).transportKey()
    }
    /// Signs requests for temporary keys of the activation.
    static let keyOfActivation = KeyDerivation.key(from: transportKey, index: secret).bytes

    private static let caller = made {
        let (crypto, id) = (protocol33(), activation)
        let keys = try ActivationKeys(serverKey.handle, agreeing: point(deviceKey.publicKey))
        let secrets = ActivationSecrets(
            keys: try crypto.seal(keys.bytes, .activation, of: id.bytes),
            counter: try crypto.seal(SignatureCounter(data: [UInt8](repeating: 6, count: 16)), of: id))
        return DeviceCaller(Self.keys, activation: CallingActivation(sentID: id.text, secrets: secrets))
    }

    static func made<Value>(_ make: () throws -> Value) -> Value {
        do { return try make() } catch { fatalError("the keys of the fuzz targets cannot be used: \(error)") }
    }

    // MARK: Opening

    enum End {
        case opened(OpenedEnvelope)
        case refused(OnboardingError)
    }

    func end(of body: [UInt8], _ version: DeviceProtocolVersion, _ purpose: EnvelopePurpose) -> End {
        let caller = purpose.needsActivation ? Self.caller : DeviceCaller(Self.keys)
        guard let object = try? JSONObject.parse(body), let envelope = Envelope(object, version: version) else {
            return .refused(.encryption)
        }
        do throws(DeviceProtocolError) {
            return .opened(try crypto.openAlone(envelope, for: purpose, from: caller, at: Self.now))
        } catch { return .refused(OnboardingError(error)) }
    }

    // MARK: Sealing

    /// A call as its phone sends it, and what opens its reply.
    struct Sent {
        let body: JSONObject
        fileprivate let keys: [UInt8]
        fileprivate let base: [UInt8]
        fileprivate let associated: [UInt8]

        func open(_ reply: EnvelopeReply) -> [UInt8]? {
            let data = KeyDerivation.joined([base, reply.nonce, reply.timestamp.bigEndianBytes, [], associated])
            guard MessageCode.hmac(.sha256, key: Array(keys[16..<32]), reply.ciphertext + data) == reply.mac else {
                return nil
            }
            return PhoneServer.made {
                try AES128.decrypt(
                    reply.ciphertext, key: BriefSecret(Array(keys[..<16])), iv: PhoneServer.iv(keys, reply.nonce),
                    pads: true)
            }
        }

        /// With one byte of a member replaced, a member less or one more.
        func changed(_ member: Int, _ place: Int, _ value: UInt8) -> JSONObject {
            var body = body
            let names = ["ephemeralPublicKey", "encryptedData", "mac", "nonce"]
            switch member {
            case 0...3:
                var bytes = body[names[member]]?.string.flatMap { Base64.decode($0.utf8) } ?? []
                bytes[place % bytes.count] = value
                body.set(names[member], Base64.encode(bytes))
            case 4: body.set("timestamp", (body["timestamp"]?.integer ?? 0) + Int64(value) - 128)
            case 5:
                guard value < 0x80, var text = body["temporaryKeyId"]?.string.map({ Array($0.utf8) }) else { break }
                text[place % text.count] = value
                body.set("temporaryKeyId", String(decoding: text, as: UTF8.self))
            case 6: body[body.names[place % body.count]] = nil
            default:
                var bytes = body["encryptedData"]?.string.flatMap { Base64.decode($0.utf8) } ?? []
                bytes += [UInt8](repeating: value, count: place % 2 == 0 ? 16 : 1)
                body.set("encryptedData", Base64.encode(bytes))
            }
            return body
        }
    }

    /// By the words of the protocol, with nothing of what it is for but its primitives.
    func seal(
        _ plain: [UInt8], _ purpose: EnvelopePurpose, _ version: DeviceProtocolVersion, _ ephemeral: SigningKey,
        isCompressed: Bool, nonce: [UInt8], timestamp: Int64
    ) -> Sent {
        Self.made {
            let isOfActivation = purpose.needsActivation
            let key = ephemeral.publicKey
            let sent = isCompressed ? [0x02 | key.y[31] & 1] + key.x : key.uncompressed
            var recipient = isOfActivation ? Self.serverKey.publicKey : Self.masterKey.publicKey
            var temporaryKeyID: String?
            if version == .v33 {
                let owner = TemporaryKeys.Owner(
                    applicationKey: Self.keys.applicationKey, activation: isOfActivation ? Self.activation : nil)
                let issued = try crypto.temporaryKeys.issue(to: owner, at: Self.now)
                (recipient, temporaryKeyID) = (issued.publicKey, issued.id.text)
            }
            let shared = try ephemeral.handle.agree(with: Self.point(recipient)).bytes
            let info = Array(version.rawValue.utf8) + Array(Self.use(purpose).utf8) + sent
            let keys =
                SHA256.digest(shared + [0, 0, 0, 1] + info) + SHA256.digest(shared + [0, 0, 0, 2] + info).prefix(16)
            let secretText = Array(Base64.encode(Self.secret).utf8)
            let base =
                isOfActivation
                ? MessageCode.hmac(.sha256, key: Self.transportKey.bytes, secretText) : SHA256.digest(secretText)
            let texts = [
                version.rawValue, Self.keys.applicationKey, isOfActivation ? Self.activation.text : nil, temporaryKeyID,
            ]
            let associated = KeyDerivation.joined(texts.compactMap { $0.map { Array($0.utf8) } })
            let ciphertext = try AES128.encrypt(
                plain, key: BriefSecret(Array(keys[..<16])), iv: Self.iv(keys, nonce), pads: true)
            let data = KeyDerivation.joined([base, nonce, timestamp.bigEndianBytes, sent, associated])
            var body: JSONObject = [
                "ephemeralPublicKey": .string(Base64.encode(sent)), "encryptedData": .string(Base64.encode(ciphertext)),
                "mac": .string(
                    Base64.encode(MessageCode.hmac(.sha256, key: Array(keys[16..<32]), ciphertext + data))),
                "nonce": .string(Base64.encode(nonce)), "timestamp": .integer(timestamp),
            ]
            body.set("temporaryKeyId", temporaryKeyID)
            return Sent(body: body, keys: keys, base: base, associated: associated)
        }
    }

    private static func use(_ purpose: EnvelopePurpose) -> String {
        switch purpose {
        case .application: "/pa/generic/application"
        case .activationOrder: "/pa/activation"
        case .activation: "/pa/generic/activation"
        case .token: "/pa/token/create"
        case .vault: "/pa/vault/unlock"
        }
    }

    fileprivate static func iv(_ keys: [UInt8], _ nonce: [UInt8]) -> [UInt8] {
        KeyDerivation.fold(MessageCode.hmac(.sha256, key: Array(keys[32...]), nonce))
    }
}
