import HTTPServer
import Engine
import Possession
import ProveSurfaces
import StrictJSON
import TestSupport
import Testing
import Text
@testable import CamaraSurface
@testable import ServerDescription
@testable import SurfaceKit
@testable import SurfaceTestSupport

/// Assertions without signatures: their text says what they are, and which key has signed.
struct FakeClientKeys: ClientKeyVerifier {
    static func assertion(_ client: String, _ jti: String, key: UInt8, audience: String, endsAt end: Timestamp)
        -> String
    {
        "assertion|\(client)|\(jti)|\(key)|\(audience)|\(end.milliseconds)"
    }

    static func key(_ byte: UInt8) -> PublicKey {
        guard let key = PublicKey(x: [UInt8](repeating: byte, count: 32), y: [UInt8](repeating: byte, count: 32)) else {
            preconditionFailure("a coordinate has 32 bytes")
        }
        return key
    }

    func claimedClient(of assertion: String) -> String? {
        let parts = assertion.split(separator: "|").map(String.init)
        return parts.count == 6 || parts.count == 8 ? parts[1] : nil
    }

    func verify(
        _ assertion: String, by keys: [PublicKey], for audiences: [String], at now: Timestamp
    ) throws(ProofFault) -> ClientAssertion {
        let parts = assertion.split(separator: "|").map(String.init)
        guard parts.count == 6, let key = UInt8(parts[3]), let end = Int64(parts[5]) else { throw .form }
        guard audiences.contains(parts[4]) else { throw .claim(.aud) }
        guard now.milliseconds < end else {
            throw .clock(.exp, secondsAhead: (end - now.milliseconds) / 1000)
        }
        guard keys.contains(Self.key(key)) else { throw .signature }
        return ClientAssertion(
            clientID: parts[1], jti: parts[2], issuedAt: now, expiresAt: Timestamp(milliseconds: end))
    }
}

extension FakeClientKeys {
    /// Assertion of a JWT bearer grant.
    static func grant(
        _ client: String, _ jti: String, key: UInt8, audience: String, endsAt end: Timestamp, subject: String,
        scope: String
    ) -> String {
        assertion(client, jti, key: key, audience: audience, endsAt: end) + "|" + subject + "|" + scope
    }

    func verifyGrant(
        _ assertion: String, by keys: [PublicKey], for audiences: [String], at now: Timestamp
    ) throws(ProofFault) -> GrantAssertion {
        let parts = assertion.split(separator: "|").map(String.init)
        guard parts.count == 8 else { throw .form }
        let client = try verify(parts.prefix(6).joined(separator: "|"), by: keys, for: audiences, at: now)
        return GrantAssertion(client: client, subject: parts[6], scope: parts[7])
    }
}

/// A sandbox in memory with the surface on it, and a backend that has a key.
struct CamaraWorld: Sendable {
    static let description = VendorDescription(CamaraSurface.description, CamaraSurface.info)
    static let lorant = "+12001004014"
    static let right = "123456"
    static let tokenURL = World.publicURL + "/camara/token"
    static let scope = "dpv:FraudPreventionAndDetection one-time-password-sms:send-validate"
    static let numberScope =
        "dpv:FraudPreventionAndDetection number-verification:verify number-verification:device-phone-number:read"
    static let message = "{{code}} is your code for Example"

    let world: World
    let client: InProcessClient

    init(
        on shared: World? = nil, usedNames: InMemoryUsedNames = InMemoryUsedNames(),
        _ change: (inout World.Options) -> Void = { _ in }
    ) async throws {
        var options = World.Options()
        options.rules.publicKeys = [FakeClientKeys.key(1), FakeClientKeys.key(2)]
        change(&options)
        if let shared { world = shared } else { world = try await World(options) }
        let clock = world.clock
        let logins = ClientLogin(
            engine: world.engine, limitsFailures: options.platform.limitsFailedTokenCalls,
            rates: options.platform.requestsPerSecond > 0
                ? TenantRates(perSecond: options.platform.requestsPerSecond) : nil,
            addresses: ClientAddress(trustedProxies: AddressRanges()), certificates: .none, systemNow: { clock.now() })
        let surface = CamaraSurface(
            engine: world.engine, logins: logins, keys: FakeClientKeys(), uses: SharedUses(usedNames),
            publicURL: World.publicURL, sha256: { World.digest($0) }, systemNow: { clock.now() })
        client = try InProcessClient(
            surface.routes, areas: [surface.area], manualClock: options.manualClock,
            check: Self.description.answers.check)
    }

