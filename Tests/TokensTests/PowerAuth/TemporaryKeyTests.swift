import Engine
import Possession
import StrictJSON
import TestSupport
import Testing
import Text

@testable import Tokens

@Suite struct TemporaryKeyTests {
    private let server: PowerAuthServer
    private let now = PowerAuthServer.now
    private let plain = Array("{}".utf8)

    init() throws { server = try PowerAuthServer() }

    private func request(
        _ claims: JSONObject, key: [UInt8], header: JSONObject = ["alg": "HS256", "typ": "JWT"]
    ) -> String {
        let signed =
            Base64URL.encode(header.serialized()) + "." + Base64URL.encode(claims.serialized())
        return signed + "." + Base64URL.encode(MessageCode.hmac(.sha256, key: key, Array(signed.utf8)))
    }

    private func claims(_ phone: PowerAuthPhone, _ activationID: String? = nil) -> JSONObject {
        [
            "applicationKey": .string(phone.applicationKey), "challenge": "Y2hhbGxlbmdlLWNoYWxsZW5n",
            "activationId": activationID.map { .string($0) },
        ]
    }

    /// The claims of an answer that this key signed.
    private func answer(_ token: String, _ key: PublicKey) throws -> JSONObject {
        let jws = try #require(JWS(token, types: ["JWT"], mayHaveNone: false))
        #expect(jws.isSigned(by: try VerifyingKey(key)))
        return jws.claims
    }

