import Engine
import Possession
import Testing
import Text

@testable import Tokens

@Suite struct PowerAuthActivationTests {
    private let server: PowerAuthServer
    private let id = PowerAuthServer.anID
    private let body = Array(#"{"requestObject":{"reason":"check"}}"#.utf8)

    init() throws { server = try PowerAuthServer() }

    private func call(
        _ signature: [UInt8], _ factors: SignatureFactors = .possessionKnowledge, method: String = "POST",
        resource: String = "/pa/signature/validate", nonce: String = "bm9uY2U=", body: [UInt8]? = nil
    ) -> SignedCall {
        SignedCall(
            method: method, resource: resource, nonce: nonce, body: body ?? self.body, factors: factors,
            signature: signature)
    }

    private func caller(_ caller: DeviceCaller, _ match: SignatureMatch) throws -> DeviceCaller {
        let activation = try #require(caller.activation)
        let secrets = ActivationSecrets(keys: activation.secrets.keys, counter: match.counter)
        return try server.caller(activation.sentID, secrets)
    }

    @Test func `agrees on keys with a phone, whichever form its point has`() throws {
        let phone = try PowerAuthPhone(server)
        for point in [phone.device.publicKey.compressed, phone.device.publicKey.uncompressed] {
            let made = try server.crypto.activate(id, devicePublicKey: point)
            #expect(made.counterData.count == 16 && made.serverPublicKey.count == 65)
            let keys = try server.crypto.keys(of: id, made.secrets)
            let serverPoint = try CurvePoint(encoded: made.serverPublicKey)
            let shared = try KeyDerivation.masterSecret(of: phone.device.handle, with: serverPoint)
            #expect(keys.masterSecret.bytes == shared.bytes && keys.devicePublicKey == phone.device.publicKey)
            #expect(try server.crypto.counter(of: id, made.secrets) == SignatureCounter(data: made.counterData))
        }
        let two = try (0..<2).map { _ in
            try server.crypto.activate(id, devicePublicKey: phone.device.publicKey.compressed)
        }
        #expect(two[0].serverPublicKey != two[1].serverPublicKey && two[0].counterData != two[1].counterData)
    }

    @Test func `refuses device keys that are no point`() {
        for point: [UInt8] in [[], [0], [UInt8](repeating: 0, count: 65), [2] + [UInt8](repeating: 0xFF, count: 32)] {
            #expect(throws: DeviceProtocolError.self) { try server.crypto.activate(id, devicePublicKey: point) }
        }
    }

    @Test func `seals the parts of an activation for its id and their kind`() throws {
        let (_, caller) = try server.activated()
        let secrets = try #require(caller.activation).secrets
        let other = ActivationID(bits: 1)
        #expect(throws: TokenFault.self) { try server.crypto.keys(of: other, secrets) }
        #expect(throws: TokenFault.self) { try server.crypto.counter(of: other, secrets) }
        let swapped = ActivationSecrets(keys: secrets.counter, counter: secrets.keys)
        #expect(throws: TokenFault.self) { try server.crypto.keys(of: id, swapped) }
        #expect(throws: TokenFault.self) { try server.crypto.counter(of: id, swapped) }
        let sealer = server.crypto.sealer
        #expect(try sealer.open(secrets.keys, context: SealedKeys.activation.context(of: id.bytes)).count == 113)
        #expect(try sealer.open(secrets.counter, context: SealedKeys.counter.context(of: id.bytes)).count == 24)
        #expect(secrets.counter.count == 24 + Sealer.overhead && secrets.keys.count == 113 + Sealer.overhead)
    }

    @Test(arguments: [
        (SignatureFactors.possession, [1 as UInt64]), (.knowledge, [2]), (.biometry, [3]),
        (.possessionKnowledge, [1, 2]), (.possessionBiometry, [1, 3]), (.possessionKnowledgeBiometry, [1, 2, 3]),
    ])
    func `takes signatures of each set of factors`(factors: SignatureFactors, numbers: [UInt64]) throws {
        var (phone, caller) = try server.activated()
        for _ in 0..<3 {
            let signature = try phone.sign(body, numbers)
            #expect(signature.count == factors.count * 16)
            let match = try #require(try server.crypto.verify(call(signature, factors), from: caller))
            #expect(match.skipped == 0)
            for other in SignatureFactors.allCases where other != factors && other.count == factors.count {
                #expect(try server.crypto.verify(call(signature, other), from: caller) == nil)
            }
            caller = try self.caller(caller, match)
            #expect(try server.crypto.verify(call(signature, factors), from: caller) == nil, "good once")
        }
        let secrets = try #require(caller.activation).secrets
        #expect(try server.crypto.counter(of: id, secrets) == SignatureCounter(data: phone.counter, number: 3))
    }

    @Test func `looks 20 places ahead, and goes on behind the place that matched`() throws {
        var (phone, caller) = try server.activated()
        var last: [UInt8] = []
        for _ in 0..<20 { last = try phone.sign(body) }
        let beyond = try phone.sign(body)
        #expect(try server.crypto.verify(call(beyond), from: caller) == nil, "the 21st place")
        let match = try #require(try server.crypto.verify(call(last), from: caller))
        #expect(match.skipped == 19)
        caller = try self.caller(caller, match)
        let next = try #require(try server.crypto.verify(call(beyond), from: caller))
        #expect(next.skipped == 0)
        let secrets = try #require(try self.caller(caller, next).activation).secrets
        #expect(try server.crypto.counter(of: id, secrets).number == 21)
    }

    @Test func `binds a signature to method, resource, nonce, body, secret and activation`() throws {
        var (phone, caller) = try server.activated()
        let signature = try phone.sign(body)
        let crypto = server.crypto
        #expect(try crypto.verify(call(signature, method: "PUT"), from: caller) == nil)
        #expect(try crypto.verify(call(signature, resource: "/pa/activation/remove"), from: caller) == nil)
        #expect(try crypto.verify(call(signature, nonce: "bm9uY2Y="), from: caller) == nil)
        #expect(try crypto.verify(call(signature, body: body + [0x20]), from: caller) == nil)
        #expect(try crypto.verify(call(signature, body: []), from: caller) == nil)
        let activation = try #require(caller.activation)
        let application = DeviceCaller(try crypto.makeApplicationKeys(), activation: activation)
        #expect(try crypto.verify(call(signature), from: application) == nil)
        let (_, neighbour) = try server.activated(ActivationID(bits: 5))
        #expect(try crypto.verify(call(signature), from: neighbour) == nil)
        for place in signature.indices {
            var wrong = signature
            wrong[place] ^= 1
            #expect(try crypto.verify(call(wrong), from: caller) == nil)
        }
        for wrong in [[], Array(signature.dropLast()), signature + [0], signature + signature] {
            #expect(throws: DeviceProtocolError.self) { try crypto.verify(call(wrong), from: caller) }
        }
        #expect(throws: DeviceProtocolError.self) {
            try crypto.verify(call(signature), from: DeviceCaller(server.keys))
        }
        #expect(try crypto.verify(call(signature), from: caller) != nil)
    }

