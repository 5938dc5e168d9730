import Possession
import StrictJSON
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

    @Test func `gives an app a key, and opens what was encrypted for it`() throws {
        let phone = try PowerAuthPhone(server)
        let text = request(claims(phone), key: phone.secret)
        let claimed = try #require(server.crypto.claimedCaller(of: text))
        #expect(claimed == TemporaryKeyClaims(applicationKey: phone.applicationKey, activationID: nil))
        let caller = DeviceCaller(server.keys)
        let token = try server.crypto.temporaryKey(for: text, from: caller, at: now)
        let made = try answer(token, phone.master)
        let id = try #require(made["sub"]?.string)
        #expect(ActivationID(id) != nil, "a UUID")
        #expect(made.hasString("challenge", "Y2hhbGxlbmdlLWNoYWxsZW5n"))
        #expect(made.hasString("applicationKey", phone.applicationKey) && made["activationId"] == nil)
        #expect(made["iat"]?.integer == now.seconds && made["exp"]?.integer == now.seconds + 300)
        #expect(made["iat_ms"]?.integer == now.milliseconds && made["exp_ms"]?.integer == (now.seconds + 300) * 1000)

        func open(at time: Timestamp) throws -> OpenedEnvelope {
            let sent = try phone.seal(
                plain, "/pa/generic/application", version: .v33, to: try point(made), temporaryKeyID: id, at: time)
            let opened = try server.crypto.open(sent.envelope, for: .application, from: caller, at: time)
            #expect(try sent.open(try opened.reply(plain, at: time)) == plain)
            return opened
        }
        #expect(try open(at: now).plain == plain)
        #expect(try open(at: now.adding(.milliseconds(299_999))).plain == plain)
        #expect(throws: DeviceProtocolError.self) { try open(at: now.adding(.seconds(300))) }
    }

    @Test func `gives an activation a key that no other caller can use`() throws {
        let (phone, caller) = try server.activated()
        let activationID = try #require(phone.activationID)
        let key = KeyDerivation.key(from: try phone.transport(), index: phone.secret)
        let text = request(claims(phone, activationID), key: key.bytes)
        #expect(server.crypto.claimedCaller(of: text)?.activationID == activationID)
        let made = try answer(
            try server.crypto.temporaryKey(for: text, from: caller, at: now), try #require(phone.serverKey))
        #expect(made.hasString("activationId", activationID))
        let id = try #require(made["sub"]?.string)
        let sent = try phone.seal(
            plain, "/pa/generic/activation", version: .v33, to: try point(made), temporaryKeyID: id)
        let (_, neighbour) = try server.activated(ActivationID(bits: 9))
        for (other, purpose) in [(neighbour, EnvelopePurpose.activation), (DeviceCaller(server.keys), .application)] {
            #expect(unknownKey { try server.crypto.open(sent.envelope, for: purpose, from: other, at: now) })
        }
        #expect(try server.crypto.open(sent.envelope, for: .activation, from: caller, at: now).plain == plain)
    }

    private func unknownKey(_ body: () throws -> OpenedEnvelope) -> Bool {
        do {
            _ = try body()
            return false
        } catch {
            guard case .unknownTemporaryKey? = error as? DeviceProtocolError else { return false }
            return true
        }
    }

    @Test func `does not know ids that were changed, made up, or issued by another process`() throws {
        let phone = try PowerAuthPhone(server)
        let caller = DeviceCaller(server.keys)
        let token = try server.crypto.temporaryKey(
            for: request(claims(phone), key: phone.secret), from: caller, at: now)
        let made = try answer(token, phone.master)
        let text = try #require(made["sub"]?.string)
        let id = try #require(TemporaryKeyID(text))
        let later = TemporaryKeyID(high: id.high + 1 << 32, low: id.low)
        let foreign = try PowerAuthServer()
        let other = try foreign.crypto.temporaryKeys.issue(
            to: TemporaryKeys.Owner(applicationKey: phone.applicationKey, activation: nil), at: now)
        for name in [
            later.text, TemporaryKeyID(high: id.high ^ 1, low: id.low).text,
            TemporaryKeyID(high: id.high, low: id.low ^ 1).text, other.id.text, PowerAuthServer.anID.text, "", "key",
        ] {
            let sent = try phone.seal(
                plain, "/pa/generic/application", version: .v33, to: try point(made), temporaryKeyID: name)
            #expect(
                unknownKey { try server.crypto.open(sent.envelope, for: .application, from: caller, at: now) },
                "\(name)")
        }
        let capital = try phone.seal(
            plain, "/pa/generic/application", version: .v33, to: try point(made), temporaryKeyID: text.uppercased())
        #expect(try server.crypto.open(capital.envelope, for: .application, from: caller, at: now).plain == plain)
    }

    @Test func `refuses requests that are malformed, signed by others or for others`() throws {
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
            #expect(throws: DeviceProtocolError.self, "\(index)") {
                try server.crypto.temporaryKey(for: text, from: caller, at: now)
            }
        }
        #expect(try server.crypto.temporaryKey(for: right, from: app, at: now).utf8.count > 100)
        let plainHeader = request(good, key: phone.secret, header: ["alg": "HS256"])
        #expect(try server.crypto.temporaryKey(for: plainHeader, from: app, at: now).utf8.count > 100)
    }

    @Test func `a flood keeps nothing, and ends no key of an honest phone`() throws {
        let keys = TemporaryKeys(randomBytes: SystemRandom().randomBytes)
        let honest = TemporaryKeys.Owner(applicationKey: "honest", activation: nil)
        let flooder = TemporaryKeys.Owner(applicationKey: "honest", activation: PowerAuthServer.anID)
        let issued = try keys.issue(to: honest, at: now)
        var ids: Set<TemporaryKeyID> = []
        for place in 0..<600 {
            ids.insert(try keys.issue(to: flooder, at: now.adding(.milliseconds(place * 499))).id)
        }
        #expect(ids.count > 590, "ids differ")
        #expect(keys.secretCount <= 3)
        let end = now.adding(.milliseconds(299_999))
        #expect(try keys.key(issued.id, of: honest, at: end)?.publicKey() == issued.publicKey)
        #expect(try keys.key(issued.id, of: flooder, at: end) == nil)
    }

    @Test func `forgets the secret of a period when it is over`() throws {
        let keys = TemporaryKeys(randomBytes: SystemRandom().randomBytes)
        let owner = TemporaryKeys.Owner(applicationKey: "a", activation: nil)
        let first = try keys.issue(to: owner, at: now)
        for minutes in stride(from: 1, through: 60, by: 1) {
            _ = try keys.issue(to: owner, at: now.adding(.seconds(minutes * 60)))
            #expect(keys.secretCount <= 3)
        }
        #expect(try keys.key(first.id, of: owner, at: now) == nil, "not even by a clock that was set back")
    }

    @Test func `a look at an old key is enough to forget`() throws {
        let keys = TemporaryKeys(randomBytes: SystemRandom().randomBytes)
        let owner = TemporaryKeys.Owner(applicationKey: "a", activation: nil)
        let first = try keys.issue(to: owner, at: now)
        #expect(keys.secretCount == 1)
        #expect(try keys.key(first.id, of: owner, at: now.adding(.seconds(299))) != nil && keys.secretCount == 1)
        let unknown = TemporaryKeyID(high: 0xFFFF_FFFF_0000_8000, low: 0)
        #expect(try keys.key(unknown, of: owner, at: now.adding(.seconds(600))) == nil)
        #expect(keys.secretCount == 0)
    }
}