    private func point(_ claims: JSONObject) throws -> PublicKey {
        let text = try #require(claims["publicKey"]?.string)
        return try CurvePoint(encoded: try #require(Base64.decode(text.utf8))).publicKey
    }

    @Test func `gives an app a key, and opens what was encrypted for it`() async throws {
        let phone = try PowerAuthPhone(server)
        let text = request(claims(phone), key: phone.secret)
        let claimed = try #require(server.crypto.claimedCaller(of: text))
        #expect(claimed == TemporaryKeyClaims(applicationKey: phone.applicationKey, activationID: nil))
        let caller = DeviceCaller(server.keys)
        let token = try await server.crypto.temporaryKey(for: text, from: caller, at: now)
        let made = try answer(token, phone.master)
        let id = try #require(made["sub"]?.string)
        #expect(ActivationID(id) != nil, "a UUID")
        #expect(made.hasString("challenge", "Y2hhbGxlbmdlLWNoYWxsZW5n"))
        #expect(made.hasString("applicationKey", phone.applicationKey) && made["activationId"] == nil)
        #expect(made["iat"]?.integer == now.seconds && made["exp"]?.integer == now.seconds + 300)
        #expect(made["iat_ms"]?.integer == now.milliseconds && made["exp_ms"]?.integer == (now.seconds + 300) * 1000)

        func open(at time: Timestamp) async throws -> OpenedEnvelope {
            let sent = try phone.seal(
                plain, "/pa/generic/application", version: .v33, to: try point(made), temporaryKeyID: id, at: time)
            let opened = try await server.crypto.open(sent.envelope, for: .application, from: caller, at: time)
            #expect(try sent.open(try opened.reply(plain, at: time)) == plain)
            return opened
        }
        #expect(try await open(at: now).plain == plain)
        #expect(try await open(at: now.adding(.milliseconds(299_999))).plain == plain)
        await #expect(throws: DeviceProtocolError.self) { try await open(at: now.adding(.seconds(300))) }
    }

    @Test func `gives an activation a key that no other caller can use`() async throws {
        let (phone, caller) = try server.activated()
        let activationID = try #require(phone.activationID)
        let key = KeyDerivation.key(from: try phone.transport(), index: phone.secret)
        let text = request(claims(phone, activationID), key: key.bytes)
        #expect(server.crypto.claimedCaller(of: text)?.activationID == activationID)
        let made = try answer(
            try await server.crypto.temporaryKey(for: text, from: caller, at: now), try #require(phone.serverKey))
        #expect(made.hasString("activationId", activationID))
        let id = try #require(made["sub"]?.string)
        let sent = try phone.seal(
            plain, "/pa/generic/activation", version: .v33, to: try point(made), temporaryKeyID: id)
        let (_, neighbour) = try server.activated(ActivationID(bits: 9))
        for (other, purpose) in [(neighbour, EnvelopePurpose.activation), (DeviceCaller(server.keys), .application)] {
            let isUnknown = await unknownKey {
                try await server.crypto.open(sent.envelope, for: purpose, from: other, at: now)
            }
            #expect(isUnknown)
        }
        #expect(try await server.crypto.open(sent.envelope, for: .activation, from: caller, at: now).plain == plain)
    }

    private func unknownKey(_ body: () async throws -> OpenedEnvelope) async -> Bool {
        do {
            _ = try await body()
            return false
        } catch {
            guard case .unknownTemporaryKey? = error as? DeviceProtocolError else { return false }
            return true
        }
    }

    @Test func `does not know ids that were changed, made up, or issued by another server`() async throws {
        let phone = try PowerAuthPhone(server)
        let caller = DeviceCaller(server.keys)
        let token = try await server.crypto.temporaryKey(
            for: request(claims(phone), key: phone.secret), from: caller, at: now)
        let made = try answer(token, phone.master)
        let text = try #require(made["sub"]?.string)
        let id = try #require(TemporaryKeyID(text))
        let later = TemporaryKeyID(high: id.high + 1 << 32, low: id.low)
        let foreign = try PowerAuthServer()
        try await foreign.crypto.temporaryKeys.makeReady(at: now)
        let other = try foreign.crypto.temporaryKeys.issue(
            to: TemporaryKeys.Owner(applicationKey: phone.applicationKey, activation: nil), at: now)
        for name in [
            later.text, TemporaryKeyID(high: id.high ^ 1, low: id.low).text,
            TemporaryKeyID(high: id.high, low: id.low ^ 1).text, other.id.text, PowerAuthServer.anID.text, "", "key",
        ] {
            let sent = try phone.seal(
                plain, "/pa/generic/application", version: .v33, to: try point(made), temporaryKeyID: name)
            let isUnknown = await unknownKey {
                try await server.crypto.open(sent.envelope, for: .application, from: caller, at: now)
            }
            #expect(isUnknown, "\(name)")
        }
        let capital = try phone.seal(
            plain, "/pa/generic/application", version: .v33, to: try point(made), temporaryKeyID: text.uppercased())
        let opened = try await server.crypto.open(capital.envelope, for: .application, from: caller, at: now)
        #expect(opened.plain == plain)
    }

    @Test func `refuses requests that are malformed, signed by others or for others`() async throws {
        let (phone, caller) = try server.activated()
        let app = DeviceCaller(server.keys)
        let good = claims(phone)
        let ofActivation = claims(phone, phone.activationID)
        func without(_ name: String) -> JSONObject {
            var copy = good
            copy[name] = nil
            return copy
        }
        func with(_ name: String, _ value: JSONValue) -> JSONObject {
            var copy = good
            copy[name] = value
            return copy
        }
        let right = request(good, key: phone.secret)
        let refused: [(String, DeviceCaller)] = [
            ("", app), ("a.b", app), (right + ".x", app), (String(right.dropLast()), app),
            (right.replacing(".", with: ".."), app), (request(good, key: Array("secret".utf8)), app),
            (request(good, key: Array(Base64.encode(phone.secret).utf8)), app),
            (request(good, key: phone.secret, header: ["alg": "none"]), app),
            (request(good, key: phone.secret, header: ["alg": "ES256", "typ": "JWT"]), app),
            (request(good, key: phone.secret, header: ["alg": "HS256", "typ": "at+jwt"]), app),
            (request(good, key: phone.secret, header: ["alg": "HS256", "crit": ["exp"]]), app),
            (request(without("challenge"), key: phone.secret), app),
            (request(without("applicationKey"), key: phone.secret), app),
            (request(with("challenge", ""), key: phone.secret), app),
            (request(with("challenge", .string(String(repeating: "c", count: 129))), key: phone.secret), app),
            (request(with("applicationKey", "AAAAAAAAAAAAAAAAAAAAAA=="), key: phone.secret), app),
            (request(with("activationId", 7), key: phone.secret), app),
            (request(with("activationId", .null), key: phone.secret), app),
            (request(good, key: phone.secret), caller), (request(ofActivation, key: phone.secret), app),
            (request(ofActivation, key: phone.secret), caller),
            (request(with("activationId", "0"), key: phone.secret), app),
        ]
        for (index, (text, caller)) in refused.enumerated() {
            await #expect(throws: DeviceProtocolError.self, "\(index)") {
                try await server.crypto.temporaryKey(for: text, from: caller, at: now)
            }
        }
        #expect(try await server.crypto.temporaryKey(for: right, from: app, at: now).utf8.count > 100)
        let plainHeader = request(good, key: phone.secret, header: ["alg": "HS256"])
        #expect(try await server.crypto.temporaryKey(for: plainHeader, from: app, at: now).utf8.count > 100)
    }

    @Test func `a flood keeps nothing, and ends no key of an honest phone`() async throws {
        let keys = server.crypto.temporaryKeys
        let honest = TemporaryKeys.Owner(applicationKey: "honest", activation: nil)
        let flooder = TemporaryKeys.Owner(applicationKey: "honest", activation: PowerAuthServer.anID)
        let issued = try await issue(keys, to: honest, at: now)
        var ids: Set<TemporaryKeyID> = []
        for place in 0..<600 {
            ids.insert(try await issue(keys, to: flooder, at: now.adding(.milliseconds(place * 499))).id)
        }
        #expect(ids.count > 590, "ids differ")
        #expect(keys.secretCount <= 3)
        #expect(try await server.temporarySecrets.temporarySecrets().count <= 3)
        let end = now.adding(.milliseconds(299_999))
        #expect(try keys.key(issued.id, of: honest, at: end)?.publicKey() == issued.publicKey)
        #expect(try keys.key(issued.id, of: flooder, at: end) == nil)
    }

    private func issue(
        _ keys: TemporaryKeys, to owner: TemporaryKeys.Owner, at now: Timestamp
    ) async throws -> TemporaryKeys.Issued {
        try await keys.makeReady(at: now)
        return try keys.issue(to: owner, at: now)
    }

    @Test func `forgets the secret of a period when it is over, in memory and in the store`() async throws {
        let keys = server.crypto.temporaryKeys
        let owner = TemporaryKeys.Owner(applicationKey: "a", activation: nil)
        let first = try await issue(keys, to: owner, at: now)
        for minutes in stride(from: 1, through: 60, by: 1) {
            let later = now.adding(.seconds(minutes * 60))
            _ = try await issue(keys, to: owner, at: later)
            try await server.crypto.forgetEndedTemporaryKeys(at: later)
            #expect(keys.secretCount <= 3)
            #expect(try await server.temporarySecrets.temporarySecrets().count == keys.secretCount)
        }
        #expect(try keys.key(first.id, of: owner, at: now) == nil, "not even by a clock that was set back")
        #expect(try await server.restarted(at: now).crypto.temporaryKeys.key(first.id, of: owner, at: now) == nil)
    }

    @Test func `a look at an old key is enough to forget`() async throws {
        let keys = server.crypto.temporaryKeys
        let owner = TemporaryKeys.Owner(applicationKey: "a", activation: nil)
        let first = try await issue(keys, to: owner, at: now)
        #expect(keys.secretCount == 1)
        #expect(try keys.key(first.id, of: owner, at: now.adding(.seconds(299))) != nil && keys.secretCount == 1)
        let unknown = TemporaryKeyID(high: 0xFFFF_FFFF_0000_8000, low: 0)
        #expect(try keys.key(unknown, of: owner, at: now.adding(.seconds(600))) == nil)
        #expect(keys.secretCount == 0)
    }
}

/// A phone keeps a temporary key as long as the answer says, whatever the server does meanwhile.
@Suite struct TemporaryKeyRestartTests {
    private let server: PowerAuthServer
    private let now = PowerAuthServer.now
    private let owner = TemporaryKeys.Owner(applicationKey: "a", activation: PowerAuthServer.anID)