    @Test func `tells a phone its standing, and nobody else`() throws {
        let (phone, caller) = try server.activated()
        let secrets = try #require(caller.activation).secrets
        let challenge = try SystemRandom().bytes(16)
        let status = ActivationStatus(state: .blocked, failedAttempts: 5, maxFailedAttempts: 5)
        let blob = try server.crypto.statusBlob(of: id, secrets, status, challenge: challenge)
        let transport = try phone.transport()
        let iv = try StatusBlobCipher.iv(transport, challenge: challenge, nonce: blob.nonce)
        let plain = try #require(try AES128.decrypt(blob.encrypted, key: transport, iv: iv, pads: false))
        #expect(plain.prefix(7).elementsEqual([0xDE, 0xC0, 0xDE, 0xD1, 4, 3, 3]))
        #expect(plain[12..<16].elementsEqual([0, 5, 5, 20]))
        let again = try server.crypto.statusBlob(of: id, secrets, status, challenge: challenge)
        #expect(again != blob && again.encrypted.count == 32)
        let nobody = try server.crypto.statusBlobOfNobody()
        #expect(nobody.encrypted.count == blob.encrypted.count && nobody.nonce.count == blob.nonce.count)
        #expect(try server.crypto.statusBlobOfNobody() != nobody)
        for count in [0, 15, 17] {
            #expect(throws: DeviceProtocolError.self) {
                try server.crypto.statusBlob(
                    of: id, secrets, status, challenge: [UInt8](repeating: 0, count: count))
            }
        }
    }

    @Test func `takes calls that a token signed, from two hours ago to 30 minutes ahead`() throws {
        let now = PowerAuthServer.now
        let token = try server.crypto.makeToken(of: id)
        #expect(token.secret.count == 16)
        func proof(_ age: Duration, nonce: [UInt8] = [UInt8](repeating: 1, count: 16)) -> TokenProof {
            let time = now.adding(.zero - age).milliseconds
            let digest = MessageCode.hmac(.sha256, key: token.secret, nonce + Array("&\(time)&3.3".utf8))
            return TokenProof(version: .v33, nonce: nonce, timestamp: time, digest: digest)
        }
        func isProof(_ proof: TokenProof) throws -> Bool {
            try server.crypto.isProof(proof, by: token.sealed, of: id, at: now)
        }
        for age in [Duration.zero, .seconds(7200), .seconds(-1800)] { #expect(try isProof(proof(age))) }
        for age in [Duration.milliseconds(7_200_001), .milliseconds(-1_800_001)] {
            #expect(try !isProof(proof(age)))
        }
        #expect(try !isProof(proof(.zero, nonce: [])))
        let good = proof(.zero)
        for wrong in [
            TokenProof(version: .v32, nonce: good.nonce, timestamp: good.timestamp, digest: good.digest),
            TokenProof(version: .v33, nonce: good.nonce, timestamp: good.timestamp + 1, digest: good.digest),
            TokenProof(version: .v33, nonce: good.nonce, timestamp: good.timestamp, digest: []),
            TokenProof(version: .v33, nonce: good.nonce, timestamp: .min, digest: good.digest),
        ] { #expect(try !isProof(wrong)) }
        #expect(throws: TokenFault.self) {
            try server.crypto.isProof(good, by: token.sealed, of: ActivationID(bits: 2), at: now)
        }
    }

    /// As a phone opens it: "KEY_ENCRYPTION_VAULT", under "KEY_TRANSPORT" with an IV of zeros.
    @Test func `gives a phone the key of its vault, and nobody else`() throws {
        let (phone, caller) = try server.activated()
        let secrets = try #require(caller.activation).secrets
        let encrypted = try server.crypto.vaultKey(of: id, secrets)
        #expect(try encrypted.count == 32 && server.crypto.vaultKey(of: id, secrets) == encrypted)
        let zeros = [UInt8](repeating: 0, count: 16)
        let key = try AES128.decrypt(encrypted, key: try phone.transport(), iv: zeros, pads: true)
        #expect(try key == KeyDerivation.key(from: try #require(phone.masterSecret), number: 2000).bytes)
        let (neighbour, _) = try server.activated(ActivationID(bits: 5))
        let other = try? AES128.decrypt(encrypted, key: try neighbour.transport(), iv: zeros, pads: true)
        #expect(other != key)
        #expect(throws: TokenFault.self) { try server.crypto.vaultKey(of: ActivationID(bits: 2), secrets) }
    }

    @Test func `takes the data of a call as a backend passes it on`() throws {
        var (phone, caller) = try server.activated()
        let signature = try phone.sign(body)
        let data = "POST&\(Base64.encode(Array("/pa/signature/validate".utf8)))&bm9uY2U=&\(Base64.encode(body))"
        func verify(_ data: String) throws -> SignatureMatch? {
            try server.crypto.verify(
                SignedCall(data: Array(data.utf8), factors: .possessionKnowledge, signature: signature), from: caller)
        }
        #expect(try verify(data) != nil && verify(data + "&") == nil && verify("") == nil)
    }
}
