import ClientSurfaces
import OperationsSurfaces
import ProveSurfaces
import SandboxSurfaces
import ServerDescription
import SurfaceKit
import HTTPServer
import Locks
@testable import Engine
@testable import Possession
@testable import SurfaceTestSupport
import TestSupport
import Testing

/// Rules that every change of a session has in common, whichever service makes it.
@Suite(.timeLimit(.minutes(60))) struct ChangeRunnerTests {
    private static let lorant = #"{"possessionType":"mobile","phoneNumber":"2001004014"}"#
    private static let tenant = ClientID("sandbox")!

    private struct Refused: Error {}

    private func world() async throws -> (World, id: CorrelationID) {
        let world = try await World()
        let started = await world.start(Self.lorant)
        return (world, try #require(CorrelationID(started.correlationID)))
    }

    private func stored(_ world: World, _ id: CorrelationID) async throws -> Session {
        try #require(try await world.store.session(.correlation(id)))
    }

    @Test func `a rule that throws leaves nothing behind`() async throws {
        let (world, id) = try await world()
        let before = try await stored(world, id)
        let key = LimitKey(.wrongCodes, Array("somebody".utf8))
        var lookup = ChangeInputs()
        lookup.limitKeys = { _, _ in [key] }
        let now = world.clock.now()
        let changed = try await world.engine.change(
            .correlation(id), by: .caller(SessionFence(tenant: Self.tenant)), lookup, at: now
        ) { (change) throws(Refused) in
            change.session.cancel(at: now)
            change.tallies.countFailure([key], by: Limits.OverSessions(), at: now)
            change.tallies.note(.failuresInARow)
            throw Refused()
        }
        guard case .refused(_, let session) = changed else { return #expect(Bool(false), "\(changed)") }
        #expect(session == before)
        #expect(try await stored(world, id) == before)
        #expect(try await world.store.tallies([key])[key]?.failuresInARow ?? 0 == 0)
        #expect(world.hits.withLock { $0 } == [.failuresInARow], "what was hit is told all the same")
        #expect(world.announced.withLock { $0 } == [])
    }

    @Test func `what time has ended is stored even when the rule throws, as a revision of its own`() async throws {
        let (world, id) = try await world()
        let before = try await stored(world, id)
        _ = world.clock.advance(seconds: 900)
        let changed = try await world.engine.change(
            .correlation(id), by: .caller(SessionFence(tenant: Self.tenant)), at: world.clock.now()
        ) { (_) throws(Refused) -> Void in throw Refused() }
        guard case .refused = changed else { return #expect(Bool(false), "\(changed)") }
        let session = try await stored(world, id)
        #expect(session.outcome == .expired && session.revision == before.revision + 1)
        #expect(world.announced.withLock { $0 } == [session.authID])
    }

    @Test func `a backend changes its own sessions only, and ends no other's`() async throws {
        let (world, id) = try await world()
        let before = try await stored(world, id)
        _ = world.clock.advance(seconds: 900)
        let changed = try await world.engine.change(
            .correlation(id), by: .caller(SessionFence(tenant: ClientID("sandbox-2")!)), at: world.clock.now()
        ) { (change) throws(Never) in change.session.cancel(at: before.createdAt) }
        guard case .unknown = changed else { return #expect(Bool(false), "\(changed)") }
        #expect(try await stored(world, id) == before)
    }

    @Test func `nobody but the server changes a session of a revoked tenant`() async throws {
        let (world, id) = try await world()
        let before = try await stored(world, id)
        let now = world.clock.now()
        _ = try await world.store.revokeTenant(Self.tenant, at: now)
        for author in [ChangeAuthor.caller(SessionFence(tenant: Self.tenant)), .caller(.all)] {
            let changed = try await world.engine.change(.correlation(id), by: author, at: now) {
                (change) throws(Never) in change.session.cancel(at: now)
            }
            guard case .revoked = changed else { return #expect(Bool(false), "\(changed)") }
        }
        #expect(try await stored(world, id) == before)
        _ = try await world.engine.change(.correlation(id), by: .server, at: now) { (change) throws(Never) in
            change.session.cancel(at: now)
        }
        #expect(try await stored(world, id).outcome == .cancelled)
    }

    @Test func `what hangs on a change is stored with it, and sees it as it will be stored`() async throws {
        let (world, id) = try await world()
        let before = try await stored(world, id)
        let now = world.clock.now()
        var lookup = ChangeInputs()
        lookup.retry = RetryKey(path: "/p", requestID: "r", body: BodyDigest([1]))
        _ = try await world.engine.change(
            .correlation(id), by: .server, lookup, at: now,
            append: { change, _ in
                change.reply = KeptReply(
                    requestBody: BodyDigest([1]), reply: OperationReply(refusal: nil, session: change.session), at: nil)
            }
        ) { (change) throws(Never) in change.session.cancel(at: now) }
        let kept = try await world.store.update(
            .correlation(id), lookup, freshHolderID: HolderID(bits: 1)
        ) { $0.earlierReply?.reply.session.revision }
        #expect(kept == before.revision + 1)
    }

    @Test func `those who wait are told of each change, and not of a stranger's attempt`() async throws {
        let world = try await World()
        let started = await world.start(Self.lorant)
        let app = App(world, started)
        let id = try #require(AuthID(app.authID))
        _ = await app.redeem()
        #expect(world.announced.withLock { $0 } == [id])
        #expect(await App(world, started, key: FakeKey(2)).post("/otp").status == 401)
        #expect(world.announced.withLock { $0 } == [id], "a stranger's attempt")
        _ = await app.post("/otp")
        _ = await app.post("/otp/verify", #"{"code":"9999"}"#)
        #expect(world.announced.withLock { $0 } == [id, id, id], "a wrong code spends a try")
        _ = await app.post("/otp")
        #expect(world.announced.withLock { $0 } == [id, id, id], "a refused call")
    }

    @Test func `a hop that comes too late is told to those who wait`() async throws {
        let world = try await World()
        world.carrier.answer(.success(.verified(true)))
        let walk = await (await world.native()).beginMobileAuth()
        let before = world.announced.withLock { $0.count }
        _ = world.clock.advance(seconds: 60)
        #expect(await walk.go().status == 410)
        #expect(world.announced.withLock { $0.count } == before + 1)
        #expect(await walk.go().status == 410)
        #expect(world.announced.withLock { $0.count } == before + 1, "nothing new")
    }
}
