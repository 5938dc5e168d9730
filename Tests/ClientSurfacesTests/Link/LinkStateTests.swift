import Sandbox
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

/// The `link` member of the state through the life of a link.
@Suite struct LinkStateTests {
    private func world(_ change: (inout TenantRules) -> Void = { _ in }) async throws -> World {
        var options = World.Options()
        change(&options.rules)
        return try await World(options)
    }

    @Test(arguments: [World.desktop, World.mobile])
    func `is there from the redeem on, where the link is in the plan`(body: String) async throws {
        let world = try await world()
        let app = App(world, await world.start(body))
        #expect(link(in: await app.post("/link")) == nil, "nothing is planned yet")
        let redeemed = await app.redeem(fallback: "link")
        #expect(redeemed.json["step"] == "linkStart")
        #expect(link(in: redeemed) == ["sendsLeft": 3, "phoneEntriesLeft": 3])
        #expect(redeemed.json["otp"] == nil)
        #expect(allowed(by: redeemed) == ["link.start", "cancel"])
    }

    @Test func `is not there where the fallback is another`() async throws {
        let world = try await world()
        #expect(link(in: await App(world, await world.start(World.mobile)).redeem(fallback: "otp")) == nil)
        let app = App(world, await world.start(#"{"possessionType":"none","phoneNumber":"2001004014"}"#))
        #expect(link(in: await app.post("", #"{"platform":"ios","deviceKey":true,"fallback":"link"}"#)) == nil)
    }

    @Test func `a desktop has the link whatever it declares`() async throws {
        let world = try await world()
        for declaration in [#"{"platform":"web"}"#, #"{"platform":"web","fallback":"otp","deviceKey":true}"#] {
            let app = App(world, await world.start(World.desktop))
            let answer = await app.post("", declaration)
            #expect(answer.json["step"] == "linkStart" && link(in: answer) != nil && answer.json["otp"] == nil)
        }
    }

    @Test func `tells until when the link holds, and the page should wait`() async throws {
        let world = try await world()
        let app = await world.linked()
        let sent = await app.post("/link")
        #expect(sent.status == 200)
        #expect(sent.json["step"] == "linkWait")
        #expect(
            link(in: sent) == [
                "expiresAt": "2026-01-01T10:03:00Z", "waitUntil": "2026-01-01T10:05:00Z", "sendsLeft": 2,
                "phoneEntriesLeft": 2,
            ])
        #expect(allowed(by: sent) == ["link.resend", "link.phone", "cancel"])
        _ = world.clock.advance(seconds: 60)
        let again = await app.post("/link/resend")
        #expect(
            link(in: again) == [
                "expiresAt": "2026-01-01T10:04:00Z", "waitUntil": "2026-01-01T10:06:00Z", "sendsLeft": 1,
                "phoneEntriesLeft": 2,
            ])
        let token = world.newestLink.dropFirst("/l/".utf8.count)
        #expect(token.utf8.count == 22)
        #expect(!again.text.contains(token), "the client never sees the link")
        #expect(SDKShape.defects(of: again.body) == [])
    }

    @Test func `holds no longer than the session`() async throws {
        let world = try await world()
        let app = await world.linked()
        _ = world.clock.advance(seconds: 840)
        let sent = await app.post("/link")
        #expect(link(in: sent)?["expiresAt"] == "2026-01-01T10:15:00Z")
        #expect(link(in: sent)?["waitUntil"] == "2026-01-01T10:15:00Z")
    }

    // MARK: endings