    init() throws { server = try PowerAuthServer() }

    private func issued(at time: Timestamp) async throws -> TemporaryKeys.Issued {
        try await server.crypto.temporaryKeys.makeReady(at: time)
        return try server.crypto.temporaryKeys.issue(to: owner, at: time)
    }

    private func opens(
        _ issued: TemporaryKeys.Issued, after server: PowerAuthServer, at time: Timestamp
    ) throws -> Bool {
        try server.crypto.temporaryKeys.key(issued.id, of: owner, at: time)?.publicKey() == issued.publicKey
    }

    @Test(arguments: [0, 1, 150, 299])
    func `a key is good until its end, over a restart at any time`(age: Int) async throws {
        for start in 0..<3 {
            let born = now.adding(.seconds(start * 149))
            let issued = try await issued(at: born)
            let next = try await server.restarted(at: born.adding(.seconds(age)))
            #expect(try opens(issued, after: next, at: born.adding(.seconds(age))))
            #expect(try opens(issued, after: next, at: born.adding(.milliseconds(299_999))))
            #expect(try !opens(issued, after: next, at: born.adding(.seconds(300))))
        }
    }

    @Test func `keys of before and after a restart are derived from one secret`() async throws {
        let first = try await issued(at: now)
        let next = try await server.restarted(at: now)
        try await next.crypto.temporaryKeys.makeReady(at: now)
        let second = try next.crypto.temporaryKeys.issue(to: owner, at: now)
        #expect(try await server.temporarySecrets.temporarySecrets().count == 1)
        #expect(try opens(first, after: next, at: now) && opens(second, after: server, at: now))
    }

