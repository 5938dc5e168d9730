import ClientSurfaces
import OperationsSurfaces
import ProveSurfaces
import SandboxSurfaces
import ServerDescription
import SurfaceKit
import HTTPServer
import Engine
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport

/// Mobile Auth of a web page: it navigates through the chain and comes back with the outcome in its fragment.
@Suite struct MobileAuthPageTests {
    private static let page = "https://app.example/back?step=2"

    private func redeem(_ world: World, _ page: String, platform: String = "web") async -> (App, Response) {
        let app = App(world, await world.start(World.mobile))
        let body: JSONObject = [
            "platform": .string(platform), "fallback": "otp", "mobileAuthReturnUrl": .string(page),
        ]
        return (app, await app.post("", body.text))
    }

    private func walk(_ world: World) async -> (App, MobileAuthWalk) {
        let (app, _) = await redeem(world, Self.page)
        return (app, await app.beginMobileAuth())
    }

    @Test func `comes back with the fingerprint, which finishes`() async throws {
        let world = try await World()
        world.carrier.answer(.success(.verified(true)))
        let (app, walk) = await walk(world)
        #expect(walk.offer["mode"] == "navigate")
        #expect(await walk.go().status == 302)
        let back = await walk.comeBack()
        #expect(back.status == 303 && back.body.isEmpty)
        #expect(back.header("referrer-policy") == "no-referrer")
        let location = try #require(back.header("location"))
        let start = Self.page + "#vfp="
        #expect(location.hasPrefix(start))
        let answer = await app.post("/mobile-auth/finish", walk.finishBody(String(location.dropFirst(start.count))))
        #expect(answer.json["outcome"] == "succeeded")
    }

    @Test(arguments: ["code=c", "error=access_denied"])
    func `comes back with no more than unavailable`(outcome: String) async throws {
        let world = try await World()
        world.carrier.answer(.failure(.failed(reason: "status 500")))
        let (_, walk) = await walk(world)
        _ = await walk.go()
        let back = await walk.comeBack(outcome)
        #expect(back.status == 303)
        #expect(back.header("location") == Self.page + "#error=mobile_auth_unavailable")
    }

    @Test func `comes back at once where no operator serves the address`() async throws {
        let world = try await World()
        world.carrier.serve(false)
        let (_, walk) = await walk(world)
        let answer = await walk.go()
        #expect(answer.status == 303)
        #expect(answer.header("location") == Self.page + "#error=mobile_auth_unavailable")
    }

    @Test func `a refused hop leads to no page`() async throws {
        let world = try await World()
        let (_, walk) = await walk(world)
        _ = await walk.go()
        for answer in [
            await walk.go(), await world.hop(walk.path, "t=x"), await walk.comeBack(from: MobileAuthWalk.otherPhone),
        ] {
            #expect((400...499).contains(answer.status) && answer.header("location") == nil)
        }
    }

    @Test func `an app gets JSON, whatever page it names`() async throws {
        let world = try await World()
        world.carrier.answer(.success(.verified(true)))
        let (app, _) = await redeem(world, Self.page, platform: "android")
        let walk = await app.beginMobileAuth()
        _ = await walk.go()
        let back = await walk.comeBack()
        #expect(back.status == 200 && back.json.names == ["vfp"] && back.header("location") == nil)
    }

    // MARK: which pages

    struct Page: Sendable, CustomTestStringConvertible {
        let url: String
        var pages: [String] = ["https://app.example/back"]
        var hosts: [String] = ["app.example", "*.app.example"]
        var origins: [String] = ["https://app.example"]

        var testDescription: String { "\(url) with \(pages)" }
    }

    @Test(arguments: [
        Page(url: "https://app.example/back"),
        Page(
            url: "https://app.example:8443/back?x=1",
            pages: ["https://a.example/", "https://app.example:8443/back?x=1"]),
        Page(url: "https://elsewhere.example/", pages: ["https://elsewhere.example/"], hosts: [], origins: []),
        Page(
            url: "https://app.example/" + String(repeating: "a", count: 108),
            pages: ["https://app.example/" + String(repeating: "a", count: 108)]),
    ]) func `may be a registered one`(page: Page) async throws {
        #expect(try await answer(to: page).status == 200)
    }

    @Test(arguments: [
        Page(url: "https://app.example/out?to=https://evil.example/"), Page(url: "https://app.example/back/"),
        Page(url: "https://app.example/back?x=1"), Page(url: "https://APP.example/back"),
        Page(url: "https://sub.app.example/back"), Page(url: "https://evil.example/back"),
        Page(url: "http://app.example/back", pages: ["http://app.example/back"]),
        Page(url: "https://app.example/back", pages: []),
    ]) func `must be a registered one`(page: Page) async throws {
        let answer = try await answer(to: page)
        #expect(answer.status == 400)
        #expect(
            answer.json == [
                "code": 1001, "error": "invalid_request",
                "message": "field 'mobileAuthReturnUrl' names a page that is not registered for this client",
            ])
        #expect(answer.header("location") == nil)
    }

    @Test(arguments: [
        "javascript:alert(1)", "ftp://app.example/", "//app.example/", "/back", "app.example", "https://",
        "https://app.example@evil.example/", "https://evil.example\\@app.example/", "https://app.example/#x",
        "https://app.example/\r\nSet-Cookie: a=b", "https://app.example/%2e", "https://app.example:99999/",
        "https://app.example/" + String(repeating: "a", count: 109),
    ]) func `must be a plain URL`(url: String) async throws {
        let (_, answer) = await redeem(try World(), url)
        #expect(answer.status == 400)
        #expect(
            answer.json == [
                "code": 1001, "error": "invalid_request",
                "message": "field 'mobileAuthReturnUrl' must be an https URL of at most 128 plain characters",
            ])
    }

    @Test(arguments: [(#"7"#, "must be a string"), ("{}", "must be a string")])
    func `must be a text`(value: String, reason: String) async throws {
        let world = try await World()
        let app = App(world, await world.start(World.mobile))
        let answer = await app.post("", #"{"platform":"web","mobileAuthReturnUrl":\#(value)}"#)
        #expect(answer.status == 400)
        #expect(answer.json["message"]?.string == "field 'mobileAuthReturnUrl' \(reason)")
    }

    @Test func `a refused one redeems nothing`() async throws {
        let world = try await World()
        let (app, refused) = await redeem(world, "https://evil.example/")
        #expect(refused.status == 400)
        #expect(await app.read().status == 409)
        #expect(await app.redeem().json["rev"] == 1)
    }

    private func answer(to page: Page) async throws -> Response {
        var options = World.Options()
        options.rules.mobileAuthReturnURLs = page.pages
        options.rules.finalTargetHosts = page.hosts
        options.rules.allowedOrigins = page.origins
        let (app, answer) = await redeem(try World(options), page.url)
        if answer.status == 200 { #expect(await app.beginMobileAuth().offer["mode"] == "navigate") }
        return answer
    }
}
