import Sandbox
import ClientSurfaces
import OperationsSurfaces
import ProveSurfaces
import SandboxSurfaces
import ServerDescription
import SurfaceKit
import HTTPServer
import Locks
import Engine
import Possession
import StrictJSON
import Testing

/// The simulated operator against callers that do something wrong. How it plays with the adapter over sockets, the
/// tests of `Operators` show.
@Suite struct SimulatedOperatorTests {
    static let publicURL = "http://127.0.0.1:8080"
    static let tokenURL = publicURL + "/sandbox/operator/token"
    static let redirectURI = "https://device.example/ma/v1/cb?x=1"
    static let verifier = String(repeating: "v", count: 43)
    /// base64url of 32 zero bytes, which the fake hash makes of every text of the letter `v`.
    static let challenge = String(repeating: "A", count: 43)
    static let readScope =
        "openid dpv:FraudPreventionAndDetection number-verification:device-phone-number:read"
    static let verifyScope = "openid dpv:FraudPreventionAndDetection number-verification:verify"
    static let start = Timestamp(seconds: 1_767_261_600)

    /// Assertions that say what they are: `client|audience|jti`; dead after 120 s.
    private struct FakeAssertions: ClientAssertionVerifier {
        func verifyClientAssertion(_ assertion: String, audience: String, at now: Timestamp) -> ClientAssertion? {
            let parts = assertion.split(separator: "|").map(String.init)
            let end = SimulatedOperatorTests.start.adding(.seconds(120))
            guard parts.count == 3, parts[1] == audience, now < end else { return nil }
            return ClientAssertion(
                clientID: parts[0], jti: parts[2], issuedAt: SimulatedOperatorTests.start, expiresAt: end)
        }

        /// `client|audience|jti|subject|scope`.
        func verifyGrantAssertion(_ assertion: String, audience: String, at now: Timestamp) -> GrantAssertion? {
            let parts = assertion.split(separator: "|").map(String.init)
            guard parts.count == 5,
                let client = verifyClientAssertion(parts[..<3].joined(separator: "|"), audience: audience, at: now)
            else { return nil }
            return GrantAssertion(client: client, subject: parts[3], scope: parts[4])
        }
    }

    private static func user(_ digits: String, _ outcome: SandboxUser.MobileAuthOutcome) -> SandboxUser {
        SandboxUser(
            digits: digits, number: PhoneNumber(e164: "+1" + digits)!, name: digits, region: .northAmerica,
            mobileAuth: outcome)
    }

    static let users = SandboxUsers([
        user("2001004016", .match), user("2001004015", .mismatch), user("2001004017", .unavailable),
        user("2001004018", .timeout), user("2001004019", .operatorError),
    ])

    private let router: Router
    let now = Locked(start)
    private let serial = Locked(0)

