import ClientSurfaces
import OperationsSurfaces
import ProveSurfaces
import SandboxSurfaces
import ServerDescription
import SurfaceKit
import HTTPServer
import Locks
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport

/// `/v3/start`, `/v3/validate`, `/v3/challenge`, `/v3/complete`, as a backend calls them (Prove section 6).
@Suite struct PrefillTests {
    private static let dob = #","dob":"1982-07-19""#
    private static let names = #","individual":{"firstName":"Marcia","lastName":"Longo"}"#

    private func check(_ answer: Response, _ status: Int = 200) -> JSONObject {
        #expect(answer.status == status, "\(answer.text)")
        #expect(SDKShape.defects(of: answer.body, successIsText: false) == [], "\(answer.text)")
        return answer.json
    }

    private func next(_ object: JSONObject) -> [String: String] {
        var next: [String: String] = [:]
        for member in object["next"]?.object?.members ?? [] { next[member.name] = member.value.string }
        return next
    }

    @Test func `goes from the start to the end as next says`() async throws {
        let world = try await World()
        let start = check(
            await world.post("/v3/start", #"{"flowType":"mobile","phoneNumber":"2001001693","ssn":"6227"}"#))
        #expect(next(start) == ["v3-validate": "/v3/validate"])
        let run = World.Started(
            correlationID: start["correlationId"]?.string ?? "", token: start["authToken"]?.string ?? "")
        await world.prove(run)

        let validated = check(await world.step("validate", run))
        #expect(validated["success"]?.bool == true)
        #expect(validated["challengeMissing"]?.bool == false)
        #expect(validated["phoneNumber"]?.string == "2001001693")
        #expect(next(validated) == ["v3-challenge": "/v3/challenge"])

        let challenged = check(await world.step("challenge", run))
        #expect(challenged["success"]?.bool == true)
        #expect(next(challenged) == ["v3-complete": "/v3/complete"])
        let individual = try #require(challenged["individual"]?.object)
        #expect(individual["firstName"]?.string == "Marcia")
        #expect(individual["dob"]?.string == "1982-07-19")
        #expect(individual["addresses"]?.array?.first?.object?["postalCode"]?.string == "70165")

        let completed = check(await world.step("complete", run, Self.names))
        #expect(completed["success"]?.bool == true)
        #expect(completed["changeDetected"]?.bool == false)
        #expect(next(completed) == ["done": "done"])
        // Asked again, validate names the step that is due now.
        let again = check(await world.step("validate", run))
        #expect(again["success"] == true && next(again) == ["done": "done"])
    }

    @Test func `answers false and ends nothing while the client is not done`() async throws {
        let world = try await World()
        let run = await world.startPrefill(World.marcia, proves: false)
        for _ in 0..<2 {
            let early = check(await world.step("validate", run))
            #expect(early["success"]?.bool == false)
            #expect(early["challengeMissing"]?.bool == false)
            #expect(next(early) == ["v3-validate": "/v3/validate"])
        }
        await world.prove(run)
        let first = await world.step("validate", run)
        #expect(check(first)["success"]?.bool == true)
        #expect(await world.step("validate", run).text == first.text)
    }

    @Test func `a user without client needs none`() async throws {
        let world = try await World()
        let run = await world.startPrefill(World.milo, proves: false)
        #expect(check(await world.step("validate", run))["success"]?.bool == true)
    }

    @Test func `a number in bad standing fails validate, and nothing follows`() async throws {
        let world = try await World()
        let run = await world.startPrefill(World.agretha, Self.dob)
        let validated = check(await world.step("validate", run))
        #expect(validated["success"]?.bool == false)
        #expect(next(validated) == ["done": "done"])
        #expect(validated["evaluation"]?.object?["risk"]?.object?["result"]?.string == "fail")
        #expect(check(await world.step("challenge", run), 403)["code"]?.integer == 8003)
    }

    @Test func `shows the record to nobody who does not know it`() async throws {
        let world = try await World()
        let run = await world.startPrefill(World.marcia)
        _ = await world.step("validate", run)
        let answer = await world.step("challenge", run, #","ssn":"0000""#)
        let challenged = check(answer)
        #expect(challenged["success"]?.bool == false)
        #expect(next(challenged) == ["done": "done"])
        #expect(challenged["individual"] == nil)
        #expect(!answer.text.contains("Marcia"))
        let reasons = challenged["evaluation"]?.object?["identification"]?.object?["failureReasons"]?.object
        #expect(reasons?.names == ["9012"])
        #expect(check(await world.step("challenge", run, Self.dob), 403)["code"]?.integer == 8003)
    }

    @Test func `Prove Identity goes from validate to complete`() async throws {
        let world = try await World()
        let run = await world.startPrefill(World.benji)
        let validated = check(await world.step("validate", run))
        #expect(validated["challengeMissing"]?.bool == false)
        #expect(next(validated) == ["v3-complete": "/v3/complete"])
        let needless = check(await world.step("challenge", run, Self.dob), 403)
        #expect(needless["code"]?.integer == 8003)
        #expect(needless["message"]?.string == "step not allowed: the next one is /v3/complete")
        let completed = check(
            await world.step("complete", run, #","individual":{"firstName":"BENJI","lastName":"Harper"}"#))
        #expect(completed["success"]?.bool == true)
    }

    @Test func `steps are taken in order, and once`() async throws {
        let world = try await World()
        let run = await world.startPrefill(World.marcia)
        func expectRefused(_ step: String, _ more: String, next: String?) async {
            let refused = check(await world.step(step, run, more), 403)
            #expect(refused["code"]?.integer == 8003)
            let hint = next.map { ": the next one is \($0)" } ?? ""
            #expect(refused["message"]?.string == "step not allowed\(hint)")
        }
        await expectRefused("challenge", Self.dob, next: "/v3/validate")
        await expectRefused("complete", Self.names, next: "/v3/validate")
        _ = await world.step("validate", run)
        await expectRefused("complete", Self.names, next: "/v3/challenge")
        _ = await world.step("challenge", run, Self.dob)
        await expectRefused("challenge", Self.dob, next: "/v3/complete")
        _ = await world.step("complete", run, Self.names)
        await expectRefused("complete", Self.names, next: nil)
    }

    @Test(arguments: ["validate", "challenge", "complete"])
    func `knows a run only from its own client and its own calls`(step: String) async throws {
        let world = try await World()
        let run = await world.startPrefill(World.milo, proves: false)
        let unify = await world.start(#"{"possessionType":"mobile","phoneNumber":"2001004018"}"#)
        let more = step == "complete" ? Self.names : Self.dob
        let stranger = World.Started(correlationID: "019b7907-8d58-7500-8000-000000000001", token: "")
        for answer in [
            await world.step(step, run, more, as: "sandbox-2"), await world.step(step, unify, more),
            await world.step(step, stranger, more),
            await world.step(step, World.Started(correlationID: "x", token: ""), more),
        ] {
            #expect(check(answer, 400)["code"]?.integer == 8008)
        }
        #expect(check(await world.status(run), 400)["code"]?.integer == 8008)
    }

    @Test(arguments: [
        ("start", #"{"phoneNumber":"2001001693"}"#, "flowType"),
        ("start", #"{"flowType":"none","phoneNumber":"2001001693"}"#, "flowType"),
        ("start", #"{"flowType":"desktop","phoneNumber":"2001001693"}"#, "finalTargetUrl"),
        ("start", #"{"flowType":"mobile","phoneNumber":"2001001693","dob":"19.7.1982"}"#, "dob"),
        ("start", #"{"flowType":"mobile","phoneNumber":"2001001693","ssn":"62270"}"#, "ssn"),
        ("start", #"{"flowType":"mobile","phoneNumber":"2001001693","last4SSN":"a"}"#, "last4SSN"),
        ("validate", "{}", "correlationId"), ("challenge", #"{"dob":"1982-07-19"}"#, "correlationId"),
        ("challenge", #"{"correlationId":"x","dob":"1982-13"}"#, "dob"),
        ("complete", #"{"correlationId":"x"}"#, "individual"),
        ("complete", #"{"correlationId":"x","individual":{}}"#, "individual"),
        ("complete", #"{"correlationId":"x","individual":{"firstName":"Marcia"}}"#, "individual"),
        ("complete", #"{"correlationId":"x","individual":{"firstName":1,"lastName":"L"}}"#, "individual.firstName"),
        (
            "complete", #"{"correlationId":"x","individual":{"ssn":"6227","addresses":[{"city":7}]}}"#,
            "individual.addresses[0].city"
        ),
        (
            "complete", #"{"correlationId":"x","individual":{"ssn":"6227","emailAddresses":[7]}}"#,
            "individual.emailAddresses[0]"
        ),
    ])
    func `names the field that is wrong`(step: String, body: String, field: String) async throws {
        let world = try await World()
        let answer = check(await world.post("/v3/\(step)", body), 400)
        #expect(answer["code"]?.integer == 8001)
        #expect(answer["message"]?.string?.contains("'\(field)'") == true, "\(answer)")
    }

    @Test func `a source of people that does not answer changes nothing`() async throws {
        var options = World.Options()
        options.people = FakePeople(isDown: true)
        let world = try await World(options)
        let run = await world.startPrefill(World.milo, proves: false)
        _ = await world.step("validate", run)
        let answer = await world.step("challenge", run, Self.dob)
        #expect(check(answer, 503)["code"]?.integer == 8000)
        #expect(answer.headers.contains { $0.name == "Retry-After" })
        #expect(world.reports.withLock { $0 } == ["identity data: down"])
        #expect(check(await world.step("validate", run))["success"]?.bool == true)
    }

    @Test func `ends with the session's time`() async throws {
        let world = try await World()
        let run = await world.startPrefill(World.milo, proves: false)
        _ = await world.step("validate", run)
        _ = world.clock.advance(seconds: 899)
        #expect(check(await world.step("challenge", run, Self.dob))["success"]?.bool == true)
        _ = world.clock.advance(seconds: 1)
        let over = check(await world.step("complete", run, Self.names), 400)
        #expect(over["code"]?.integer == 8008)
        #expect(over["message"]?.string == "field 'correlationId' names a session that is over for good")
    }

    @Test func `asks for the standing only where there is somebody to ask`() async throws {
        var options = World.Options()
        options.reputation = nil
        let world = try await World(options)
        let run = await world.startPrefill(World.agretha)
        let validated = check(await world.step("validate", run))
        #expect(validated["success"]?.bool == true)
        #expect(validated["evaluation"] == nil)
    }
}