    @Test func `has no more to tell after an approval`() async throws {
        let world = try await world()
        let app = await world.linked()
        _ = await app.post("/link")
        let decided = await world.decide("decision=approve")
        #expect(decided.status == 303)
        #expect(
            decided.header("location") == "https://app.example/done?asc=true&authId=\(app.authID)")
        let state = await app.read()
        #expect(state.json["outcome"] == "succeeded")
        #expect(link(in: state) == ["waitUntil": "2026-01-01T10:05:00Z", "sendsLeft": 2, "phoneEntriesLeft": 2])
    }

    @Test func `opening it changes nothing`() async throws {
        let world = try await world()
        let app = await world.linked()
        let sent = await app.post("/link")
        for _ in 0..<3 { #expect(await world.openLink().status == 200) }
        #expect(await app.read().text == sent.text)
    }

    struct Ending: Sendable, CustomTestStringConvertible {
        let error: String
        let code: Int64
        var form = "decision=approve"
        var body = World.desktop
        var needsMatchCode = false
        var needsSameAddress = false

        var testDescription: String { error }
    }

    private static let desktopElsewhere =
        #"{"possessionType":"desktop","phoneNumber":"2001004014","ipAddress":"203.0.113.9","#
        + #""finalTargetUrl":"https://app.example/done"}"#
    private static let desktopOfOther =
        #"{"possessionType":"desktop","phoneNumber":"2001004019","finalTargetUrl":"https://app.example/done"}"#

    @Test(arguments: [
        Ending(error: "link_denied", code: 20201, form: "decision=deny"),
        Ending(error: "link_ip_mismatch", code: 20203, body: desktopElsewhere, needsSameAddress: true),
        Ending(error: "link_phone_mismatch", code: 20204, body: desktopOfOther),
        Ending(error: "link_match_code_mismatch", code: 20205, form: "wrong", needsMatchCode: true),
    ]) func `names why it failed`(ending: Ending) async throws {
        var options = World.Options()
        options.rules.linkMatchCode = ending.needsMatchCode
        options.rules.linkNeedsSameAddress = ending.needsSameAddress
        let other = SandboxUser(
            digits: "2001004019", number: PhoneNumber(e164: "+12001004019")!, name: "Other", region: .northAmerica,
            link: .mismatch)
        options.users = SandboxUsers(World.users.all + [other])
        let world = try await World(options)
        let started = await world.start(ending.body)
        let app = App(world, started)
        _ = await app.redeem(fallback: "link")
        let sent = await app.post("/link")
        let right = link(in: sent)?["matchCode"]?.string
        #expect((right != nil) == ending.needsMatchCode)
        let wrong = right == "11" ? "22" : "11"
        let form = ending.form == "wrong" ? "decision=approve&matchCode=\(wrong)" : ending.form
        let decided = await world.decide(form)
        #expect(decided.header("location") == "https://app.example/done?asc=false&authId=\(app.authID)")
        let state = await app.read()
        #expect(state.status == 200 && state.json["outcome"] == "failed")
        #expect(
            link(in: state) == [
                "waitUntil": "2026-01-01T10:05:00Z", "sendsLeft": 2, "phoneEntriesLeft": 2,
                "error": .string(ending.error), "code": .integer(ending.code),
            ])
        #expect(await world.status(started).json["success"] == "false")
        #expect(await world.decide("decision=approve").header("location")?.contains("asc=false") == true)
        #expect(SDKShape.defects(of: state.body) == [])
    }

    @Test(arguments: [(179, nil), (180, "link_expired")])
    func `names its expiry, and a new one can be sent`(age: Int64, error: String?) async throws {
        let world = try await world()
        let app = await world.linked()
        _ = await app.post("/link")
        _ = world.clock.advance(seconds: age)
        let state = await app.read()
        #expect(state.json["step"] == "linkWait")
        #expect(link(in: state)?["error"]?.string == error)
        #expect(link(in: state)?["code"]?.integer == (error == nil ? nil : 20202))
        #expect((link(in: state)?["expiresAt"] == nil) == (error != nil))
        #expect(allowed(by: state) == ["link.resend", "link.phone", "cancel"])
        guard error != nil else { return }
        #expect(await world.decide("decision=approve").header("location")?.contains("asc=false") == true)
        #expect(await app.read().json["status"] == "active", "a late approval decides nothing")
        let again = await app.post("/link/resend")
        #expect(link(in: again)?["error"] == nil && link(in: again)?["expiresAt"] == "2026-01-01T10:06:00Z")
        _ = await world.decide("decision=approve")
        #expect(await app.read().json["outcome"] == "succeeded")
    }

    @Test func `the expiry of the last one ends the session`() async throws {
        var options = World.Options()
        options.limits.sendsPerSession = 1
        let world = try await World(options)
        let app = await world.linked()
        #expect(allowed(by: await app.post("/link")) == ["cancel"])
        _ = world.clock.advance(seconds: 180)
        let state = await app.read()
        #expect(state.json["outcome"] == "failed" && link(in: state)?["error"] == "link_expired")
    }

    @Test func `a session that ended otherwise has no error of the link`() async throws {
        let app = await (try world()).linked()
        _ = await app.post("/link")
        let state = await app.post("/cancel")
        #expect(state.json["outcome"] == "cancelled")
        #expect(link(in: state)?["error"] == nil && link(in: state)?["expiresAt"] == nil)
    }

    // MARK: the match code

    @Test func `shows the match code only while the link is open`() async throws {
        let world = try await world { $0.linkMatchCode = true }
        let app = await world.linked()
        #expect(link(in: await app.read())?["matchCode"] == nil)
        let first = link(in: await app.post("/link"))?["matchCode"]?.string
        #expect(first?.utf8.count == 2 && first?.utf8.allSatisfy { (48...57).contains($0) } == true)
        #expect(world.gateway.sent.last.map { !$0.text.contains(" \(first ?? "-") ") } == true)
        #expect(await world.decide("decision=approve").status == 400, "the page asks again")
        #expect(await world.decide("decision=approve&matchCode=7").status == 400)
        #expect(link(in: await app.read())?["matchCode"]?.string == first)
        _ = world.clock.advance(seconds: 180)
        #expect(link(in: await app.read())?["matchCode"] == nil)
        let second = try #require(link(in: await app.post("/link/resend"))?["matchCode"]?.string)
        _ = await world.decide("decision=approve&matchCode=\(second)")
        let done = await app.read()
        #expect(done.json["outcome"] == "succeeded" && link(in: done)?["matchCode"] == nil)
    }
}
