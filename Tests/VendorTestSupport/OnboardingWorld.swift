import HTTPServer
import Locks
import Engine
import Possession
import ProveSurfaces
import Sandbox
import StrictJSON
import TestSupport
import Testing
import Text
import Tokens
@testable import OnboardingSurface
@testable import SurfaceKit
@testable import SurfaceTestSupport

/// Finds whom a test says.
final class FakeFinder: PersonFinder {
    private let people: @Sendable (Identification) async throws(IdentityFault) -> FoundPerson?
    let asked = Locked<[Identification]>([])

    init(_ people: @escaping @Sendable (Identification) async throws(IdentityFault) -> FoundPerson?) {
        self.people = people
    }

    func person(
        _ identification: Identification, for client: ClientID
    ) async throws(IdentityFault) -> FoundPerson? {
        asked.withLock { $0.append(identification) }
        return try await people(identification)
    }
}

/// A server in memory with the surface on it, and an app that calls it plainly.
struct OnboardingWorld: Sendable {
    static let description = VendorDescription(OnboardingSurface.description, OnboardingSurface.info)
    static let lorant = PhoneNumber(e164: "+12001004014")!
    /// Credentials of Lorant, and of nobody.
    static let known = #"{"clientNumber":"12345"}"#
    static let unknown = #"{"clientNumber":"99999"}"#

    let world: World
    let finder: FakeFinder
    let devices: PowerAuthProtocol
    /// Apps of the API client `sandbox` are built with them.
    let keys: ApplicationKeys
    let client: InProcessClient

    /// - Parameter finder: `nil`: it knows Lorant.
    init(
        _ options: World.Options = World.Options(), isSandbox: Bool = true, acceptsPlain: Bool = true,
        finder: FakeFinder? = nil
    ) async throws {
        let random = SystemRandom().randomBytes
        let sealer = try Sealer(
            key: SecretBytes(SystemRandom().bytes(32)), now: { Self.machineTime }, randomBytes: random)
        devices = PowerAuthProtocol(
            sealer: sealer, randomBytes: random, startedAt: Self.machineTime.adding(.seconds(-600)),
            temporarySecrets: InMemoryTemporarySecrets(), usedNames: InMemoryUsedNames())
        keys = try devices.makeApplicationKeys()
        var options = options
        let applications = InMemoryApplicationKeys()
        _ = try await applications.add(keys, to: ClientID("sandbox")!)
        options.applications = applications
        world = try await World(options)
        let clock = world.clock
        self.finder =
            finder
            ?? FakeFinder { (said) throws(IdentityFault) in
                said.entries == [.init("clientNumber", "12345")] ? FoundPerson(target: .number(Self.lorant)) : nil
            }
        let platform = PlatformSurface(engine: world.engine, settings: options.platform, systemNow: { clock.now() })
        var settings = OnboardingSurface.Settings(
            version: "1.2.3", isSandbox: isSandbox, trustedProxies: try AddressRanges(list: "192.0.2.9"))
        if acceptsPlain { settings.plainClient = ClientID("sandbox") }
        let gateway = world.gateway
        settings.sentCode = { session in
            gateway.sent.last { $0.correlationID == session.correlationID }?.code?.text
        }
        let surface = OnboardingSurface(
            engine: world.engine, settings: settings, finder: self.finder, devices: devices, logins: platform.logins,
            callers: platform.callers,
            systemNow: { Self.machineTime })
        client = try InProcessClient(
            surface.routes, areas: surface.areas, manualClock: options.manualClock,
            check: Self.description.checkDescribed)
    }

    /// By the machine's clock, which stands still while the sandbox's moves.
    static let machineTime = Timestamp(milliseconds: 1_800_000_000_000)

    /// A world in which the limits of live hold, and nothing is told of messages.
    static func live(
        _ change: (inout Possession.Limits.OverSessions) -> Void = { _ in }, finder: FakeFinder? = nil
    ) async throws -> OnboardingWorld {
        var options = World.limited(change)
        options.isSandbox = false
        return try await OnboardingWorld(options, isSandbox: false, finder: finder)
    }

    /// - Parameter path: below `/api/onboarding`.
    func post(
        _ path: String, _ object: String, from address: String = "198.51.100.1", language: String? = nil
    ) async -> Response {
        var request = World.request(
            .post, "/api/onboarding\(path)", #"{"requestObject":\#(object)}"#,
            language.map { [("Accept-Language", $0)] } ?? [])
        request.peer = PeerAddress(IPAddress(address))
        return await client.send(request)
    }

    func start(_ said: String = known, from address: String = "198.51.100.1") async -> Response {
        await post("/start", #"{"identification":\#(said)}"#, from: address)
    }

    /// - Parameter path: below `/pa/v3`.
    func device(
        _ path: String, _ body: String, _ headers: [(String, String)] = [], from address: String = "198.51.100.1"
    ) async -> Response {
        var request = World.request(.post, "/pa/v3\(path)", body, headers)
        request.peer = PeerAddress(IPAddress(address))
        return await client.send(request)
    }

    /// Points of P-256 in both forms: the generator (SEC 2 section 2.4.2).
    static let points = [
        "A2sX0fLhLEJH+Lzm5WOkQPJ3A32BLeszoPShOUXYmMKW",
        "BGsX0fLhLEJH+Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT+NC4v4af5uO5+tKfA+eFivOM1drMV7Oy7ZAaDe/UfU=",
    ]

    /// Orders an activation by a plain call.
    func activate(
        _ process: String, _ code: String, _ point: String = points[0], from address: String = "198.51.100.1"
    ) async -> Response {
        let identity = #"{"processId":"\#(process)","otpCode":"\#(code)","credentialsType":"ONBOARDING"}"#
        let phone = #"{"devicePublicKey":"\#(point)","activationName":"Ada's phone"}"#
        return await device(
            "/activation/create",
            #"{"requestObject":{"type":"CUSTOM","identityAttributes":\#(identity),"activationData":\#(phone)}}"#,
            from: address)
    }

    func call(_ path: String, _ process: String) async -> Response {
        await post(path, #"{"processId":"\#(process)"}"#)
    }
}

extension Response {
    var answered: JSONObject { json["responseObject"]?.object ?? JSONObject() }
    var processID: String { answered["processId"]?.string ?? "" }
    var processState: String? { answered["onboardingStatus"]?.string }
    var failure: String? { answered["code"]?.string }
}