    func assertion(
        _ jti: String = "1", of client: String = "sandbox", key: UInt8 = 1, audience: String = tokenURL,
        seconds: Int = 120
    ) -> String {
        FakeClientKeys.assertion(
            client, jti, key: key, audience: audience, endsAt: world.clock.now().adding(.seconds(seconds)))
    }

    /// Asks for a token with these fields of the form, beside the assertion's type.
    func ask(
        _ assertion: String, scope: String = scope, grant: String = "client_credentials", more: String = ""
    ) async -> Response {
        func coded(_ text: String) -> String {
            text.utf8.map { "%" + Hex.text([$0]) }.joined()
        }
        let form =
            "grant_type=\(coded(grant))&scope=\(coded(scope))&client_assertion=\(coded(assertion))"
            + "&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer\(more)"
        return await client.send(
            World.request(.post, "/camara/token", form, contentType: "application/x-www-form-urlencoded"))
    }

    /// A token of a backend.
    func token(_ jti: String = "t", of client: String = "sandbox") async -> String {
        await ask(assertion(jti, of: client)).json["access_token"]?.string ?? ""
    }

    /// Asks for a token about somebody.
    func ask(about subject: String, _ jti: String, scope: String = numberScope) async -> Response {
        let grant = FakeClientKeys.grant(
            "sandbox", jti, key: 1, audience: Self.tokenURL, endsAt: world.clock.now().adding(.seconds(120)),
            subject: subject, scope: scope)
        let form =
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
            + grant.utf8.map { "%" + Hex.text([$0]) }.joined()
        return await client.send(
            World.request(.post, "/camara/token", form, contentType: "application/x-www-form-urlencoded"))
    }

    func verifyNumber(_ json: String, _ token: String) async -> Response {
        await client.send(
            World.request(
                .post, "/camara/number-verification/v2/verify", json, [("authorization", "Bearer \(token)")]))
    }

    func readNumber(_ token: String) async -> Response {
        await client.send(
            World.request(
                .get, "/camara/number-verification/v2/device-phone-number", "",
                [("authorization", "Bearer \(token)")], contentType: nil))
    }

    func askAboutSIM(
        _ call: String, _ json: String, _ token: String?, path: String = "/camara/sim-swap/v2/",
        _ more: [(name: String, value: String)] = []
    ) async -> Response {
        let authorization = token.map { [(name: "authorization", value: "Bearer \($0)")] } ?? []
        return await client.send(World.request(.post, path + call, json, authorization + more))
    }

    func post(
        _ call: String, _ json: String, _ token: String?, _ more: [(name: String, value: String)] = []
    ) async -> Response {
        let authorization = token.map { [(name: "authorization", value: "Bearer \($0)")] } ?? []
        return await client.send(
            World.request(.post, "/camara/one-time-password-sms/v1/\(call)", json, authorization + more))
    }

    func send(_ token: String, to number: String = lorant, message: String = message) async -> Response {
        await post("send-code", #"{"phoneNumber":"\#(number)","message":"\#(message)"}"#, token)
    }

    func validate(_ code: String, _ id: String, _ token: String) async -> Response {
        await post("validate-code", #"{"authenticationId":"\#(id)","code":"\#(code)"}"#, token)
    }
}

extension Response {
    var authenticationID: String { json["authenticationId"]?.string ?? "" }
    /// Code of an error in CAMARA's shape, without the name of the API.
    var camaraCode: String? {
        json["code"]?.string.map { code in code.split(separator: ".").last.map(String.init) ?? code }
    }
}
