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

/// Social sign-in, which the sandbox plays: `/auth/v1/initiate/oauth`, and the page on which somebody is picked.
@Suite(.timeLimit(.minutes(60))) struct OtplessSocialTests {
    private static let people = [
        SandboxPerson(
            number: PhoneNumber(e164: OtplessWorld.lorant)!, name: "Lorant <b>", email: EmailAddress("lo@example.com")),
        SandboxPerson(number: PhoneNumber(e164: "+12001004015")!, name: "Laney", email: nil),
    ]
    private static let asked = #"{"channels":["GMAIL"],"redirectURI":"https://app.example/done"}"#

    private static func begun(_ otpless: OtplessWorld) async throws -> (id: String, path: String) {
        let begun = await otpless.post("/auth/v1/initiate/oauth", asked)
        #expect(begun.status == 200)
        let link = try #require(begun.json["link"]?.string)
        #expect(link.hasPrefix(World.publicURL + "/l/"))
        return (begun.requestID, String(link.dropFirst(World.publicURL.utf8.count)))
    }

    @Test func `who is picked at the provider is told by the code`() async throws {
        let otpless = try await OtplessWorld(people: Self.people)
        let (id, path) = try await Self.begun(otpless)
        #expect(otpless.world.gateway.sent.isEmpty)
        let page = await otpless.openLink(.get, path)
        #expect(page.status == 200 && page.text.contains("Lorant &lt;b&gt;, lo@example.com"))
        #expect(page.text.contains("Laney, +12001004015"))
        #expect(await otpless.status(id).json["status"] == "PENDING")
        let tapped = await otpless.tap("approve&person=%2B12001004014", path)
        #expect(tapped.status == 303)
        #expect(await otpless.status(id).json["status"] == "PENDING")
        let verified = await otpless.verifyCode(try #require(tapped.givenCode))
        #expect(verified.status == 200 && verified.requestID == id)
        let user = try #require(verified.json["userDetails"]?.object)
        let identity = try #require(user["identities"]?.array?.first?.object)
        #expect(identity["identityType"] == "EMAIL" && identity["identityValue"] == "lo@example.com")
        #expect(identity["channel"] == "OAUTH" && identity["name"] == "Lorant <b>" && identity["methods"] == [])
        let claims = try #require(otpless.idTokens.signed.withLock { $0 }.first).claims
        for (name, text) in [("name", "Lorant <b>"), ("email", "lo@example.com"), ("phone_number", "12001004014")] {
            #expect(claims.contains { $0.name == name && $0.value == .text(text) })
        }
        let told = await otpless.userInfo(
            "token=\(user["token"]?.string ?? "")&client_id=sandbox&client_secret=sandbox-secret")
        #expect(told.json["name"] == "Lorant <b>" && told.json["email"] == "lo@example.com")
        #expect(await otpless.openLink(.get, path).status == 410)
    }

    @Test(arguments: [
        ("otp", #""channels":["SMS"]"#, "OTP"),
        ("magiclink", #""channels":["SMS"],"redirectURI":"https://app.example/done""#, "MAGICLINK"),
    ]) func `a request that the sandbox has completed has asked no provider`(
        path: String, more: String, channel: String
    ) async throws {
        let otpless = try await OtplessWorld(people: Self.people)
        let begun = await otpless.post("/auth/v1/initiate/\(path)", #"{"phoneNumber":"+12001004014",\#(more)}"#)
        let completed = await otpless.world.post(
            "/sandbox/sessions/\(begun.requestID)/complete", #"{"outcome":"success"}"#)
        #expect(completed.status == 200)
        let told = await otpless.status(begun.requestID).json
        let identity = told["identities"]?.array?.first?.object
        #expect(told["status"] == "SUCCESS" && identity?["channel"]?.string == channel)
        #expect(identity?["methods"] == ["SMS"] && identity?["name"] == nil)
        #expect(identity?["identityValue"] == "12001004014")
    }

    @Test func `a person without an address is known by the number, and the last pick counts`() async throws {
        let otpless = try await OtplessWorld(people: Self.people)
        let (id, path) = try await Self.begun(otpless)
        let first = await otpless.tap("approve&person=%2B12001004014", path).givenCode ?? ""
        let second = await otpless.tap("approve&person=%2B12001004015", path).givenCode ?? ""
        #expect(await otpless.verifyCode(first).errorCode == "7118")
        #expect(await otpless.verifyCode(second).status == 200)
        let identity = await otpless.status(id).json["identities"]?.array?.first?.object
        #expect(identity?["identityType"] == "MOBILE" && identity?["identityValue"] == "12001004015")
    }

    @Test(arguments: [
        "approve", "approve&person=", "approve&person=%2B12001004018", "approve&person=%2B12001004014x",
        "approve&person=2001004014",
    ])
    func `nobody but a person of the sandbox can be picked`(form: String) async throws {
        let otpless = try await OtplessWorld(people: Self.people)
        let (id, path) = try await Self.begun(otpless)
        let tapped = await otpless.tap(form, path)
        #expect(tapped.status == 400 && tapped.givenCode == nil)
        #expect(await otpless.status(id).json["status"] == "PENDING")
    }

    @Test func `who declines at the provider declines the request`() async throws {
        let otpless = try await OtplessWorld(people: Self.people)
        let (id, path) = try await Self.begun(otpless)
        let code = await otpless.tap("approve&person=%2B12001004014", path).givenCode ?? ""
        #expect(await otpless.tap("deny", path).givenCode == nil)
        #expect(await otpless.status(id).json["status"] == "DECLINE")
        #expect(await otpless.verifyCode(code).errorCode == "7118")
    }

    @Test func `a person cannot be picked where a link names somebody`() async throws {
        let otpless = try await OtplessWorld(people: Self.people)
        let id = await otpless.sendLink().requestID
        #expect(await otpless.tap("approve&person=%2B12001004015").givenCode == nil)
        #expect(await otpless.verifyCode(await otpless.tapped()).status == 200)
        let identity = await otpless.status(id).json["identities"]?.array?.first?.object
        #expect(identity?["identityValue"] == "12001004014" && identity?["name"] == nil)
    }

    @Test func `a server that plays nobody has no social sign-in`() async throws {
        let otpless = try await OtplessWorld()
        let answer = await otpless.post("/auth/v1/initiate/oauth", Self.asked)
        #expect(answer.status == 400 && answer.errorCode == "4003")
        #expect(answer.json["description"]?.string?.contains("channels") == true)
    }

    @Test(arguments: [
        (#"{"redirectURI":"https://app.example/"}"#, "7103"),
        (#"{"channels":[],"redirectURI":"https://app.example/"}"#, "7103"),
        (#"{"channels":["GMAIL","PIGEON"],"redirectURI":"https://app.example/"}"#, "7103"),
        (#"{"channels":["GMAIL"]}"#, "7101"),
        (#"{"channels":["GMAIL"],"redirectURI":"https://evil.example/"}"#, "7101"),
        (#"{"channels":["GMAIL"],"redirectURI":"https://app.example/","expiry":29}"#, "7113"),
    ])
    func `names what is wrong`(body: String, errorCode: String) async throws {
        let otpless = try await OtplessWorld(people: Self.people)
        let answer = await otpless.post("/auth/v1/initiate/oauth", body)
        #expect(answer.status == 400 && answer.errorCode == errorCode)
    }
}
