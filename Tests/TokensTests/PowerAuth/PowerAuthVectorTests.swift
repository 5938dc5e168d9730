import Foundation
import Engine
import Possession
import Testing
import Text

@testable import Tokens

/// Every formula, against values that the vendor has published.
@Suite struct PowerAuthVectorTests {
    private let vectors: Vectors

    init() throws { vectors = try Vectors.published() }

    /// Published numbers may have a zero byte before their 32.
    private func key(_ number: Data) throws -> KeyHandle { try KeyHandle(scalar: number.bytes.suffix(32)) }

    private func brief(_ data: Data) -> BriefSecret { BriefSecret(data.bytes) }

    @Test func `agrees on the master secret from both sides`() throws {
        #expect(vectors.masterSecrets.count == 4)
        for vector in vectors.masterSecrets {
            let server = try key(vector.serverPrivateKey)
            let device = try CurvePoint(encoded: vector.devicePublicKey.bytes)
            #expect(try KeyDerivation.masterSecret(of: server, with: device).bytes == vector.masterSecretKey.bytes)
            guard let number = vector.devicePrivateKey, let point = vector.serverPublicKey else { continue }
            #expect(try server.publicKey().uncompressed == point.bytes)
            let secret = try KeyDerivation.masterSecret(of: try key(number), with: CurvePoint(encoded: point.bytes))
            #expect(secret.bytes == vector.masterSecretKey.bytes)
        }
    }

    @Test func `derives the keys of factors, transport and vault`() throws {
        #expect(vectors.derivedKeys.count == 4)
        for vector in vectors.derivedKeys {
            for (number, expected) in [
                (ActivationKeys.Factor.possession.rawValue, vector.possession),
                (ActivationKeys.Factor.knowledge.rawValue, vector.knowledge),
                (ActivationKeys.Factor.biometry.rawValue, vector.biometry), (1000, vector.transport),
                (2000, vector.vault),
            ] {
                let found = try KeyDerivation.key(from: brief(vector.masterSecretKey), number: number)
                #expect(found.bytes == expected.bytes, "\(number)")
            }
        }
    }

