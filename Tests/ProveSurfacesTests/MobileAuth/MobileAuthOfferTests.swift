import ClientSurfaces
import OperationsSurfaces
import ProveSurfaces
import SandboxSurfaces
import ServerDescription
import SurfaceKit
import HTTPServer
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport

@Suite struct MobileAuthOfferTests {
    private static let page = #""mobileAuthReturnUrl":"https://app.example/back""#

    private func redeemed(_ world: World, _ body: String = World.mobile, as declaration: String) async -> (
        App, Response
    ) {
        let app = App(world, await world.start(body))
        return (app, await app.post("", "{\(declaration)}"))
    }

    // MARK: the answer

    @Test func `has every member of an offer, and the state`() async throws {
        let world = try await World()
        let app = await world.native()
        let before = await app.read()
        #expect(before.json["step"] == "mobileAuth")
        #expect(before.json["mobileAuth"] == ["attemptsLeft": 3])
        #expect(allowed(by: before) == ["mobileAuth", "otp.start", "cancel"])

        let answer = await app.post("/mobile-auth")
        #expect(answer.status == 200)
        #expect(
            answer.json.names == ["attemptId", "authUrl", "network", "mode", "timeoutMs", "expiresAt", "state"])
        let attempt = try #require(answer.json["attemptId"]?.string)
        #expect(attempt.utf8.count == 22)
        let url = try #require(answer.json["authUrl"]?.string)
        let start = "http://127.0.0.1:8080/ma/v1/go/\(attempt)?t="
        #expect(url.hasPrefix(start) && url.utf8.count == start.utf8.count + 22)
        #expect(answer.json["network"] == "cellular")
        #expect(answer.json["timeoutMs"] == 8000)
        #expect(answer.json["expiresAt"] == "2026-01-01T10:01:00Z")
        let state = try #require(answer.json["state"]?.object)
        #expect(state["rev"] == 2 && state["step"] == "mobileAuth")
        #expect(state["mobileAuth"] == ["attemptsLeft": 2])
        #expect(allowed(by: answer) == ["mobileAuth", "mobileAuth.finish", "otp.start", "cancel"])
        #expect(state.text == (await app.read()).text, "it is the state of a read")
        #expect(SDKShape.defects(of: answer.body) == [])
        #expect(!answer.text.contains("2001004014"))
    }

    @Test(arguments: [
        (#""platform":"ios""#, "client"), (#""platform":"android""#, "client"),
        (#""platform":"ios",\#(page)"#, "client"), (#""platform":"web",\#(page)"#, "navigate"),
    ]) func `has a page navigate, and an app follow by itself`(declaration: String, mode: String) async throws {
        let (app, _) = await redeemed(try await World(), as: declaration)
        #expect(await app.post("/mobile-auth").json["mode"]?.string == mode)
    }

    @Test func `takes no body for an empty one`() async throws {
        let world = try await World()
        let app = await world.native()
        let path = "/client/v1/session/mobile-auth"
        let bare = World.request(.post, path, "", app.headers("POST", path), contentType: nil)
        #expect(await world.client.send(bare).status == 200)
    }

    // MARK: the plan

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var body = World.mobile
        var declaration = #""platform":"ios","fallback":"otp""#
        var tenantHasIt = true
        var isSandbox = true
        let isPlanned: Bool

        var testDescription: String { name }
    }

    private static let desktop =
        #"{"possessionType":"desktop","phoneNumber":"2001004014","finalTargetUrl":"https://app.example/done"}"#
    private static let none = #"{"possessionType":"none","phoneNumber":"2001004014"}"#

    @Test(arguments: [
        Case(name: "an app", isPlanned: true),
        Case(
            name: "a page with somewhere to come back to", declaration: #""platform":"web",\#(page)"#, isPlanned: true),
        Case(name: "a page without", declaration: #""platform":"web","fallback":"otp""#, isPlanned: false),
        Case(
            name: "a page that says null", declaration: #""platform":"web","mobileAuthReturnUrl":null"#,
            isPlanned: false),
        Case(name: "cellular is there", declaration: #""platform":"ios","cellular":"yes""#, isPlanned: true),
        Case(
            name: "cellular is not there", declaration: #""platform":"ios","cellular":"no","fallback":"otp""#,
            isPlanned: false),
        Case(
            name: "not there, in test mode", declaration: #""platform":"ios","cellular":"no","testMode":true"#,
            isPlanned: true),
        Case(
            name: "not there, in what live takes for no test mode",
            declaration: #""platform":"ios","cellular":"no","testMode":true,"fallback":"otp""#, isSandbox: false,
            isPlanned: false),
        Case(name: "a tenant without it", tenantHasIt: false, isPlanned: false),
        Case(
            name: "a tenant without it, and a call that wants it",
            body: #"{"possessionType":"mobile","phoneNumber":"2001004014","mobileAuthEnabled":true}"#,
            tenantHasIt: false, isPlanned: true),
        Case(
            name: "a call that does not want it",
            body: #"{"possessionType":"mobile","phoneNumber":"2001004014","mobileAuthEnabled":false}"#,
            isPlanned: false),
        Case(name: "a desktop", body: desktop, declaration: #""platform":"web",\#(page)"#, isPlanned: false),
        Case(name: "a possession check of the tenant's own", body: none, isPlanned: false),
        Case(
            name: "the same without a number", body: #"{"possessionType":"none"}"#, declaration: #""platform":"ios""#,
            isPlanned: true),
    ]) func `is offered where it is in the plan, and nowhere else`(_ case: Case) async throws {
        var options = World.Options()
        options.isSandbox = `case`.isSandbox
        options.rules.mobileAuth = `case`.tenantHasIt
        let (app, state) = await redeemed(try await World(options), `case`.body, as: `case`.declaration)
        #expect(state.status == 200)
        #expect((state.json["mobileAuth"] != nil) == `case`.isPlanned)
        #expect(allowed(by: state).contains("mobileAuth") == `case`.isPlanned)
        let answer = await app.post("/mobile-auth")
        if `case`.isPlanned {
            #expect(answer.status == 200)
        } else {
            #expect(["invalid_state", "session_done"].contains(refusal(of: answer)))
            #expect(answer.json["authUrl"] == nil && answer.json["attemptId"] == nil)
        }
    }

    // MARK: again

    @Test func `gives a retry the same attempt and URL, for one attempt`() async throws {
        let world = try await World()
        let app = await world.native()
        let first = await app.post("/mobile-auth", #"{"requestId":"r-1"}"#)
        let again = await app.post("/mobile-auth", #"{"requestId":"r-1"}"#)
        #expect(first.status == 200 && again.status == 200)
        #expect(again.body == first.body)
        #expect(await app.read().json["mobileAuth"] == ["attemptsLeft": 2])
        let walk = MobileAuthWalk(world, again)
        #expect(await walk.go().status == 302, "the retry's URL works")
        #expect(await app.post("/mobile-auth", #"{"requestId":"r-1"}"#).body == first.body, "also when it was used")
        #expect(await walk.comeBack().status == 200, "and makes nothing void")
        let other = await app.post("/mobile-auth", #"{"requestId":"r-2"}"#)
        #expect(other.json["attemptId"] != first.json["attemptId"])
        let reused = await app.post("/mobile-auth", #"{ "requestId":"r-1"}"#)
        #expect(reused.status == 422 && refusal(of: reused) == "request_id_reused" && reused.json["code"] == 20012)
    }

    @Test func `opens three attempts, and the fallback is there all the time`() async throws {
        let world = try await World()
        let app = await world.native()
        for left in [2, 1, 0] {
            let answer = await app.post("/mobile-auth")
            #expect(answer.json["state"]?.object?["mobileAuth"] == ["attemptsLeft": .integer(Int64(left))])
        }
        let spent = await app.post("/mobile-auth")
        #expect(spent.status == 409 && refusal(of: spent) == "invalid_state" && spent.json["code"] == 20010)
        #expect(allowed(by: spent) == ["mobileAuth.finish", "otp.start", "cancel"])
        #expect(await app.post("/otp").status == 200)
    }

    // MARK: refusals

    @Test func `is refused in every other step`() async throws {
        let world = try await World()
        let app = App(world, await world.start(World.mobile))
        #expect(refusal(of: await app.post("/mobile-auth")) == "invalid_state", "not redeemed yet")
        _ = await app.post("", #"{"platform":"ios","fallback":"otp"}"#)
        _ = await app.post("/otp")
        let late = await app.post("/mobile-auth")
        #expect(late.status == 409 && refusal(of: late) == "invalid_state")
        #expect(late.json["state"]?.object?["step"] == "otpFinish")
        _ = await app.post("/cancel")
        let done = await app.post("/mobile-auth")
        #expect(done.status == 410 && refusal(of: done) == "session_done")
    }

    @Test func `closes the device step that is before it`() async throws {
        let world = try await World()
        let (app, state) = await redeemed(world, as: #""platform":"ios","fallback":"otp","deviceKey":true"#)
        #expect(allowed(by: state) == ["device", "mobileAuth", "otp.start", "cancel"])
        let answer = await app.post("/mobile-auth")
        #expect(answer.status == 200)
        #expect(!allowed(by: answer).contains("device"))
        #expect(answer.json["state"]?.object?["device"]?.object?["challenge"] == nil)
    }

    @Test(arguments: [
        (#"{"phoneNumber":"2001004014"}"#, "field 'phoneNumber' is not known"),
        (#"{"attemptId":"x"}"#, "field 'attemptId' is not known"),
        (#"{"requestId":1}"#, "field 'requestId' must be a string"),
    ]) func `names a bad field, and spends nothing`(body: String, message: String) async throws {
        let app = await (try World()).native()
        let answer = await app.post("/mobile-auth", body)
        #expect(answer.status == 400)
        #expect(answer.json == ["code": 1001, "error": "invalid_request", "message": .string(message)])
        #expect(await app.read().json["mobileAuth"] == ["attemptsLeft": 3])
    }

    @Test func `is for the session's own key alone, and ends with the tenant`() async throws {
        let world = try await World()
        let started = await world.start(World.mobile)
        let app = App(world, started)
        _ = await app.post("", #"{"platform":"ios","fallback":"otp"}"#)
        let thief = await App(world, started, key: FakeKey(2)).post("/mobile-auth")
        #expect(thief.status == 401 && refusal(of: thief) == "token_already_used")
        #expect(thief.json["authUrl"] == nil && thief.json["state"] == nil)
        _ = try await world.store.revokeTenant(ClientID("sandbox")!, at: world.clock.now())
        let revoked = await app.post("/mobile-auth")
        #expect(revoked.status == 401 && refusal(of: revoked) == "invalid_token")
        #expect(revoked.json["authUrl"] == nil)
    }
}
