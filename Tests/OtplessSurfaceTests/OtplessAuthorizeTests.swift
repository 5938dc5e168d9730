import HTTPServer
import Locks
import Engine
import Possession
import Sandbox
import StrictJSON
import TestSupport
import Testing
@testable import OtplessSurface
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// The older calls of links: `/auth/v1/authorize` and `/auth/token`, whose credentials are no header fields.
@Suite(.timeLimit(.minutes(60))) struct OtplessAuthorizeTests {
    private static let credentials = "client_id=sandbox&client_secret=sandbox-secret"
    private static let rest = "&redirect_uri=https%3A%2F%2Fapp.example%2Fdone&mobile_number=%2B12001004014"
    private static let verifier = String(repeating: "a-Z.9_~", count: 7)
    private static let challenge = FakeKey.encoded(World.digest(Array(verifier.utf8)))

    private func exchange(_ otpless: OtplessWorld, _ code: String, _ more: String = "") async -> Response {
        await otpless.exchange("code=\(code)&\(Self.credentials)\(more)")
    }

    @Test(arguments: ["", "&channel=SMS", "&channel=WHATSAPP&expiry=30", "&email=", "&expiry=86400&unknown=1"])
    func `sends a link whose code gives an ID token`(more: String) async throws {
        let otpless = try await OtplessWorld()
        let begun = await otpless.authorize(Self.credentials + Self.rest + more)
        #expect(begun.status == 200 && begun.headers.contains { $0 == ("Cache-Control", "no-store") })
        let item = try #require(begun.json["requestIds"]?.array?.first?.object)
        #expect(begun.json["requestIds"]?.array?.count == 1 && item["type"] == "MOBILE")
        let id = try #require(item["value"]?.string)
        #expect(await otpless.status(id).json["status"] == "PENDING")
        let told = await exchange(otpless, await otpless.tapped(), "&grant_type=authorization_code")
        #expect(told.status == 200 && told.headers.contains { $0 == ("Cache-Control", "no-store") })
        let signed = try #require(otpless.idTokens.signed.withLock { $0 }.first)
        #expect(told.json["id_token"] == .string("signed-\(signed.subject)"))
        #expect(signed.audience.text == "sandbox")
        #expect(await otpless.validate(told.json["token"]?.string ?? "").status == 200)
        #expect(await otpless.status(id).json["status"] == "SUCCESS")
    }

    @Test func `an address is of another type`() async throws {
        var options = World.Options()
        options.emails = SandboxEmails(World.users)
        let otpless = try await OtplessWorld(options)
        let begun = await otpless.authorize(
            "\(Self.credentials)&redirect_uri=https%3A%2F%2Fapp.example%2Fdone&email=ada%40example.com&channel=EMAIL")
        #expect(begun.json["requestIds"]?.array?.first?.object?["type"] == "EMAIL")
        #expect(otpless.world.gateway.sent.map(\.to.text) == ["ada@example.com"])
    }

    @Test func `HEAD sends nothing`() async throws {
        let otpless = try await OtplessWorld()
        let answer = await otpless.authorize(Self.credentials + Self.rest, .head)
        #expect(answer.status == 405 && otpless.world.gateway.sent.isEmpty)
    }

    @Test(arguments: [
        ("client_id=sandbox&client_secret=wrong-secret-1", "7002"), ("client_id=sandbox", "7012"),
        ("client_id=sandbox&client_secret=", "7012"), ("client_secret=sandbox-secret", "7012"),
        ("client_id=nobody&client_secret=wrong-secret-1", "7002"),
    ])
    func `wrong credentials send nothing, and stand in no error and no report`(
        credentials: String, errorCode: String
    ) async throws {
        let otpless = try await OtplessWorld()
        let answer = await otpless.authorize(credentials + Self.rest)
        #expect(answer.status == 401 && answer.errorCode == errorCode)
        #expect(otpless.world.gateway.sent.isEmpty)
        let told = answer.text + otpless.world.reports.withLock { $0.joined() } + (answer.error ?? "")
        #expect(!told.contains("wrong-secret-1") && !told.contains("sandbox-secret"))
        // The header fields count where they are there.
        let headers = OtplessWorld.headers("sandbox", "sandbox-secret")
        let shown = await otpless.client.send(
            Request(
                method: .get, path: "/otpless/auth/v1/authorize", rawQuery: credentials + Self.rest,
                headers: Headers(headers), id: "a"))
        #expect(shown.status == 200)
    }

    @Test(arguments: [
        ("&redirect_uri=https%3A%2F%2Fevil.example%2F&mobile_number=12001004014", "7101", "redirect_uri"),
        ("&redirect_uri=otpless.sandbox%3A%2F%2Fx&mobile_number=12001004014", "7101", "redirect_uri"),
        ("&mobile_number=12001004014", "7101", "redirect_uri"),
        ("&redirect_uri=&mobile_number=12001004014", "7101", "redirect_uri"),
        ("&redirect_uri=https%3A%2F%2Fapp.example%2F", "7106", "mobile_number"),
        ("&redirect_uri=https%3A%2F%2Fapp.example%2F&mobile_number=12", "7101", "mobile_number"),
        ("&redirect_uri=https%3A%2F%2Fapp.example%2F&email=ada%40example.com", "7105", "e-mail"),
        (rest + "&channel=PIGEON", "7103", "channel"), (rest + "&channel=PIGEON", "7103", "channel"),
        (rest + "&channel=EMAIL", "7103", "channel"), (rest + "&channel=VOICE_CALL", "7103", "channel"),
        (rest + "&expiry=29", "7113", "expiry"), (rest + "&expiry=86401", "7113", "expiry"),
        (rest + "&expiry=soon", "7113", "expiry"),
        (rest + "&code_challenge=short&code_challenge_method=S256", "7101", "code_challenge"),
        (rest + "&code_challenge=\(challenge)", "7101", "code_challenge_method"),
        (rest + "&code_challenge=\(challenge)&code_challenge_method=plain", "7101", "code_challenge_method"),
        (rest + "&code_challenge=\(challenge)&code_challenge_method=s256", "7101", "code_challenge_method"),
        (rest + "&code_challenge_method=S256", "7101", "code_challenge"),
    ])
    func `names what is wrong, and sends nothing`(query: String, errorCode: String, named: String) async throws {
        let otpless = try await OtplessWorld()
        let answer = await otpless.authorize(Self.credentials + query)
        #expect(answer.status == 400 && answer.errorCode == errorCode)
        #expect(answer.json["description"]?.string?.contains(named) == true)
        #expect(otpless.world.gateway.sent.isEmpty && !answer.text.contains("sandbox-secret"))
    }

    @Test func `a challenge needs its verifier, and a wrong one uses nothing up`() async throws {
        let otpless = try await OtplessWorld()
        let bound = "&code_challenge=\(Self.challenge)&code_challenge_method=S256"
        #expect(await otpless.authorize(Self.credentials + Self.rest + bound).status == 200)
        let code = await otpless.tapped()
        #expect(await exchange(otpless, code).errorCode == "7118")
        #expect(await exchange(otpless, code, "&code_verifier=").errorCode == "7118")
        #expect(await exchange(otpless, code, "&code_verifier=\(Self.verifier)a").errorCode == "7118")
        #expect(await otpless.verifyCode(code).errorCode == "7118")
        for verifier in [String(repeating: "a", count: 42), String(repeating: "a", count: 129), Self.verifier + "%20"] {
            let answer = await exchange(otpless, code, "&code_verifier=\(verifier)")
            #expect(answer.errorCode == "7101")
            #expect(answer.json["description"]?.string?.contains("code_verifier") == true)
        }
        #expect(await exchange(otpless, code, "&code_verifier=\(Self.verifier)").status == 200)
        #expect(await exchange(otpless, code, "&code_verifier=\(Self.verifier)").errorCode == "7118")
    }

    @Test func `verify/code takes the verifier too, and none where none was asked for`() async throws {
        let otpless = try await OtplessWorld()
        let bound = "&code_challenge=\(Self.challenge)&code_challenge_method=S256"
        _ = await otpless.authorize(Self.credentials + Self.rest + bound)
        let code = await otpless.tapped()
        #expect(await otpless.verifyCode(code, #","code_verifier":"\#(Self.verifier)""#).status == 200)
        _ = await otpless.authorize(Self.credentials + Self.rest)
        let free = await otpless.tapped()
        #expect(await otpless.verifyCode(free, #","code_verifier":"\#(Self.verifier)""#).errorCode == "7118")
        #expect(await otpless.verifyCode(free).status == 200)
    }

    @Test func `the token call refuses what is missing, wrong or of another client`() async throws {
        let otpless = try await OtplessWorld()
        _ = await otpless.authorize(Self.credentials + Self.rest)
        let code = await otpless.tapped()
        #expect(await otpless.exchange(Self.credentials).errorCode == "7112")
        #expect(await otpless.exchange("code=\(code)&client_id=sandbox").errorCode == "7012")
        #expect(await otpless.exchange("code=\(code)&client_id=sandbox&client_secret=no").errorCode == "7002")
        #expect(await exchange(otpless, code, "&grant_type=password").errorCode == "7101")
        let other = await otpless.exchange("code=\(code)&client_id=sandbox-2&client_secret=sandbox-2-secret")
        #expect(other.status == 400 && other.errorCode == "7118" && other.json["message"] != nil)
        let inURL = Request(
            method: .post, path: "/otpless/auth/token", rawQuery: "\(Self.credentials)&code=\(code)",
            headers: Headers([("Content-Type", OtplessWorld.form)]), body: Array("code=\(code)".utf8), id: "u")
        #expect(await otpless.client.send(inURL).errorCode == "7012")
        let json = Request(
            method: .post, path: "/otpless/auth/token", headers: Headers([("Content-Type", "application/json")]),
            body: Array("{}".utf8), id: "u")
        #expect(await otpless.client.send(json).status == 415)
        #expect(await exchange(otpless, code).status == 200)
    }
}
