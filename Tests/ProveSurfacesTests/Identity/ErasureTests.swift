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

/// `DELETE /v3/identity/{proveId}` takes all that the tenant keeps of the number (DAT-10).
@Suite struct ErasureTests {
    private static let lorant = #"{"possessionType":"mobile","phoneNumber":"2001004014","clientRequestId":"u-1"}"#

    /// Redeems a new session and shows the device's key; the answer, the app and the session.
    private func show(
        _ device: FakeKey, _ world: World, key: UInt8
    ) async -> (answer: Response, app: App, started: World.Started) {
        let started = await world.start(Self.lorant)
        let app = App(world, started, key: FakeKey(key))
        let challenge = await app.redeem(deviceKey: true).json["device"]?.object?["challenge"]?.string ?? ""
        let proof = device.deviceProof(session: started.authID, challenge: challenge, sessionKey: app.key)
        return (await app.post("/device", #"{"proof":"\#(proof)"}"#), app, started)
    }

    private func bind(_ device: FakeKey, _ world: World, key: UInt8) async -> String {
        let (_, app, started) = await show(device, world, key: key)
        _ = await app.post("/otp")
        _ = await app.post("/otp/verify", #"{"code":"1234"}"#)
        return await world.status(started).json["proveId"]?.string ?? ""
    }

    @Test func `erases a proven number that nobody enrolled, whose device key proves it no more`() async throws {
        let world = try await World()
        let device = FakeKey(9)
        let id = await bind(device, world, key: 1)
        #expect(await show(device, world, key: 2).answer.json["outcome"] == "succeeded")
        let erased = await world.call(.delete, "/v3/identity/\(id)")
        #expect(erased.status == 200)
        #expect(erased.text == #"{"success":true,"erased":{"identities":1,"deviceKeys":1,"sessions":2}}"#)
        #expect(SDKShape.defects(of: erased.body, successIsText: false) == [])
        #expect(await world.call(.delete, "/v3/identity/\(id)").status == 404)
        let again = await show(device, world, key: 3).answer
        #expect(again.json["outcome"] == nil && again.json["device"]?.object?["status"] == "pending")
        let other = await bind(FakeKey(8), world, key: 4)
        #expect(!other.isEmpty && other != id)
    }

    @Test func `ends open sessions of the number, and leaves those of others`() async throws {
        let world = try await World()
        let id = await world.enrol("2001004014")
        let open = App(world, await world.start(Self.lorant))
        _ = await open.redeem()
        _ = await open.post("/otp")
        let started = await world.start(#"{"possessionType":"mobile","phoneNumber":"2001004015"}"#)
        let bystander = App(world, started, key: FakeKey(2))
        #expect(await bystander.redeem().status == 200)
        let erased = await world.call(.delete, "/v3/identity/\(id)").json["erased"]?.object
        #expect(erased?["sessions"] == 1)
        #expect(await open.post("/otp/verify", #"{"code":"1234"}"#).status == 401)
        #expect(await open.read().status == 401)
        #expect(await bystander.read().status == 200)
    }

    @Test func `leaves what another tenant keeps of the number`() async throws {
        let world = try await World()
        let mine = await world.enrol("2001004014")
        let theirs = await world.enrol("2001004014", as: "sandbox-2")
        let started = await world.start(Self.lorant, as: "sandbox-2")
        #expect(await world.call(.delete, "/v3/identity/\(theirs)").status == 404)
        #expect(await world.call(.delete, "/v3/identity/\(mine)").status == 200)
        #expect(await world.call(.get, "/v3/identity/\(theirs)", as: "sandbox-2").status == 200)
        #expect(await world.status(started, as: "sandbox-2").status == 200)
    }
}