    @Test func `makes keys, data and both messages of envelopes`() throws {
        #expect(vectors.envelopes.count == 7)
        for vector in vectors.envelopes {
            let envelope = try Envelope(vector)
            let context = try EnvelopeContext(vector, envelope)
            if let expected = vector.associatedData { #expect(context.associatedData == expected.bytes) }
            if let expected = vector.requestSharedInfo2 {
                let data = context.authenticatedData(
                    nonce: envelope.nonce, timestamp: envelope.timestamp,
                    ephemeralPublicKey: envelope.ephemeralPublicKey)
                #expect(data == expected.bytes)
            }
            if let expected = vector.responseSharedInfo2 {
                let data = context.authenticatedData(
                    nonce: vector.response.nonce.bytes, timestamp: vector.response.timestamp, ephemeralPublicKey: [])
                #expect(data == expected.bytes)
            }
            if let number = vector.privateKey {
                let shared = try key(number).agree(with: CurvePoint(encoded: envelope.ephemeralPublicKey))
                #expect(shared.bytes == vector.sharedSecret?.bytes)
                let info = context.derivationInfo(ephemeralPublicKey: envelope.ephemeralPublicKey)
                #expect(KeyDerivation.x963(shared, info: info).bytes == vector.envelopeKey.bytes)
                let point = try CurvePoint(encoded: try #require(vector.publicKey).bytes)
                #expect(try key(number).publicKey() == point.publicKey)
            }
            let keys = EnvelopeKeys(envelopeKey: brief(vector.envelopeKey))
            #expect(keys.authenticates(envelope, context))
            #expect(try keys.decrypt(envelope) == vector.plainRequest.bytes)
            let reply = try keys.reply(
                vector.plainResponse.bytes, nonce: vector.response.nonce.bytes, timestamp: vector.response.timestamp,
                context)
            #expect(reply.ciphertext == vector.response.encryptedData.bytes)
            #expect(reply.mac == vector.response.mac.bytes)
        }
    }

    @Test func `encrypts the standing of an activation`() throws {
        #expect(vectors.statusIVs.count == 3 && vectors.statusBlobs.count == 4)
        for vector in vectors.statusIVs {
            let iv = try StatusBlobCipher.iv(
                brief(vector.transport), challenge: vector.challenge.bytes, nonce: vector.nonce.bytes)
            #expect(iv == vector.iv.bytes)
        }
        for vector in vectors.statusBlobs {
            let (transport, challenge, nonce) = (
                brief(vector.transport), vector.challenge.bytes, vector.nonce.bytes
            )
            let iv = try StatusBlobCipher.iv(transport, challenge: challenge, nonce: nonce)
            let published = try #require(
                try AES128.decrypt(vector.encryptedStatusBlob.bytes, key: transport, iv: iv, pads: false))
            let status = ActivationStatus(
                state: try #require(ActivationStatus.State(rawValue: vector.state)),
                failedAttempts: vector.failedAttempts, maxFailedAttempts: vector.maxFailedAttempts)
            let counter = SignatureCounter(data: vector.ctrData.bytes, number: 256 + vector.counterByte)
            let plain = try StatusBlobCipher.plain(
                status, counter, transportKey: transport, random: Array(published[7..<12]))
            #expect(plain == published && plain.suffix(16).elementsEqual(vector.ctrDataHash.bytes))
            let encrypted = try StatusBlobCipher.encrypt(
                plain, transportKey: transport, challenge: challenge, nonce: nonce)
            #expect(encrypted == vector.encryptedStatusBlob.bytes)
        }
    }

    @Test func `signs with one, two and three factors`() throws {
        #expect(Set(vectors.signatures.map(\.type)).count == 3)
        for vector in vectors.signatures {
            let all = [brief(vector.possession), brief(vector.knowledge), brief(vector.biometry)]
            let factors = try #require(SignatureFactors.spelled(vector.type))
            let signature = SignatureCode.signature(
                of: vector.data.bytes, counter: vector.ctrData.bytes, keys: Array(all.prefix(factors.count)))
            #expect(signature == vector.signature.bytes)
        }
    }

    @Test func `knows the signatures of the master key`() throws {
        #expect(!vectors.activationCodeSignatures.isEmpty)
        for vector in vectors.activationCodeSignatures {
            let master = try VerifyingKey(CurvePoint(encoded: vector.masterPublicKey.bytes).publicKey)
            let signature = try #require(ECDSASignature(der: vector.signature.bytes))
            #expect(master.verifies(signature.raw, of: Array(vector.code.utf8)))
        }
    }

    @Test func `writes the text that an SDK is configured with`() throws {
        for vector in vectors.configurations {
            let key = try #require(Data(base64Encoded: vector.applicationKey)).bytes
            // The published point is no point of the curve: the SDK's test has random bytes.
            let point = vector.masterPublicKey.bytes
            let master = try #require(PublicKey(x: Array(point[1..<33]), y: Array(point[33...])))
            let text = SDKConfiguration.text(
                applicationKey: key, secret: brief(vector.applicationSecret), masterPublicKey: master)
            #expect(text == vector.configuration)
        }
    }
}

extension Envelope {
    init(_ vector: Vectors.Exchange) throws {
        self.init(
            version: try #require(DeviceProtocolVersion.spelled(vector.protocolVersion)),
            ephemeralPublicKey: try #require(vector.request.ephemeralPublicKey).bytes,
            ciphertext: vector.request.encryptedData.bytes, mac: vector.request.mac.bytes,
            nonce: vector.request.nonce.bytes, timestamp: vector.request.timestamp,
            temporaryKeyID: vector.request.temporaryKeyId)
    }
}

extension EnvelopeContext {
    init(_ vector: Vectors.Exchange, _ envelope: Envelope) throws {
        self.init(
            envelope, try #require(SharedInfo1.spelled(vector.sharedInfo1)), applicationKey: vector.applicationKey,
            activationID: vector.activationId,
            secretText: BriefSecret(Array(vector.applicationSecret.base64EncodedString().utf8)),
            transportKey: vector.transportKey.map { BriefSecret($0.bytes) })
    }
}