    init() {
        let now = now
        let counter = Locked(0)
        let simulated = SimulatedOperator(
            .init(publicURL: Self.publicURL, clientID: "holdfast", redirectURI: Self.redirectURI), users: Self.users,
            assertions: FakeAssertions(), now: { now.withLock { $0 } },
            randomBytes: { count throws(EntropyFault) in
                let value = counter.withLock { counter -> Int in
                    counter += 1
                    return counter
                }
                return (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 % 2 * 8)) }
            },
            sha256: { [UInt8](repeating: $0.allSatisfy { $0 == 118 } ? 0 : 1, count: 32) },
            hang: { try? await Task.sleep(for: .seconds(3600)) }, report: { Issue.record("\($0)") })
        router = Router(simulated.routes)
    }

    func pass(_ seconds: Int) { now.withLock { $0 = $0.adding(.seconds(seconds)) } }

    func send(
        _ method: Method, _ path: String, query: String = "", _ headers: [(name: String, value: String)] = [],
        body: String = ""
    ) async -> Response {
        await router.response(
            to: Request(
                method: method, path: "/sandbox/operator" + path, rawQuery: query, headers: Headers(headers),
                body: Array(body.utf8), id: "q"),
            failureResponse: failureResponse)
    }

    func member(_ name: String, of response: Response) -> String? {
        (try? JSONObject.parse(response.body))?[name]?.string
    }

    func field(_ name: String, of response: Response) -> String? {
        response.headers.first { $0.name.lowercased() == name }?.value
    }

    static func encoded(_ fields: [(String, String)]) -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        func encode(_ text: String) -> String {
            text.utf8.map { byte in
                if plain.contains(byte) { return String(Character(Unicode.Scalar(byte))) }
                let hex = String(byte, radix: 16, uppercase: true)
                return "%" + (hex.utf8.count == 1 ? "0" : "") + hex
            }.joined()
        }
        return fields.map { "\($0.0)=\(encode($0.1))" }.joined(separator: "&")
    }

    /// One parameter changed or, with `nil`, left out.
    struct Change: Sendable {
        let name: String
        let value: String?

        init(_ name: String, _ value: String?) {
            self.name = name
            self.value = value
        }
    }

    static func changed(_ fields: [(String, String)], _ change: Change?) -> String {
        guard let change else { return encoded(fields) }
        let others = fields.filter { $0.0 != change.name }
        return encoded(others + (change.value.map { [(change.name, $0)] } ?? []))
    }

    // MARK: Authorize

    func authorize(
        _ change: Change? = nil, scope: String = readScope, hint: String? = nil
    ) async -> Response {
        var fields = [
            ("response_type", "code"), ("client_id", "holdfast"), ("redirect_uri", Self.redirectURI),
            ("scope", scope), ("state", "s.t-a_te"), ("prompt", "none"), ("code_challenge", Self.challenge),
            ("code_challenge_method", "S256"),
        ]
        if let hint { fields.append(("login_hint", "tel:" + hint)) }
        return await send(.get, "/authorize", query: Self.changed(fields, change))
    }

    /// Query parameters of the redirect.
    func redirect(_ response: Response) throws -> [String: String] {
        #expect(response.status == 302)
        let location = try #require(field("location", of: response))
        try #require(location.hasPrefix(Self.redirectURI + "&"))
        return Dictionary(
            uniqueKeysWithValues: location.dropFirst(Self.redirectURI.count + 1).split(separator: "&").map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return (String(parts[0]), String(parts[1]))
            })
    }

    func code(scope: String = readScope, hint: String? = nil) async throws -> String {
        try #require(try redirect(await authorize(scope: scope, hint: hint))["code"])
    }

    @Test func `sends the device back with a code and the state`() async throws {
        let back = try redirect(await authorize())
        #expect(Set(back.keys) == ["code", "state"])
        #expect(back["state"] == "s.t-a_te")
        #expect(back["code"]?.utf8.count == 43)
    }

    @Test(arguments: [
        Change("client_id", nil), Change("client_id", "other"), Change("client_id", "holdfast2"),
        Change("redirect_uri", nil), Change("redirect_uri", "https://evil.example/"),
        Change("redirect_uri", redirectURI + "&y=2"), Change("redirect_uri", redirectURI + "/"),
        Change("redirect_uri", "https://device.example/ma/v1/cb"),
    ]) func `sends nobody on to where nobody registered`(change: Change) async {
        let response = await authorize(change)
        #expect(response.status == 400)
        #expect(field("location", of: response) == nil)
        #expect(member("error", of: response) == "invalid_request")
    }

    @Test(arguments: ["client_id=holdfast&client_id=holdfast", "client_id=%ZZ", "client_id=%FF", "", "&&", "="])
    func `takes no query that can be read in two ways`(query: String) async {
        let response = await send(.get, "/authorize", query: query)
        #expect(response.status == 400)
        #expect(field("location", of: response) == nil)
    }

    @Test(arguments: [
        (Change("response_type", nil), "invalid_request"),
        (Change("response_type", "token"), "unsupported_response_type"),
        (Change("response_type", "code id_token"), "unsupported_response_type"),
        (Change("scope", nil), "invalid_scope"), (Change("scope", "openid"), "invalid_scope"),
        (Change("scope", "openid number-verification:verify"), "invalid_scope"),
        (Change("scope", "dpv:FraudPreventionAndDetection number-verification:verify"), "invalid_scope"),
        (Change("scope", "openid dpv:Marketing number-verification:verify"), "invalid_scope"),
        (Change("scope", verifyScope + " dpv:Marketing"), "invalid_scope"),
        (Change("scope", verifyScope + " number-verification:device-phone-number:read"), "invalid_scope"),
        (Change("scope", "openid dpv:FraudPreventionAndDetection sim-swap:check"), "invalid_scope"),
        (Change("scope", verifyScope + " "), "invalid_scope"),
        (Change("scope", "openid openid number-verification:verify"), "invalid_scope"),
        (Change("prompt", nil), "invalid_request"), (Change("prompt", "login"), "invalid_request"),
        (Change("code_challenge", nil), "invalid_request"), (Change("code_challenge", "AAAA"), "invalid_request"),
        (Change("code_challenge", String(repeating: "+", count: 43)), "invalid_request"),
        (Change("code_challenge_method", nil), "invalid_request"),
        (Change("code_challenge_method", "plain"), "invalid_request"),
        (Change("login_hint", "+12001004016"), "invalid_request"), (Change("login_hint", "tel:"), "invalid_request"),
        (Change("login_hint", "tel:2001004016"), "invalid_request"),
        (Change("login_hint", "ipport:192.0.2.1:80"), "invalid_request"),
    ]) func `sends the device back with an error`(change: Change, error: String) async throws {
        let back = try redirect(await authorize(change))
        #expect(back["error"] == error)
        #expect(back["state"] == "s.t-a_te")
        #expect(back["code"] == nil)
    }

    @Test(arguments: [nil, "", String(repeating: "s", count: 513)]) func `wants a state`(state: String?) async throws {
        let back = try redirect(await authorize(Change("state", state)))
        #expect(back["error"] == "invalid_request")
        #expect(back["state"] == nil)
    }

    // MARK: Token

    func redeem(
        _ code: String, _ change: Change? = nil, contentType: String = "application/x-www-form-urlencoded"
    ) async -> Response {
        let number = serial.withLock { serial -> Int in
            serial += 1
            return serial
        }
        let fields = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", Self.redirectURI),
            ("code_verifier", Self.verifier), ("client_id", "holdfast"),
            ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
            ("client_assertion", "holdfast|\(Self.tokenURL)|jti-\(number)"),
        ]
        return await send(.post, "/token", [("Content-Type", contentType)], body: Self.changed(fields, change))
    }

    func token(scope: String = readScope, hint: String? = nil) async throws -> String {
        let response = await redeem(try await code(scope: scope, hint: hint))
        return try #require(member("access_token", of: response))
    }

    @Test func `trades a code for a token`() async throws {
        let response = await redeem(try await code())
        #expect(response.status == 200)
        let object = try JSONObject.parse(response.body)
        #expect(object.names == ["access_token", "token_type", "expires_in", "scope"])
        #expect(object["token_type"] == "Bearer" && object["expires_in"] == 300)
        #expect(object["scope"] == "number-verification:device-phone-number:read")
    }

    @Test(arguments: [(59, 200), (60, 400)]) func `takes a code for 60 seconds`(age: Int, status: Int) async throws {
        let code = try await code()
        pass(age)
        #expect(await redeem(code).status == status)
    }

    @Test(arguments: [
        (Change("client_id", nil), "invalid_client"), (Change("client_id", "other"), "invalid_client"),
        (Change("client_assertion_type", nil), "invalid_client"),
        (Change("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:saml2-bearer"), "invalid_client"),
        (Change("client_assertion", nil), "invalid_client"), (Change("client_assertion", "x"), "invalid_client"),
        (Change("client_assertion", "other|\(tokenURL)|j"), "invalid_client"),
        (Change("client_assertion", "holdfast|\(publicURL)|j"), "invalid_client"),
        (Change("grant_type", nil), "invalid_request"),
        (Change("grant_type", "client_credentials"), "unsupported_grant_type"),
        (Change("code", nil), "invalid_request"), (Change("redirect_uri", nil), "invalid_request"),
        (Change("code_verifier", nil), "invalid_request"),
        (Change("code_verifier", String(repeating: "v", count: 42)), "invalid_request"),
        (Change("code_verifier", String(repeating: "v", count: 129)), "invalid_request"),
    ]) func `refuses a form and leaves the code for the right one`(change: Change, error: String) async throws {
        let code = try await code()
        let response = await redeem(code, change)
        #expect(member("error", of: response) == error)
        #expect(response.status == (error == "invalid_client" ? 401 : 400))
        #expect(await redeem(code).status == 200)
    }

    @Test(arguments: [
        Change("redirect_uri", "https://evil.example/"), Change("redirect_uri", redirectURI + "&y=2"),
        Change("code_verifier", String(repeating: "v", count: 42) + "w"),
        Change("code_verifier", challenge),
    ]) func `uses a code up when it is presented wrongly`(change: Change) async throws {
        let code = try await code()
        for attempt in [change, nil] {
            let response = await redeem(code, attempt)
            #expect(response.status == 400)
            #expect(member("error", of: response) == "invalid_grant")
        }
    }

    @Test func `redeems a code once, and no other`() async throws {
        let code = try await code()
        #expect(await redeem(code).status == 200)
        #expect(member("error", of: await redeem(code)) == "invalid_grant")
        #expect(member("error", of: await redeem("AAAA")) == "invalid_grant")
    }

    @Test func `takes an assertion once`() async throws {
        let assertion = Change("client_assertion", "holdfast|\(Self.tokenURL)|same")
        #expect(await redeem(try await code(), assertion).status == 200)
        let response = await redeem(try await code(), assertion)
        #expect(response.status == 401)
        #expect(member("error", of: response) == "invalid_client")
        // Also when the first one came to nothing.
        let other = Change("client_assertion", "holdfast|\(Self.tokenURL)|other")
        #expect(member("error", of: await redeem("AAAA", other)) == "invalid_grant")
        #expect(member("error", of: await redeem("AAAA", other)) == "invalid_client")
    }

    @Test func `refuses a body that is no form`() async throws {
        let code = try await code()
        #expect(await redeem(code, contentType: "application/json").status == 400)
        let twice = await send(
            .post, "/token", [("Content-Type", "application/x-www-form-urlencoded")], body: "code=a&code=b")
        #expect(member("error", of: twice) == "invalid_request")
        let large = String(repeating: "a", count: 4097)
        #expect(await redeem(code, Change("x", large)).status == 400)
    }

    @Test func `plays an operator whose token endpoint fails`() async throws {
        let response = await redeem(try await code(hint: "+12001004019"))
        #expect(response.status == 500)
        #expect(member("error", of: response) == "server_error")
    }

    @Test func `forgets the oldest code when it has given out too many`() async throws {
        let first = try await code()
        let second = try await code()
        for _ in 0..<1023 { _ = try await code() }
        #expect(await redeem(first).status == 400)
        #expect(await redeem(second).status == 200)
    }

    // MARK: tokens of phones

    private static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    private static let form = [(name: "Content-Type", value: "application/x-www-form-urlencoded")]

    private func phoneToken(_ number: String? = nil) async throws -> String {
        let body = number.map { Self.encoded([("login_hint", "tel:" + $0)]) } ?? ""
        let response = await send(.post, "/operator-token", Self.form, body: body)
        #expect(response.status == 200 && member("plmn", of: response) == "00101")
        return try #require(member("operator_token", of: response))
    }

    private func redeem(
        grant subject: String, scope: String = String(readScope.dropFirst(7)), client: String = "holdfast",
        audience: String = tokenURL, jti: String? = nil
    ) async -> Response {
        let jti = jti ?? "g-\(serial.withLock { $0 += 1; return $0 })"
        let grant = [client, audience, jti, subject, scope].joined(separator: "|")
        return await send(
            .post, "/token", Self.form, body: Self.encoded([("grant_type", Self.grantType), ("assertion", grant)]))
    }

    @Test func `trades the token of a phone once`() async throws {
        let token = try await phoneToken("+12001004016")
        let response = await redeem(grant: "operatortoken:" + token)
        #expect(response.status == 200 && member("token_type", of: response) == "Bearer")
        let access = try #require(member("access_token", of: response))
        let number = await send(
            .get, "/number-verification/v2/device-phone-number", [(name: "Authorization", value: "Bearer " + access)])
        #expect(member("devicePhoneNumber", of: number) == "+12001004016")
        #expect(member("error", of: await redeem(grant: "operatortoken:" + token)) == "invalid_grant")
    }

    @Test(arguments: ["tel:+12001004016", "operatortoken:", "operatortoken:AAAA", "x"])
    func `trades no other subject`(subject: String) async throws {
        #expect(member("error", of: await redeem(grant: subject)) == "invalid_grant")
    }

    @Test func `takes no grant of a stranger, of another place, with openid, or twice`() async throws {
        let subject = "operatortoken:" + (try await phoneToken())
        #expect(await redeem(grant: subject, client: "other").status == 401)
        #expect(await redeem(grant: subject, audience: Self.publicURL).status == 401)
        #expect(member("error", of: await redeem(grant: subject, scope: Self.readScope)) == "invalid_scope")
        #expect(member("error", of: await redeem(grant: subject, scope: "x")) == "invalid_scope")
        #expect(await redeem(grant: subject, jti: "same").status == 200)
        #expect(member("error", of: await redeem(grant: subject, jti: "same")) == "invalid_client")
        let none = await send(.post, "/token", Self.form, body: Self.encoded([("grant_type", Self.grantType)]))
        #expect(member("error_description", of: none) == "assertion is missing")
    }

    @Test func `forgets the token of a phone in time, and gives none to nobody`() async throws {
        let token = try await phoneToken()
        now.withLock { $0 = $0.adding(.seconds(100)) }
        #expect(await redeem(grant: "operatortoken:" + token).status == 200)
        let other = try await phoneToken()
        // Assertions of these tests live 120 s.
        now.withLock { $0 = $0.adding(.seconds(301)) }
        #expect(await redeem(grant: "operatortoken:" + other).status >= 400)
        let wrong = await send(.post, "/operator-token", Self.form, body: "login_hint=mailto%3Aa")
        #expect(wrong.status == 400 && member("error", of: wrong) == "invalid_request")
    }
}
