import ClientSurfaces
import OperationsSurfaces
import ProveSurfaces
import SandboxSurfaces
import ServerDescription
import SurfaceKit
import HTTPServer
import Locks
import StrictJSON
import TestSupport
import Testing

@testable import Engine
@testable import Possession
@testable import SurfaceTestSupport

/// A backend sends and verifies without any client of ours.
@Suite(.timeLimit(.minutes(60))) struct BackendOperationsTests {
    private static let lorant = #"{"possessionType":"mobile","phoneNumber":"2001004014"}"#
    private static let tenant = ClientID("sandbox")!

    private struct Run {
        let world: World
        let started: World.Started
        let commands: SessionCommands
        let key: SessionKey

        init() async throws {
            world = try await World()
            started = await world.start(BackendOperationsTests.lorant)
            commands = SessionCommands(world.engine)
            key = .correlation(try #require(CorrelationID(started.correlationID)))
        }

        func carryOut(
            _ command: SessionCommand, for tenant: ClientID = BackendOperationsTests.tenant
        ) async throws -> OperationReply? {
            try await Admission(world.engine, in: SessionFence(tenant: tenant, products: nil)).perform(
                command, on: key, retry: nil)
        }

        func redeem() async throws -> OperationReply? {
            try await carryOut(
                try commands.redeem(.init(platform: .web, fallback: .otp, deviceKey: false, cellular: .no)))
        }
    }

    @Test func `sends a code and verifies it`() async throws {
        let run = try await Run()
        #expect(try await run.redeem()?.session.phase == .active(.otpStart))
        let sent = try await run.carryOut(try run.commands.sendCode(.first(nil), from: nil))
        #expect(sent?.refusal == nil && sent?.session.phase == .active(.otpFinish))
        #expect(run.world.gateway.sent.map(\.code) == [OTP("1234")])
        let wrong = try await run.carryOut(run.commands.checkCode(OTP("9999")!))
        #expect(wrong?.refusal == .otpMismatch)
        #expect(wrong?.session.outcome == .failed, "one try where the backend allowed no more")
    }

    @Test func `proves the number with the right code`() async throws {
        let run = try await Run()
        _ = try await run.redeem()
        _ = try await run.carryOut(try run.commands.sendCode(.first(nil), from: nil))
        let right = try await run.carryOut(run.commands.checkCode(OTP("1234")!))
        #expect(right?.refusal == nil && right?.session.outcome == .succeeded)
        #expect(await run.world.status(run.started).json["success"] == "true")
    }

    @Test func `gives a send back that the carrier refuses`() async throws {
        let run = try await Run()
        let before = try await run.redeem()?.session.sends.sendsLeft
        run.world.gateway.refuse(true)
        let refused = try await run.carryOut(try run.commands.sendCode(.first(nil), from: nil))
        #expect(refused?.refusal == .messageFailed)
        #expect(refused?.session.sends.sendsLeft == before && refused?.session.phase == .active(.otpStart))
    }

    @Test func `acts for no other tenant's session`() async throws {
        let run = try await Run()
        let redeem = try run.commands.redeem(.init(platform: .web, fallback: .otp, deviceKey: false, cellular: .no))
        #expect(try await run.carryOut(redeem, for: ClientID("sandbox-2")!) == nil)
        #expect(try await run.world.store.session(run.key)?.binding == .unbound)
    }

    @Test func `a session is a client's or its backend's, never both`() async throws {
        let backends = try await Run()
        _ = try await backends.redeem()
        let app = App(backends.world, backends.started)
        #expect(refusal(of: await app.redeem()) == "token_already_used")
        #expect(refusal(of: await app.post("/otp")) == "token_already_used")
        #expect(try await backends.carryOut(backends.commands.cancel())?.session.outcome == .cancelled)

        let clients = try await Run()
        _ = await App(clients.world, clients.started).redeem()
        #expect(try await clients.redeem() == nil)
        #expect(try await clients.carryOut(try clients.commands.sendCode(.first(nil), from: nil)) == nil)
        #expect(clients.world.gateway.sent.isEmpty)
    }

    @Test func `nothing is sent before the session is redeemed`() async throws {
        let run = try await Run()
        let early = try await run.carryOut(try run.commands.sendCode(.first(nil), from: nil))
        #expect(early?.refusal == .invalidState)
        #expect(run.world.gateway.sent.isEmpty)
    }
}
