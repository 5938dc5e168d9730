import Engine
import Possession
import TestSupport
import Testing
import Text

@testable import Tokens

@Suite struct PowerAuthApplicationTests {
    private let server: PowerAuthServer

    init() throws { server = try PowerAuthServer() }

    @Test func `makes keys that differ, and seals the secret halves for their name`() throws {
        let (first, second) = (server.keys, try server.crypto.makeApplicationKeys())
        #expect(first.applicationKey != second.applicationKey && first.masterPublicKey != second.masterPublicKey)
        #expect(Base64.decode(first.applicationKey.utf8)?.count == 16)
        let master = try KeyHandle(scalar: server.crypto.secrets(of: first).masterScalar.bytes)
        #expect(try master.publicKey() == first.masterPublicKey)
        let renamed = ApplicationKeys(
            applicationKey: second.applicationKey, sealed: first.sealed, masterPublicKey: first.masterPublicKey)
        #expect(throws: TokenFault.self) { try server.crypto.credentials(of: renamed) }
    }

    @Test func `takes keys that were made elsewhere`() throws {
        let vector = try #require(try Vectors.published().envelopes.first)
        let number = try #require(vector.privateKey).bytes
        let key = try #require(Base64.decode(vector.applicationKey.utf8))
        let given = GivenApplicationKeys(
            applicationKey: key, applicationSecret: vector.applicationSecret.bytes, masterPrivateKey: number)
        let keys = try server.crypto.applicationKeys(given)
        #expect(keys.applicationKey == vector.applicationKey)
        #expect(keys.masterPublicKey.compressed == vector.publicKey?.bytes)
        // The published request, opened by the server at the time of its envelope.
        let envelope = try Envelope(vector)
        let now = Timestamp(milliseconds: envelope.timestamp)
        let old = PowerAuthProtocol(
            sealer: server.crypto.sealer, randomBytes: server.crypto.randomBytes, startedAt: now,
            temporarySecrets: InMemoryTemporarySecrets(), usedNames: InMemoryUsedNames())
        let opened = try old.openAlone(envelope, for: .application, from: DeviceCaller(keys), at: now)
        #expect(opened.plain == vector.plainRequest.bytes)
    }

    @Test func `refuses keys of another length or out of range`() {
        let good = [UInt8](repeating: 1, count: 16)
        let number = [UInt8](repeating: 1, count: 32)
        for (key, secret, number) in [
            (Array(good.dropLast()), good, number), (good, good + [0], number), (good, good, Array(number.dropLast())),
            (good, good, [UInt8](repeating: 0, count: 32)), (good, good, [UInt8](repeating: 0xFF, count: 32)),
            (good, good, [0] + number), (good, good, []),
        ] {
            let given = GivenApplicationKeys(
                applicationKey: key, applicationSecret: secret, masterPrivateKey: number)
            #expect(throws: TokenFault.self) { try server.crypto.applicationKeys(given) }
        }
    }

    @Test func `tells the texts that apps are built with, one of which has all three`() throws {
        let credentials = try server.crypto.credentials(of: server.keys)
        #expect(credentials.applicationKey == server.keys.applicationKey)
        #expect(Base64.decode(credentials.masterPublicKey.utf8) == server.keys.masterPublicKey.uncompressed)
        let secret = try server.crypto.secrets(of: server.keys).secret.bytes
        #expect(Base64.decode(credentials.applicationSecret.text.utf8) == secret)
        let bytes = try #require(Base64.decode(credentials.configuration.text.utf8))
        #expect(bytes.count == 1 + 17 + 17 + 2 + 66)
        #expect(Base64.encode(Array(bytes[2..<18])) == server.keys.applicationKey)
        #expect(Array(bytes[19..<35]) == secret)
        #expect(bytes.suffix(65).elementsEqual(server.keys.masterPublicKey.uncompressed))
        #expect(!"\(credentials)".contains(credentials.applicationSecret.text))
        #expect(!"\(credentials)".contains(credentials.configuration.text))
    }
}