    @Test func `a start erases what has ended while nothing ran`() async throws {
        let issued = try await issued(at: now)
        let next = try await server.restarted(at: now.adding(.seconds(900)))
        #expect(try await server.temporarySecrets.temporarySecrets() == [])
        #expect(try !opens(issued, after: next, at: now))
    }

    @Test func `a stored secret that does not open is erased, and another one takes its place`() async throws {
        let period = (now.seconds + TemporaryKeys.life) / TemporaryKeys.life
        _ = try await server.temporarySecrets.add(TemporarySecret(period: period, sealed: [1, 2, 3]))
        let next = try await server.restarted(at: now)
        #expect(try await server.temporarySecrets.temporarySecrets() == [])
        try await next.crypto.temporaryKeys.makeReady(at: now)
        let issued = try next.crypto.temporaryKeys.issue(to: owner, at: now)
        #expect(try opens(issued, after: try await server.restarted(at: now), at: now))
    }

    @Test func `a stored secret of a sealing key that this server does not know yet stays`() async throws {
        let period = (now.seconds + TemporaryKeys.life) / TemporaryKeys.life
        let secret = TemporarySecret(period: period, sealed: [9] + [UInt8](repeating: 1, count: 70))
        _ = try await server.temporarySecrets.add(secret)
        _ = try await server.restarted(at: now)
        #expect(try await server.temporarySecrets.temporarySecrets() == [secret])
        _ = try await server.restarted(at: now.adding(.seconds(900)))
        #expect(try await server.temporarySecrets.temporarySecrets() == [])
    }

    @Test func `no key is issued whose secret is not stored`() async throws {
        server.temporarySecrets.fail(by: .overloaded)
        let keys = server.crypto.temporaryKeys
        await #expect(throws: EngineFault.overloaded) { try await keys.makeReady(at: now) }
        #expect(throws: TokenFault.self) { try keys.issue(to: owner, at: now) }
        server.temporarySecrets.fail(by: nil)
        #expect(try opens(try await issued(at: now), after: server, at: now))
    }

    @Test func `what could not be erased is erased by the next try`() async throws {
        _ = try await issued(at: now)
        let later = now.adding(.seconds(900))
        server.temporarySecrets.fail(by: .overloaded)
        await #expect(throws: StorageFault.self) { try await server.crypto.forgetEndedTemporaryKeys(at: later) }
        server.temporarySecrets.fail(by: nil)
        try await server.crypto.forgetEndedTemporaryKeys(at: later)
        #expect(try await server.temporarySecrets.temporarySecrets() == [])
    }
}

/// Two servers with the same stores, and nothing else in common.
@Suite struct TemporaryKeyServersTests {
    private let first: PowerAuthServer
    private let second: PowerAuthServer
    private let now = PowerAuthServer.now
    private let owner = TemporaryKeys.Owner(applicationKey: "a", activation: nil)

    init() throws {
        first = try PowerAuthServer()
        second = first.beside()
    }

    private func issue(
        at server: PowerAuthServer, _ time: Timestamp? = nil
    ) async throws -> TemporaryKeys.Issued {
        let keys = server.crypto.temporaryKeys
        try await keys.makeReady(at: time ?? now)
        return try keys.issue(to: owner, at: time ?? now)
    }

