import HTTPServer
import Locks
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport

/// Numbers that nothing is sent to and that pass with a fixed code, on every surface.
@Suite struct TestNumberTests {
    private static let number = "+16505553434"
    private static let other = "+16505553435"
    private static let code = "98765432"

    private static func entry(
        _ number: String = number, tenant: String? = nil, lasting seconds: Int64 = 86_400
    ) -> TestNumber {
        TestNumber(
            number: PhoneNumber(e164: number)!, code: OTP(code)!, tenant: tenant.map { ClientID($0)! },
            createdAt: FixedClock.start, endsAt: FixedClock.start.adding(.seconds(seconds)))
    }

    private func world(
        _ entries: [TestNumber] = [entry()], _ change: (inout World.Options) -> Void = { _ in }
    ) async throws -> World {
        var options = World.limited { $0.secondsBetweenSends = 30 }
        options.rules.allowPhoneChange = true
        change(&options)
        let world = try await World(options)
        world.testNumbers.withLock { $0 = entries }
        return world
    }

    private func unify(_ world: World, _ number: String = number, as client: String = "sandbox") async -> World.Started
    {
        await world.start(#"{"possessionType":"mobile","phoneNumber":"\#(number)","allowOTPRetry":true}"#, as: client)
    }

    /// Asks for a code as the session's client.
    private func waiting(_ world: World, _ started: World.Started) async -> App {
        let app = App(world, started)
        #expect(await app.redeem().status == 200)
        #expect(await app.post("/otp").status == 200)
        return app
    }

    private func verify(_ app: App, _ code: String) async -> Response {
        await app.post("/otp/verify", #"{"code":"\#(code)"}"#)
    }

    private func uses(_ world: World) -> [TestNumberUse] { world.testNumberUses.withLock { $0 } }

    // MARK: Every surface

    private enum Surface: CaseIterable { case unify, start, auth, initialize }

    @Test(arguments: Surface.allCases) private func `passes with its code, and nothing is sent`(surface: Surface)
        async throws
    {
        let world = try await world()
        let started: World.Started
        switch surface {
        case .unify: started = await unify(world)
        case .start: started = await world.startPrefill(Self.number, proves: false)
        case .auth:
            started = await world.startAuth(
                #""mobile":{"claim":{"mobileNumber":"\#(Self.number)"},"authenticators":{"otp":{"messageText":"a ####"}}}"#
            )
        case .initialize:
            let page = await world.client.send(
                World.request(.post, "/initialize", #"{"flowType":"mobile","phoneNumber":"\#(Self.number)"}"#))
            started = World.Started(correlationID: "", token: page.json["authToken"]?.string ?? "")
        }
        let app = await waiting(world, started)
        let answer = await verify(app, Self.code)
        #expect(answer.json["outcome"]?.string == "succeeded", "\(answer.text)")
        #expect(world.gateway.sent.isEmpty)
        #expect(uses(world) == [.asked, .passed])
    }

    /// The session's own codes have four digits, six, or as many as this one.
    @Test(arguments: [4, 6, 8])
    func `takes the whole code, and no part of it`(length: Int) async throws {
        for part in ["9876", "98765", "987654", "9876543", "987654321", "12345678"] {
            let world = try await world { $0.limits.otpCodeLength = length }
            let app = await waiting(world, await unify(world))
            #expect(await verify(app, part).status == 400, "\(part)")
            #expect(uses(world) == [.asked])
            #expect(await verify(app, Self.code).status == 200, "\(part)")
            #expect(uses(world) == [.asked, .passed])
        }
    }

    @Test func `a code that is shorter than those of the session passes as it is`() async throws {
        let short = TestNumber(
            number: PhoneNumber(e164: Self.number)!, code: OTP("9876")!, tenant: nil, createdAt: FixedClock.start,
            endsAt: FixedClock.start.adding(.seconds(100)))
        let world = try await world([short]) { $0.limits.otpCodeLength = 6 }
        let app = await waiting(world, await unify(world))
        #expect(await verify(app, "987600").status == 400)
        #expect(await verify(app, "9876").status == 200)
    }

    @Test func `asks for it again without a message`() async throws {
        let world = try await world()
        let app = await waiting(world, await unify(world))
        #expect(await app.post("/otp/resend").status == 200)
        #expect(await verify(app, Self.code).status == 200)
        #expect(world.gateway.sent.isEmpty)
        #expect(uses(world) == [.asked, .asked, .passed])
    }

    @Test func `a session changes to it, and from it to a number that gets a message`() async throws {
        let world = try await world()
        let app = await waiting(world, await unify(world, Self.other))
        #expect(world.gateway.sent.count == 1)
        #expect(await app.post("/otp/phone", #"{"phoneNumber":"\#(Self.number)"}"#).status == 200)
        #expect(world.gateway.sent.count == 1)
        #expect(await verify(app, Self.code).status == 200)

        let back = await waiting(world, await unify(world))
        let third = "+16505554444"
        #expect(await back.post("/otp/phone", #"{"phoneNumber":"\#(third)"}"#).status == 200)
        let sent = try #require(world.gateway.sent.last)
        #expect(sent.to.text == third)
        #expect(await verify(back, Self.code).status == 400)
        #expect(await verify(back, try #require(sent.code?.text)).status == 200)
    }

    @Test func `a link to it is not sent, and the send is given back`() async throws {
        let world = try await world()
        let app = App(
            world,
            await world.start(
                #"{"possessionType":"desktop","phoneNumber":"\#(Self.number)","finalTargetUrl":"https://app.example/x"}"#
            ))
        #expect(await app.redeem(fallback: "link").status == 200)
        let answer = await app.post("/link")
        #expect(refusal(of: answer) == "sms_failed")
        #expect(allowed(by: answer).contains("link.start"))
        #expect(world.gateway.sent.isEmpty)
        let report = try #require(world.reports.withLock { $0 }.last)
        #expect(report.contains("test number") && !report.contains(Self.number))
    }

    // MARK: Until its end

    @Test(arguments: [(99, true), (100, false)]) func `passes until its end, the end not included`(
        second: Int64, passes: Bool
    ) async throws {
        let world = try await world([Self.entry(lasting: 100)])
        let app = await waiting(world, await unify(world))
        _ = world.clock.advance(seconds: second)
        #expect(await verify(app, Self.code).status == (passes ? 200 : 400))
        let next = await unify(world)
        _ = await waiting(world, next)
        #expect(world.gateway.sent.count == (passes ? 0 : 1))
    }

    @Test func `one that was removed gets a message again, and its code is nobody's`() async throws {
        let world = try await world()
        let app = await waiting(world, await unify(world))
        world.testNumbers.withLock { $0 = [] }
        #expect(await verify(app, Self.code).status == 400)
        #expect(await app.post("/otp/resend").status == 200)
        let code = try #require(world.gateway.sent.last?.code?.text)
        #expect(code != Self.code)
        #expect(await verify(app, code).status == 200)
        #expect(uses(world) == [.asked])
    }

    @Test func `one that is added does not void the code of a message`() async throws {
        let world = try await world([])
        let app = await waiting(world, await unify(world))
        world.testNumbers.withLock { $0 = [Self.entry()] }
        #expect(await verify(app, Self.code).status == 400)
        #expect(await verify(app, try #require(world.gateway.sent.last?.code?.text)).status == 200)
    }

    @Test func `is a number like any other for another API client`() async throws {
        let world = try await world([Self.entry(tenant: "sandbox-2")])
        let app = await waiting(world, await unify(world))
        #expect(world.gateway.sent.count == 1)
        #expect(await verify(app, Self.code).status == 400)
        let own = await waiting(world, await unify(world, as: "sandbox-2"))
        #expect(world.gateway.sent.count == 1)
        #expect(await verify(own, Self.code).status == 200)
    }

    @Test func `is stated to nobody`() async throws {
        for (entries, isStated) in [([Self.entry()], false), ([], true)] {
            let world = try await world(entries)
            let started = await unify(world)
            let app = await waiting(world, started)
            let code = world.gateway.sent.last?.code?.text ?? Self.code
            #expect(await verify(app, code).status == 200)
            let answer = await world.status(started, more: #","statementAudience":"p""#).json
            #expect(answer["success"] == "true" && (answer["statement"] != nil) == isStated)
        }
    }

    // MARK: Limits

    @Test func `no limit of messages holds it`() async throws {
        let world = try await world()
        for _ in 0..<100 {
            let started = await world.start(
                #"{"possessionType":"mobile","phoneNumber":"\#(Self.number)","ipAddress":"192.0.2.1"}"#)
            #expect(await verify(await waiting(world, started), Self.code).status == 200)
        }
        #expect(world.hits.withLock { $0 }.isEmpty)
        // Nor does it use up anybody else's.
        #expect(await world.send(to: Self.other, for: "192.0.2.1").status == 200)
    }

    @Test func `the limits of tries hold, over sessions and in one`() async throws {
        let world = try await world()
        for tries in [3, 2] {
            let app = await waiting(world, await unify(world))
            for _ in 0..<tries { #expect(refusal(of: await verify(app, "1111")) == "otp_mismatch") }
        }
        let app = await waiting(world, await unify(world))
        #expect(refusal(of: await verify(app, Self.code)) == "otp_mismatch", "not even the right one is looked at")
        #expect(world.hits.withLock { $0 } == [.wrongCodes])
    }

    /// L3: twelve guesses of a stranger kept the reviewers out.
    @Test func `guesses at a test number shut out nobody in another network`() async throws {
        let world = try await world()
        func guess(_ code: String, from address: String) async -> Response {
            let started = await world.start(
                #"{"possessionType":"mobile","phoneNumber":"\#(Self.number)","ipAddress":"\#(address)"}"#)
            return await verify(await waiting(world, started), code)
        }
        for index in 0..<130 { _ = await guess("1111", from: "198.51.100.\(index)") }
        #expect(await guess(Self.code, from: "198.51.100.200").status != 200)
        #expect(await guess(Self.code, from: "203.0.113.1").json["outcome"]?.string == "succeeded")
    }
}
