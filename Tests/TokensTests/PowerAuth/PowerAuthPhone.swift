import Engine
import Possession
import TestSupport
import Testing
import Text

@testable import Tokens

/// A server's cryptography, and what it keeps.
struct PowerAuthServer {
    static let start = Timestamp(seconds: 1_767_261_600)
    static let now = start.adding(.seconds(600))
    static let anID = ActivationID(bits: 0x0198_0000_0000_7000_8000_0000_0000_00AB)

    let crypto: PowerAuthProtocol
    let keys: ApplicationKeys
    let temporarySecrets: InMemoryTemporarySecrets
    let usedNames: InMemoryUsedNames

    init(startedAt: Timestamp = start) throws {
        let random = SystemRandom().randomBytes
        let sealer = try Sealer(
            key: SecretBytes(SystemRandom().bytes(32)), now: { Self.now }, randomBytes: random)
        temporarySecrets = InMemoryTemporarySecrets()
        usedNames = InMemoryUsedNames()
        crypto = PowerAuthProtocol(
            sealer: sealer, randomBytes: random, startedAt: startedAt, temporarySecrets: temporarySecrets,
            usedNames: usedNames)
        keys = try crypto.makeApplicationKeys()
    }

    /// Another server with the same stores, or the next process of this one: it has nothing in memory.
    private init(beside server: PowerAuthServer, startedAt: Timestamp) {
        (keys, temporarySecrets, usedNames) = (server.keys, server.temporarySecrets, server.usedNames)
        crypto = PowerAuthProtocol(
            sealer: server.crypto.sealer, randomBytes: server.crypto.randomBytes, startedAt: startedAt,
            temporarySecrets: server.temporarySecrets, usedNames: server.usedNames)
    }

    /// A second server with the same stores.
    func beside() -> PowerAuthServer { PowerAuthServer(beside: self, startedAt: Self.start) }

    /// The server as its next process has it: all that it kept in memory is gone.
    func restarted(at now: Timestamp) async throws -> PowerAuthServer {
        let next = PowerAuthServer(beside: self, startedAt: now)
        try await next.crypto.loadTemporaryKeys(at: now)
        return next
    }

    /// An activated phone, and how it calls.
    func activated(_ id: ActivationID = anID) throws -> (phone: PowerAuthPhone, caller: DeviceCaller) {
        var phone = try PowerAuthPhone(self)
        let made = try crypto.activate(id, devicePublicKey: phone.device.publicKey.compressed)
        try phone.adopt(made, id.text)
        return (phone, try caller(id.text, made.secrets))
    }

    func caller(_ sentID: String, _ secrets: ActivationSecrets) throws -> DeviceCaller {
        let activation: CallingActivation = try #require(CallingActivation(sentID: sentID, secrets: secrets))
        return DeviceCaller(keys, activation: activation)
    }
}

/// The other side: an app on a phone. It has the secret that every copy of the app has.
struct PowerAuthPhone {
    let applicationKey: String
    let secret: [UInt8]
    let master: PublicKey
    let device: SigningKey
    var activationID: String?
    var serverKey: PublicKey?
    var masterSecret: BriefSecret?
    var counter: [UInt8] = []

    init(_ server: PowerAuthServer) throws {
        applicationKey = server.keys.applicationKey
        secret = try server.crypto.secrets(of: server.keys).secret.bytes
        master = server.keys.masterPublicKey
        device = try SigningKey.generate()
    }

    mutating func adopt(_ made: NewActivation, _ id: String) throws {
        let point = try CurvePoint(encoded: made.serverPublicKey)
        (activationID, serverKey, counter) = (id, point.publicKey, made.counterData)
        masterSecret = try KeyDerivation.masterSecret(of: device.handle, with: point)
    }