    /// Whether a server has the key, once it has looked for its secret.
    private func has(
        _ issued: TemporaryKeys.Issued, _ server: PowerAuthServer, at time: Timestamp? = nil
    ) async throws -> Bool {
        let keys = server.crypto.temporaryKeys
        try await keys.learnSecret(of: issued.id, at: time ?? now)
        return try keys.key(issued.id, of: owner, at: time ?? now)?.publicKey() == issued.publicKey
    }

    @Test func `a key of one server is good at the other`() async throws {
        let phone = try PowerAuthPhone(first)
        let caller = DeviceCaller(first.keys)
        let owner = TemporaryKeys.Owner(applicationKey: phone.applicationKey, activation: nil)
        try await first.crypto.temporaryKeys.makeReady(at: now)
        let issued = try first.crypto.temporaryKeys.issue(to: owner, at: now)
        let sent = try phone.seal(
            [1], "/pa/generic/application", version: .v33, to: issued.publicKey, temporaryKeyID: issued.id.text)
        #expect(second.crypto.temporaryKeys.secretCount == 0)
        let opened = try await second.crypto.open(sent.envelope, for: .application, from: caller, at: now)
        #expect(opened.plain == [1])
        #expect(try await has(try await issue(at: second), first), "and the other way round")
    }

    @Test func `servers that need the secret of a period at once use the same one`() async throws {
        let servers = [first, second]
        let issued = try await withThrowingTaskGroup(of: TemporaryKeys.Issued.self) { group in
            for number in 0..<16 { group.addTask { try await issue(at: servers[number % 2]) } }
            return try await group.reduce(into: [TemporaryKeys.Issued]()) { $0.append($1) }
        }
        #expect(try await first.temporarySecrets.temporarySecrets().count == 1)
        for key in issued {
            #expect(try await has(key, first))
            #expect(try await has(key, second))
        }
    }

    @Test func `strangers with unknown keys cause ten reads a second`() async throws {
        let secrets = first.temporarySecrets
        let keys = second.crypto.temporaryKeys
        func look(_ age: Int) async throws -> Int {
            let before = secrets.reads
            let end = now.seconds + TemporaryKeys.life
            for random in UInt8(0)..<20 {
                let id = try #require(TemporaryKeyID(endingAt: end, random: [random, 0, 0, 0]))
                try await keys.learnSecret(of: id, at: now.adding(.milliseconds(age)))
            }
            return secrets.reads - before
        }
        #expect(try await look(0) == 1)
        #expect(try await look(99) == 0)
        #expect(try await look(100) == 1)
        let issued = try await issue(at: first)
        #expect(try await !has(issued, second, at: now.adding(.milliseconds(199))))
        #expect(try await has(issued, second, at: now.adding(.milliseconds(200))))
        #expect(try await look(300) == 0, "the secret of the period is known")
        let distant = try #require(TemporaryKeyID(endingAt: now.seconds + 3000, random: [1, 2, 3, 4]))
        let before = secrets.reads
        try await keys.learnSecret(of: distant, at: now.adding(.seconds(1)))
        #expect(secrets.reads == before, "no key ends that late")
    }

    @Test func `calls at once wait for one read, and get its fault`() async throws {
        let issued = try await issue(at: first)
        let keys = second.crypto.temporaryKeys
        let before = first.temporarySecrets.reads
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 { group.addTask { try await keys.learnSecret(of: issued.id, at: now) } }
            try await group.waitForAll()
        }
        #expect(first.temporarySecrets.reads == before + 1)
        #expect(try keys.key(issued.id, of: owner, at: now)?.publicKey() == issued.publicKey)

        let third = first.beside().crypto
        first.temporarySecrets.fail(by: .overloaded)
        await #expect(throws: StorageFault.overloaded) {
            try await third.temporaryKeys.learnSecret(of: issued.id, at: now)
        }
    }

    @Test func `a server erases what another one has left`() async throws {
        _ = try await issue(at: first)
        let later = now.adding(.seconds(900))
        try await second.crypto.forgetEndedTemporaryKeys(at: later)
        #expect(try await first.temporarySecrets.temporarySecrets() == [])
        let reads = first.temporarySecrets.reads
        try await second.crypto.forgetEndedTemporaryKeys(at: later)
        #expect(first.temporarySecrets.reads == reads, "once in a period")
    }
}
