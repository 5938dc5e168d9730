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

/// `/initialize`, `/verify`, `/finish`, as a browser or phone calls them (contract section 3).
@Suite struct AppSurfaceTests {
    private static let dob = #"{"dob":"1982-07-19"}"#
    private static let names = #"{"firstName":"Marcia","lastName":"Longo"}"#

    private func check(_ answer: Response, _ status: Int = 200) -> JSONObject {
        #expect(answer.status == status, "\(answer.text)")
        #expect(SDKShape.defects(of: answer.body, successIsText: false) == [], "\(answer.text)")
        return answer.json
    }

    private func header(_ answer: Response, _ name: String) -> String? {
        answer.headers.first { $0.name == name }?.value
    }

    @Test func `drives a run by its cookie alone`() async throws {
        let page = WebPage(try await World())
        let start = await page.initialize(World.marcia, #","ssn":"6227""#)
        #expect(check(start).names == ["authToken", "flowToken"])
        await page.prove()
        let verified = check(await page.post("/verify"))
        #expect(verified["success"]?.bool == true)
        #expect(verified["phoneNumber"]?.string == World.marcia)
        #expect(verified["firstName"]?.string == "Marcia")
        #expect(verified["individual"]?.object?["ssn"]?.string == "470806227")
        let finished = check(await page.post("/finish", Self.names))
        #expect(finished["success"]?.bool == true)
        #expect(finished["changeDetected"]?.bool == false)
    }

    @Test func `keeps the correlation id to itself`() async throws {
        let world = try await World()
        let page = WebPage(world)
        let start = await page.initialize(World.milo)
        let id = try #require(try await world.store.recentSessions(limit: 1).first?.correlationID.text)
        let answers = [start, await page.post("/verify", Self.dob), await page.post("/finish", Self.names)]
        for answer in answers {
            #expect(answer.status == 200)
            #expect(!answer.text.contains(id))
        }
    }

    @Test func `an empty body is as good as none`() async throws {
        let page = WebPage(try await World())
        _ = await page.initialize(World.milo, #","dob":"1982-07-19""#)
        #expect(check(await page.post("/verify", ""))["success"]?.bool == true)
        let typed = [("Content-Type", "application/json")]
        #expect(check(await page.post("/verify", "", typed))["success"]?.bool == true)
    }

    // MARK: The flow token

    @Test func `the cookie is for this server alone, and for TLS where there is TLS`() async throws {
        let plain = WebPage(try await World())
        let cookie = try #require(header(await plain.initialize(World.milo), "Set-Cookie"))
        let token = plain.flowToken
        #expect(token.utf8.count == 22)
        #expect(cookie == "holdfast_flow=\(token); Path=/; Max-Age=900; HttpOnly; SameSite=Lax")

        var options = World.Options()
        options.app = World.appSettings(publicURL: "https://verify.example")
        let secure = WebPage(try await World(options))
        #expect(header(await secure.initialize(World.milo), "Set-Cookie")?.hasSuffix("; SameSite=Lax; Secure") == true)
    }

    @Test func `the token goes in Authorization as well, before the cookie`() async throws {
        let world = try await World()
        let page = WebPage(world)
        _ = await page.initialize(World.milo, #","ssn":"6227""#)
        let bearer = ("Authorization", "Bearer \(page.flowToken)")
        let app = WebPage(world)
        #expect(check(await app.post("/verify", "{}", [bearer]))["success"]?.bool == true)
        #expect(check(await page.post("/verify", "{}", [("Authorization", "Bearer other")]), 401)["code"] == 8002)
        #expect(check(await page.post("/verify", "{}", [("Authorization", "Basic eA==")]), 401)["code"] == 8002)
    }

    @Test(arguments: ["/verify", "/finish"])
    func `without a run there is nothing`(path: String) async throws {
        let world = try await World()
        let body = path == "/finish" ? Self.names : "{}"
        for headers in [
            [], [("Cookie", "")], [("Cookie", "holdfast_flow")], [("Cookie", "holdfast_flow=")],
            [("Cookie", "holdfast_flow=AAAAAAAAAAAAAAAAAAAAAA")], [("Authorization", "Bearer AAAAAAAAAAAAAAAAAAAAAA")],
        ] as [[(name: String, value: String)]] {
            #expect(check(await WebPage(world).post(path, body, headers), 401)["code"]?.integer == 8002)
        }
    }

    @Test func `a run ends with its session`() async throws {
        let world = try await World()
        let page = WebPage(world)
        _ = await page.initialize(World.milo, #","ssn":"6227""#)
        #expect(check(await page.post("/verify"))["success"]?.bool == true)
        _ = world.clock.advance(seconds: 900)
        #expect(check(await page.post("/finish", Self.names), 401)["code"]?.integer == 8002)
        #expect(check(await page.post("/verify"), 401)["code"]?.integer == 8002)
    }

    @Test func `a backend's run is no run of a browser, nor the other way round`() async throws {
        let world = try await World()
        let run = await world.startPrefill(World.milo, proves: false)
        let body = #"{"authId":"\#(run.authID)"}"#
        #expect(check(await WebPage(world).post("/verify", body), 401)["code"]?.integer == 8002)
    }

    // MARK: authId

    @Test func `authId alone opens a run where that is allowed, and beside a token names the same`() async throws {
        for accepts in [true, false] {
            var options = World.Options()
            options.app = World.appSettings(acceptsAuthID: accepts)
            let world = try await World(options)
            let page = WebPage(world)
            _ = await page.initialize(World.milo, #","ssn":"6227""#)
            let body = #"{"authId":"\#(page.authID)"}"#
            #expect(await WebPage(world).post("/verify", body).status == (accepts ? 200 : 401))
            #expect(check(await page.post("/verify", body))["success"]?.bool == true)
            let other = WebPage(world)
            _ = await other.initialize(World.milo)
            #expect(check(await other.post("/verify", body), 401)["code"]?.integer == 8002)
            #expect(check(await other.post("/verify", #"{"authId":"x"}"#), 401)["code"]?.integer == 8002)
        }
    }

    // MARK: Verify

    @Test func `verify may come early, be asked for more, differ, and be repeated`() async throws {
        let page = WebPage(try await World())
        _ = await page.initialize(World.marcia)
        let early = check(await page.post("/verify", Self.dob))
        #expect(early["success"]?.bool == false)
        #expect(early["challengeMissing"] == nil)
        await page.prove()
        let missing = await page.post("/verify")
        #expect(missing.text == #"{"success":false,"challengeMissing":true}"#)
        let wrong = check(await page.post("/verify", #"{"ssn":"0000"}"#))
        #expect(wrong["success"]?.bool == false)
        #expect(wrong["individual"] == nil)
        let right = await page.post("/verify", Self.dob)
        #expect(check(right)["success"]?.bool == true)
        #expect(await page.post("/verify").text == right.text)
        #expect(check(await page.post("/finish", Self.names))["success"]?.bool == true)
        #expect(check(await page.post("/verify"), 403)["code"]?.integer == 8003)
    }

    @Test func `a step too early is told by the page's own calls`() async throws {
        let page = WebPage(try await World())
        _ = await page.initialize(World.marcia)
        for proves in [false, true] {
            if proves { await page.prove() }
            let early = check(await page.post("/finish", Self.names), 403)
            #expect(early["message"]?.string == "step not allowed: the next one is /verify")
        }
    }

    @Test func `whoever holds the phone cannot try out a birth date`() async throws {
        let page = WebPage(try await World())
        _ = await page.initialize(World.milo)
        for _ in 0..<3 { #expect(check(await page.post("/verify", #"{"ssn":"0000"}"#))["success"]?.bool == false) }
        #expect(check(await page.post("/verify", Self.dob), 403)["code"]?.integer == 8003)
    }

    @Test func `a run of Prove Identity tells the names alone`() async throws {
        let page = WebPage(try await World())
        _ = await page.initialize(World.benji)
        await page.prove()
        let verified = check(await page.post("/verify"))
        #expect(verified["firstName"]?.string == "Benji")
        #expect(verified["individual"] == nil)
        #expect(
            check(await page.post("/finish", #"{"firstName":"Benji","lastName":"Harper"}"#))["success"]?.bool == true)
    }

    // MARK: Finish

    @Test(arguments: [
        (#"{"firstName":"marcia","lastName":"Longo"}"#, true, false),
        (#"{"individual":{"firstName":"Marcia","lastName":"Longo"}}"#, true, false),
        (#"{"firstName":"Marcia","individual":{"lastName":"Longo","ssn":"6227"}}"#, true, false),
        (#"{"firstName":"Marcia","lastName":"Longo","emailAddresses":["new@example.com"]}"#, true, true),
        (
            #"{"firstName":"Marcia","lastName":"Longo","addresses":[{"city":"new  orleans","postalCode":"70165"}]}"#,
            true, false
        ),
        (#"{"firstName":"Maria","lastName":"Longo"}"#, false, true),
    ])
    func `takes data flat or nested, and tells what changed`(
        body: String, succeeds: Bool, isChanged: Bool
    ) async throws {
        let page = WebPage(try await World())
        _ = await page.initialize(World.marcia, #","ssn":"6227""#)
        await page.prove()
        _ = await page.post("/verify")
        let finished = check(await page.post("/finish", body))
        #expect(finished["success"]?.bool == succeeds)
        #expect(finished["changeDetected"]?.bool == isChanged)
        #expect(check(await page.post("/finish", body), 403)["code"]?.integer == 8003)
    }

    @Test(arguments: [("{}", "firstName"), (#"{"firstName":"Marcia"}"#, "firstName"), (#"{"ssn":"1"}"#, "ssn")])
    func `names what is missing or wrong`(body: String, field: String) async throws {
        let page = WebPage(try await World())
        _ = await page.initialize(World.milo, #","ssn":"6227""#)
        _ = await page.post("/verify")
        let answer = check(await page.post("/finish", body), 400)
        #expect(answer["code"]?.integer == 8001)
        #expect(answer["message"]?.string?.contains("'\(field)'") == true)
    }

    // MARK: Web pages

    @Test(arguments: ["https://shop.example", "http://127.0.0.1:5173", "http://localhost:3000", World.publicURL])
    func `a listed page may call, with cookies`(origin: String) async throws {
        let world = try await World()
        let preflight = await world.client.send(
            World.request(.options, "/initialize", "", [("Origin", origin)], contentType: nil))
        #expect(preflight.status == 204)
        for answer in [preflight, await WebPage(world, origin: origin).initialize(World.milo)] {
            #expect(header(answer, "Access-Control-Allow-Origin") == origin)
            #expect(header(answer, "Access-Control-Allow-Credentials") == "true")
            #expect(header(answer, "Vary") == "Origin")
        }
    }

    @Test(arguments: ["https://evil.example", "null", "https://shop.example.evil.example", "http://shop.example"])
    func `another page may not, and nothing happens`(origin: String) async throws {
        let world = try await World()
        let preflight = await world.client.send(
            World.request(.options, "/initialize", "", [("Origin", origin)], contentType: nil))
        for answer in [preflight, await WebPage(world, origin: origin).initialize(World.milo)] {
            #expect(answer.status == 403)
            #expect(header(answer, "Access-Control-Allow-Origin") == nil)
            #expect(header(answer, "Set-Cookie") == nil)
        }
        #expect(try await world.store.recentSessions(limit: 1).isEmpty)
    }

    @Test func `in live no page is listed for being near`() async throws {
        var options = World.Options()
        options.app = World.appSettings(isSandbox: false)
        let world = try await World(options)
        #expect(await WebPage(world, origin: "http://localhost:3000").initialize(World.milo).status == 403)
        #expect(await WebPage(world, origin: "https://shop.example").initialize(World.milo).status == 200)
    }

    @Test func `is not there without an API client`() async throws {
        var options = World.Options()
        options.app = nil
        #expect(await WebPage(try await World(options)).initialize(World.milo).status == 404)
    }

    @Test(arguments: ["missing", "revoked"])
    func `names no bare fault when its API client cannot be used, and tells the log what to do`(state: String)
        async throws
    {
        let world = try await World()
        let page = WebPage(world)
        #expect(await page.initialize(World.milo).status == 200)
        let id = World.appSettings().tenant
        var client = WebPage(world)
        if state == "revoked" {
            _ = try await world.store.revokeTenant(id, at: world.clock.now())
            client = page
        } else {
            var options = World.Options()
            options.app = World.appSettings(tenant: "nobody")
            client = WebPage(try await World(options))
        }
        for path in ["/initialize", "/verify", "/finish"] {
            // Every member that one of them needs.
            let body = #"{"flowType":"mobile","phoneNumber":"2001001695","firstName":"Milo","lastName":"Pinson"}"#
            let answer = await client.post(path, body, [("Authorization", "Bearer " + page.flowToken)])
            #expect(answer.status == 503, "\(path)")
            #expect(answer.json["message"]?.string?.contains("not set up") == true)
        }
        let reports = client.reports
        #expect(reports.count == 3)
        #expect(reports.allSatisfy { $0.contains("app.clientId") && $0.contains("holdfast clients add") })
    }
}