    func transport() throws -> BriefSecret {
        try KeyDerivation.key(from: try #require(masterSecret), number: 1000)
    }

    /// One request, and what opens its reply.
    struct Sent {
        let envelope: Envelope
        fileprivate let keys: [UInt8]
        fileprivate let base: [UInt8]
        fileprivate let associated: [UInt8]

        func open(_ reply: EnvelopeReply) throws -> [UInt8] {
            let data = fields([base, reply.nonce, big(UInt64(reply.timestamp)), [], associated])
            let mac = MessageCode.hmac(.sha256, key: Array(keys[16..<32]), reply.ciphertext + data)
            try #require(mac == reply.mac)
            let plain = try AES128.decrypt(
                reply.ciphertext, key: BriefSecret(Array(keys[..<16])), iv: iv(keys, reply.nonce), pads: true)
            return try #require(plain)
        }
    }

    /// Encrypts a request by the words of the protocol, with nothing of the code that is tested but its primitives.
    func seal(
        _ plain: [UInt8], _ sharedInfo1: String, version: DeviceProtocolVersion = .v32, to key: PublicKey,
        temporaryKeyID: String? = nil, at now: Timestamp = PowerAuthServer.now, compressed: Bool = true
    ) throws -> Sent {
        let ephemeral = try SigningKey.generate()
        let sent = compressed ? ephemeral.publicKey.compressed : ephemeral.publicKey.uncompressed
        let shared = try ephemeral.handle.agree(with: CurvePoint(encoded: key.uncompressed)).bytes
        let info = Array(version.rawValue.utf8) + Array(sharedInfo1.utf8) + sent
        let keys =
            SHA256.digest(shared + [0, 0, 0, 1] + info) + SHA256.digest(shared + [0, 0, 0, 2] + info).prefix(16)

        let secretText = Array(Base64.encode(secret).utf8)
        let isOfActivation = ["/pa/generic/activation", "/pa/token", "/pa/vault"].contains {
            sharedInfo1.begins(with: $0)
        }
        let base =
            isOfActivation
            ? MessageCode.hmac(.sha256, key: try transport().bytes, secretText) : SHA256.digest(secretText)
        let texts = [version.rawValue, applicationKey, isOfActivation ? activationID : nil, temporaryKeyID]
        let associated = fields(texts.compactMap { $0.map { Array($0.utf8) } })

        let nonce = try SystemRandom().bytes(16)
        let ciphertext = try AES128.encrypt(
            plain, key: BriefSecret(Array(keys[..<16])), iv: iv(keys, nonce), pads: true)
        let data = fields([base, nonce, big(UInt64(now.milliseconds)), sent, associated])
        let mac = MessageCode.hmac(.sha256, key: Array(keys[16..<32]), ciphertext + data)
        let envelope = Envelope(
            version: version, ephemeralPublicKey: sent, ciphertext: ciphertext, mac: mac, nonce: nonce,
            timestamp: now.milliseconds, temporaryKeyID: temporaryKeyID)
        return Sent(envelope: envelope, keys: keys, base: base, associated: associated)
    }

    /// Signs a call with the counter, and goes on.
    mutating func sign(_ body: [UInt8], _ factors: [UInt64] = [1, 2], nonce: String = "bm9uY2U=") throws -> [UInt8] {
        let parts = ["POST", Base64.encode(Array("/pa/signature/validate".utf8)), nonce, Base64.encode(body)]
        let data = Array((parts + [Base64.encode(secret)]).joined(separator: "&").utf8)
        let keys = try factors.map { try KeyDerivation.key(from: try #require(masterSecret), number: $0).bytes }
        let derived = keys.map { MessageCode.hmac(.sha256, key: $0, counter) }
        counter = KeyDerivation.fold(SHA256.digest(counter))
        return derived.indices.flatMap { index in
            let key = (0..<index).reduce(derived[index]) { MessageCode.hmac(.sha256, key: derived[$1 + 1], $0) }
            return MessageCode.hmac(.sha256, key: key, data).suffix(16)
        }
    }
}

extension PublicKey {
    /// SEC 1 section 2.3.3.
    var compressed: [UInt8] { [0x02 | y[31] & 1] + x }
}

private func iv(_ keys: [UInt8], _ nonce: [UInt8]) -> [UInt8] {
    let code = MessageCode.hmac(.sha256, key: Array(keys[32...]), nonce)
    return zip(code[..<16], code[16...]).map { $0 ^ $1 }
}

private func big(_ number: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - $0 * 8)) } }

private func fields(_ fields: [[UInt8]]) -> [UInt8] {
    fields.flatMap { [0, 0, UInt8($0.count >> 8), UInt8($0.count & 0xFF)] + $0 }
}
