import HTTPServer
import Possession
import StrictJSON
import TestSupport
import Testing

/// What was told as over stays over when a sandbox's clock goes back, and for a call that took its time before
/// (DUR-13, OTP-03).
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

    /// A call reads the clock, then waits for its transaction. Meanwhile another call tells the session as expired.
    @Test func `a call that took its time before cannot pass after somebody was told false`() async throws {
        let world = try await World()
        let (_, started) = await waiting(world)
        let before = world.clock.now()
        _ = world.clock.advance(seconds: 900)
        #expect(await world.status(started).json["success"] == "false")
        let passed = try await world.engine.sessions.update(
            .auth(AuthID(started.authID)!), SessionLookup(), freshProveID: try world.engine.freshID(at: before)
        ) { unit in
            unit.session.settle(at: before)
            unit.session.completeInSandbox(success: true, stranger: nil, at: before, rules: world.engine.rules)
            return unit.session.proof != nil
        }
        #expect(passed == false)
        #expect(await world.status(started).json["success"] == "false")
    }
}

extension Engine {
    fileprivate func freshID(at now: Timestamp) throws -> ProveID {
        ProveID(at: now, random: UInt128(UInt64.random(in: 0...UInt64.max)))
    }
}
