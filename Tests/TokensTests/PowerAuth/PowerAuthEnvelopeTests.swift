import Engine
import Possession
import TestSupport
import Testing

@testable import Tokens

@Suite struct PowerAuthEnvelopeTests {
    private let server: PowerAuthServer
    private let phone: PowerAuthPhone
    private let now = PowerAuthServer.now
    private let plain = Array(#"{"requestObject":{}}"#.utf8)

    init() throws {
        server = try PowerAuthServer()
        phone = try PowerAuthPhone(server)
    }

    private func open(
        _ envelope: Envelope, _ purpose: EnvelopePurpose = .application, _ caller: DeviceCaller? = nil,
        at time: Timestamp? = nil
    ) throws(DeviceProtocolError) -> OpenedEnvelope {
        try server.crypto.openAlone(envelope, for: purpose, from: caller ?? DeviceCaller(server.keys), at: time ?? now)
    }

    /// How opening ends.
    private enum End: Equatable { case opened, refused, unknownKey, fault }

    private func end(
        _ envelope: Envelope, _ purpose: EnvelopePurpose = .application, _ caller: DeviceCaller? = nil,
        at time: Timestamp? = nil
    ) -> End {
        do {
            _ = try open(envelope, purpose, caller, at: time)
            return .opened
        } catch {
            switch error {
            case .refused: return .refused
            case .unknownTemporaryKey: return .unknownKey
            case .fault: return .fault
            }
        }
    }

    private func sealed(
        _ plain: [UInt8]? = nil, at time: Timestamp? = nil, compressed: Bool = true
    ) throws -> PowerAuthPhone.Sent {
        try phone.seal(
            plain ?? self.plain, "/pa/generic/application", to: phone.master, at: time ?? now, compressed: compressed)
    }

    @Test(arguments: [0, 1, 15, 16, 17, 4096]) func `opens a request and seals its reply`(size: Int) throws {
        for compressed in [true, false] {
            let text = [UInt8](repeating: 7, count: size)
            let sent = try sealed(text, compressed: compressed)
            let opened = try open(sent.envelope)
            #expect(opened.plain == text)
            let later = now.adding(.milliseconds(5))
            let reply = try opened.reply(plain, at: later)
            #expect(reply.timestamp == later.milliseconds && reply.nonce != sent.envelope.nonce)
            #expect(try sent.open(reply) == plain)
            #expect(try opened.reply(plain, at: later).nonce != reply.nonce, "each reply has a nonce of its own")
        }
    }

    @Test func `opens both layers of an order for an activation`() throws {
        let inner = try phone.seal(plain, "/pa/activation", to: phone.master)
        let outer = try sealed()
        #expect(try open(outer.envelope).plain == plain)
        #expect(try open(inner.envelope, .activationOrder).plain == plain)
    }

    @Test func `opens calls of an activation by its own keys`() throws {
        let (phone, caller) = try server.activated()
        let sent = try phone.seal(plain, "/pa/generic/activation", to: try #require(phone.serverKey))
        let opened = try open(sent.envelope, .activation, caller)
        #expect(opened.plain == plain)
        #expect(try sent.open(try opened.reply(plain, at: now)) == plain)
        let token = try phone.seal(plain, "/pa/token/create", to: try #require(phone.serverKey))
        #expect(end(token.envelope, .activation, caller) == .refused)
        #expect(end(token.envelope, .token, caller) == .opened)
        let vault = try phone.seal(plain, "/pa/vault/unlock", to: try #require(phone.serverKey))
        #expect(end(vault.envelope, .token, caller) == .refused)
        #expect(end(vault.envelope, .vault, caller) == .opened)
    }

    @Test func `takes an id as it was sent, in capitals too`() throws {
        var (phone, caller) = try server.activated()
        let sentID = PowerAuthServer.anID.text.uppercased()
        let secrets = try #require(caller.activation).secrets
        phone.activationID = sentID
        let key = try #require(phone.serverKey)
        let envelope = try phone.seal(plain, "/pa/generic/activation", to: key).envelope
        #expect(end(envelope, .activation, caller) == .refused, "the text is authenticated")
        #expect(end(envelope, .activation, try server.caller(sentID, secrets)) == .opened)
    }

    @Test func `opens a request once`() throws {
        let envelope = try sealed().envelope
        #expect(end(envelope) == .opened)
        #expect(end(envelope) == .refused)
        #expect(end(envelope, at: now.adding(.seconds(60))) == .refused)
        #expect(end(try sealed().envelope) == .opened, "another one opens")
    }

    private func openOnce(_ envelope: Envelope, at server: PowerAuthServer) async throws -> OpenedEnvelope {
        try await server.crypto.open(envelope, for: .application, from: DeviceCaller(server.keys), at: now)
    }

    @Test func `one of two servers opens a request`() async throws {
        let second = server.beside()
        for servers in [(server, second), (second, server)] {
            let envelope = try sealed().envelope
            #expect(try await openOnce(envelope, at: servers.0).plain == plain)
            await #expect(throws: DeviceProtocolError.self) { try await openOnce(envelope, at: servers.1) }
            await #expect(throws: DeviceProtocolError.self) { try await openOnce(envelope, at: servers.0) }
        }
        #expect(server.usedNames.count == 2)
    }

    @Test func `a request opens that could not be noted before`() async throws {
        let envelope = try sealed().envelope
        server.usedNames.fail(by: .overloaded)
        for _ in 0..<2 {
            do {
                _ = try await openOnce(envelope, at: server)
                Issue.record("opened without a note")
            } catch DeviceProtocolError.fault(let fault) { #expect(fault == .overloaded) }
        }
        server.usedNames.fail(by: nil)
        #expect(try await openOnce(envelope, at: server).plain == plain)
        await #expect(throws: DeviceProtocolError.self) { try await openOnce(envelope, at: server) }
    }

    @Test func `what no phone has sealed is not noted`() async throws {
        var draft = Draft(try sealed().envelope)
        draft.mac[0] ^= 1
        await #expect(throws: DeviceProtocolError.self) { try await openOnce(draft.envelope, at: server) }
        #expect(server.usedNames.count == 0)
    }

    @Test func `takes requests up to 60 s old and 60 s ahead`() throws {
        for seconds in [-60, -59, 59, 60] {
            #expect(end(try sealed(at: now.adding(.seconds(seconds))).envelope) == .opened, "\(seconds)")
        }
        for milliseconds in [-60_001, 60_001] {
            #expect(end(try sealed(at: now.adding(.milliseconds(milliseconds))).envelope) == .refused)
        }
    }

    @Test func `takes no request from before the process`() throws {
        let server = try PowerAuthServer(startedAt: now)
        let phone = try PowerAuthPhone(server)
        func opens(_ time: Timestamp) throws -> Bool {
            let envelope = try phone.seal(plain, "/pa/generic/application", to: phone.master, at: time).envelope
            return (try? server.crypto.openAlone(envelope, for: .application, from: DeviceCaller(server.keys), at: now))
                != nil
        }
        #expect(try !opens(now.adding(.milliseconds(-1))))
        #expect(try opens(now))
    }

    /// Every member with one bit turned, cut, made longer, and taken from another envelope.
    @Test func `refuses what was changed, and still opens the original`() throws {
        let envelope = try sealed().envelope
        let other = try sealed().envelope
        let members: [WritableKeyPath<Draft, [UInt8]>] = [\.ephemeralPublicKey, \.ciphertext, \.mac, \.nonce]
        for member in members {
            for change in Draft.changes {
                var draft = Draft(envelope)
                draft[keyPath: member] = change(draft[keyPath: member])
                #expect(end(draft.envelope) == .refused)
            }
            var draft = Draft(envelope)
            draft[keyPath: member] = Draft(other)[keyPath: member]
            #expect(end(draft.envelope) == .refused)
        }
        for timestamp in [envelope.timestamp + 1, -1, Int64.min, Int64.max, 1 << 53] {
            var draft = Draft(envelope)
            draft.timestamp = timestamp
            #expect(end(draft.envelope) == .refused)
        }
        var draft = Draft(envelope)
        draft.ciphertext = Array(envelope.ciphertext[16...] + envelope.ciphertext[..<16])
        #expect(end(draft.envelope) == .refused, "blocks in another order")
        draft = Draft(envelope)
        draft.temporaryKeyID = PowerAuthServer.anID.text
        #expect(end(draft.envelope) == .refused, "a key that 3.2 does not have")
        draft = Draft(envelope)
        draft.version = .v33
        #expect(end(draft.envelope) == .refused, "3.3 without a key")
        #expect(end(envelope) == .opened && end(other) == .opened)
    }

    @Test func `refuses points that are none, before and after work on the curve`() throws {
        let envelope = try sealed().envelope
        let good = try CurvePoint(encoded: envelope.ephemeralPublicKey).publicKey
        let zero = [UInt8](repeating: 0, count: 32)
        var odd = good.y
        odd[31] ^= 1
        let points: [[UInt8]] = [
            [], [0x00], [0x04], [0x00] + zero, [0x04] + good.x + odd, [0x04] + zero + zero,
            [0x06] + good.x + good.y, [0x07] + good.x + good.y, [0x05] + good.x, [0x00] + good.x + good.y,
            [0x02] + [UInt8](repeating: 0xFF, count: 32), [0x03] + good.x + [0], [0x04] + good.x + good.y + [0],
            [0x02] + good.x + good.y,
        ]
        for point in points {
            var draft = Draft(envelope)
            draft.ephemeralPublicKey = point
            #expect(end(draft.envelope) == .refused, "\(point.prefix(1)) of \(point.count)")
            #expect(throws: TokenFault.self) { try CurvePoint(encoded: point) }
        }
        // The same point in its other form: another message.
        var draft = Draft(envelope)
        draft.ephemeralPublicKey = good.uncompressed
        #expect(end(draft.envelope) == .refused)
        #expect(end(envelope) == .opened)
    }

    @Test func `keeps applications, uses and scopes apart`() throws {
        let other = try server.crypto.makeApplicationKeys()
        let envelope = try sealed().envelope
        #expect(end(envelope, .application, DeviceCaller(other)) == .refused)
        #expect(end(envelope, .activationOrder) == .refused)
        let (phone, caller) = try server.activated()
        #expect(end(envelope, .application, caller) == .refused, "an activation has no part in it")
        #expect(end(envelope, .activation) == .refused, "an activation is missing")
        let key = try #require(phone.serverKey)
        let (_, neighbour) = try server.activated(ActivationID(bits: 7))
        let call = try phone.seal(plain, "/pa/generic/activation", to: key).envelope
        #expect(end(call, .activation, neighbour) == .refused)
        #expect(end(call, .activation, caller) == .opened)
        // Keys that are another application's by name, and ours inside.
        let renamed = ApplicationKeys(
            applicationKey: other.applicationKey, sealed: server.keys.sealed,
            masterPublicKey: server.keys.masterPublicKey)
        #expect(end(envelope, .application, DeviceCaller(renamed)) == .fault)
        #expect(end(envelope) == .opened)
    }

    /// The MAC is right, so only the owner of the keys can make such an envelope.
    @Test func `refuses a wrong padding like a wrong MAC`() throws {
        let ephemeral = try SigningKey.generate()
        let point = ephemeral.publicKey.compressed
        let draft = Envelope(
            version: .v32, ephemeralPublicKey: point, ciphertext: [UInt8](repeating: 1, count: 16), mac: [],
            nonce: [UInt8](repeating: 2, count: 16), timestamp: now.milliseconds, temporaryKeyID: nil)
        let secrets = try server.crypto.secrets(of: server.keys)
        let context = EnvelopeContext(
            draft, .application, applicationKey: server.keys.applicationKey, activationID: nil,
            secretText: secrets.secretText, transportKey: nil)
        let shared = try ephemeral.handle.agree(with: CurvePoint(encoded: phone.master.uncompressed))
        let keys = KeyDerivation.x963(shared, info: context.derivationInfo(ephemeralPublicKey: point)).bytes
        let data = context.authenticatedData(
            nonce: draft.nonce, timestamp: draft.timestamp, ephemeralPublicKey: point)
        var envelope = Draft(draft)
        envelope.mac = MessageCode.hmac(.sha256, key: Array(keys[16..<32]), draft.ciphertext + data)
        #expect(EnvelopeKeys(envelopeKey: BriefSecret(keys)).authenticates(envelope.envelope, context))
        #expect(end(envelope.envelope) == .refused)
    }
}

/// An envelope whose members can be changed.
struct Draft {
    var version: DeviceProtocolVersion
    var ephemeralPublicKey: [UInt8]
    var ciphertext: [UInt8]
    var mac: [UInt8]
    var nonce: [UInt8]
    var timestamp: Int64
    var temporaryKeyID: String?

    init(_ envelope: Envelope) {
        version = envelope.version
        ephemeralPublicKey = envelope.ephemeralPublicKey
        ciphertext = envelope.ciphertext
        mac = envelope.mac
        nonce = envelope.nonce
        timestamp = envelope.timestamp
        temporaryKeyID = envelope.temporaryKeyID
    }

    var envelope: Envelope {
        Envelope(
            version: version, ephemeralPublicKey: ephemeralPublicKey, ciphertext: ciphertext, mac: mac, nonce: nonce,
            timestamp: timestamp, temporaryKeyID: temporaryKeyID)
    }

    static let changes: [@Sendable ([UInt8]) -> [UInt8]] = [
        { [$0[0] ^ 1] + $0.dropFirst() }, { $0.dropLast() + [$0[$0.count - 1] ^ 0x80] }, { Array($0.dropLast()) },
        { Array($0.dropFirst()) }, { $0 + [0] }, { $0 + $0 }, { _ in [] }, { Array($0.dropLast(16)) },
    ]
}
