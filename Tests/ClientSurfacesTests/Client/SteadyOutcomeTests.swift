import HTTPServer
import Engine
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport

/// An end that was told stays, when a sandbox's clock goes back and for a call that read the clock before (DUR-13, OTP-03).
@Suite struct SteadyOutcomeTests {
    private func reset(_ world: World) async {
        #expect(await world.post("/sandbox/clock", #"{"reset":true}"#).status == 200)
    }

    private func waiting(_ world: World) async -> (app: App, started: World.Started) {
        let started = await world.start(World.mobile)
        let app = App(world, started)
        _ = await app.redeem()
        _ = await app.post("/otp")
        return (app, started)
    }

    @Test func `a code that was late stays late`() async throws {
        let world = try await World()
        let (app, _) = await waiting(world)
        _ = await world.post("/sandbox/clock", #"{"advanceSeconds":121}"#)
        #expect(refusal(of: await app.post("/otp/verify", #"{"code":"1234"}"#)) == "otp_expired")
        await reset(world)
        #expect(refusal(of: await app.post("/otp/verify", #"{"code":"1234"}"#)) == "otp_expired")
        #expect(await app.post("/otp/resend").status == 200)
        #expect(await app.post("/otp/verify", #"{"code":"1234"}"#).json["outcome"] == "succeeded")
    }

    @Test func `a result that was told as false stays so`() async throws {
        let world = try await World()
        let (app, started) = await waiting(world)
        _ = await world.post("/sandbox/clock", #"{"advanceSeconds":901}"#)
        #expect(await world.status(started).json["success"] == "false")
        await reset(world)
        #expect(refusal(of: await app.post("/otp/verify", #"{"code":"1234"}"#)) == "session_done")
        #expect(await world.status(started).json["success"] == "false")
    }

    @Test func `a session that a list or a timeline showed as expired stays so`() async throws {
        for path in ["/sandbox/sessions", nil] {
            let world = try await World()
            let (app, started) = await waiting(world)
            _ = await world.post("/sandbox/clock", #"{"advanceSeconds":901}"#)
            #expect(await world.get(path ?? "/sandbox/sessions/\(started.correlationID)").text.contains("expired"))
            await reset(world)
            #expect(refusal(of: await app.post("/otp/verify", #"{"code":"1234"}"#)) == "session_done")
        }
    }

    // MARK: Mobile Auth

    private func begun(_ world: World) async -> (app: App, walk: MobileAuthWalk) {
        world.carrier.answer(.success(.verified(true)))
        let app = await world.native()
        return (app, await app.beginMobileAuth())
    }

    private func advance(_ world: World, _ seconds: Int) async {
        #expect(await world.post("/sandbox/clock", #"{"advanceSeconds":\#(seconds)}"#).status == 200)
    }

    @Test func `a ticket that was late stays late, and another attempt passes`() async throws {
        let world = try await World()
        let (app, walk) = await begun(world)
        await advance(world, 60)
        #expect(await walk.go().status == 410)
        await reset(world)
        #expect(await walk.go().status == 410)
        let again = await app.beginMobileAuth()
        let fingerprint = try #require(await again.follow())
        #expect(await app.post("/mobile-auth/finish", again.finishBody(fingerprint)).json["outcome"] == "succeeded")
    }

    @Test func `a way through the operator that took too long stays too long`() async throws {
        let world = try await World()
        let (app, walk) = await begun(world)
        #expect(await walk.go().status == 302)
        await advance(world, 600)
        #expect(await walk.comeBack().status == 410)
        await reset(world)
        #expect(await walk.comeBack().status == 410)
        #expect(await app.post("/mobile-auth/finish", walk.giveUpBody).status == 200)
    }

    @Test func `a fingerprint that had expired stays so, and another attempt passes`() async throws {
        let world = try await World()
        let (app, walk) = await begun(world)
        let late = try #require(await walk.follow())
        await advance(world, 600)
        #expect(refusal(of: await app.post("/mobile-auth/finish", walk.finishBody(late))) == "vfp_expired")
        await reset(world)
        #expect(refusal(of: await app.post("/mobile-auth/finish", walk.finishBody(late))) == "vfp_expired")
        let again = await app.beginMobileAuth()
        #expect(refusal(of: await app.post("/mobile-auth/finish", walk.finishBody(late))) == "vfp_invalid")
        let fingerprint = try #require(await again.follow())
        #expect(await app.post("/mobile-auth/finish", again.finishBody(fingerprint)).json["outcome"] == "succeeded")
    }

    // MARK: Tokens

    @Test func `a session whose token was told as expired stays over`() async throws {
        let world = try await World()
        let (app, started) = await waiting(world)
        await advance(world, 931)
        #expect(await app.post("/otp/verify", #"{"code":"1234"}"#).status == 401)
        await reset(world)
        #expect(refusal(of: await app.post("/otp/verify", #"{"code":"1234"}"#)) == "session_done")
        #expect(await world.status(started).json["success"] == "false")
    }

    @Test func `a run of a page that was told as ended stays so`() async throws {
        let world = try await World()
        let page = WebPage(world)
        _ = await page.initialize(World.marcia, #","ssn":"6227""#)
        await advance(world, 901)
        let ended = await page.post("/verify")
        #expect(ended.status >= 400)
        await reset(world)
        await page.prove()
        let after = await page.post("/verify")
        #expect(after.status == ended.status && after.text == ended.text)
    }

    /// A call reads the clock, then waits for its transaction. Meanwhile another call tells the session as expired.
    @Test func `a call that took its time before cannot pass after somebody was told false`() async throws {
        let world = try await World()
        let (_, started) = await waiting(world)
        let before = world.clock.now()
        _ = world.clock.advance(seconds: 900)
        #expect(await world.status(started).json["success"] == "false")
        let passed = try await world.store.update(
            .auth(AuthID(started.authID)!), ChangeInputs(), freshHolderID: try world.engine.freshID(at: before)
        ) { change in
            change.session.expire(at: before)
            change.session.complete(success: true, numberIfUnknown: nil, at: before, rules: world.engine.rules)
            return change.session.proof != nil
        }
        #expect(passed == false)
        #expect(await world.status(started).json["success"] == "false")
    }
}

extension Engine {
    fileprivate func freshID(at now: Timestamp) throws -> HolderID {
        HolderID(at: now, random: UInt128(UInt64.random(in: 0...UInt64.max)))
    }
}
