import HTTPServer
import Possession
import ProveSurfaces
import Sandbox
import StrictJSON
import TestSupport
import Testing
import Text
@testable import SurfaceKit
@testable import TwilioVerifySurface
@testable import SurfaceTestSupport

/// A sandbox in memory with the surface on it, and a backend that calls it.
struct TwilioWorld: Sendable {
    static let lorant = "+12001004014"
    static let right = "123456"
    static let description = VendorDescription(TwilioSurface.description, TwilioSurface.info)

    let world: World
    let client: InProcessClient
    let accounts: Accounts
    var brands: InMemoryBrands { world.brands }
    var lists: InMemoryLists { world.lists }

    init(
        _ options: World.Options = World.Options(),
        on shared: World? = nil, carries: @escaping @Sendable (OutgoingMessage.Channel) -> Bool = { _ in true }
    ) async throws {
        if let shared { world = shared } else { world = try await World(options) }
        let clock = world.clock
        let logins = ClientLogin(
            engine: world.engine, limitsFailures: options.platform.limitsFailedTokenCalls,
            rates: options.platform.requestsPerSecond > 0
                ? TenantRates(perSecond: options.platform.requestsPerSecond) : nil,
            addresses: ClientAddress(trustedProxies: AddressRanges()), certificates: .none, systemNow: { clock.now() })
        let surface = TwilioSurface(
            engine: world.engine, logins: logins, carries: carries,
            publicURL: World.publicURL, sha256: { World.digest($0) }, systemNow: { clock.now() })
        client = try InProcessClient(
            surface.routes, manualClock: options.manualClock, check: Self.description.checkDescribed)
        accounts = Accounts(world.engine, sha256: { World.digest($0) }, systemNow: { clock.now() })
    }

    /// Any number of the world, with codes that are drawn.
    static func ofAnyNumber(_ change: (inout World.Options) -> Void = { _ in }) async throws -> TwilioWorld {
        var options = World.Options()
        options.unknownNumbers = .simulate
        change(&options)
        return try await TwilioWorld(options)
    }

    func service(_ client: String = "sandbox") -> String { accounts.sids(of: ClientID(client)!).service.text }

    func account(_ client: String = "sandbox") -> String { accounts.sids(of: ClientID(client)!).account.text }

    static func basic(_ name: String, _ secret: String) -> (name: String, value: String) {
        ("Authorization", "Basic " + Base64.encode(Array("\(name):\(secret)".utf8)))
    }

    static func basic(of client: String) -> (name: String, value: String) { basic(client, "\(client)-secret") }

    // MARK: calls

    /// - Parameter path: below the service of the caller.
    func post(_ path: String, _ form: String, as client: String = "sandbox") async -> Response {
        await self.client.send(
            World.request(
                .post, "/twilio-verify/v2/Services/\(service(client))\(path)", form, [Self.basic(of: client)],
                contentType: "application/x-www-form-urlencoded"))
    }

    func get(_ path: String, as client: String = "sandbox") async -> Response {
        await self.client.send(
            World.request(
                .get, "/twilio-verify/v2/Services/\(service(client))\(path)", "", [Self.basic(of: client)],
                contentType: nil))
    }

    /// - Parameter path: below the version.
    func call(
        _ method: Method, _ path: String, _ form: String = "", as client: String = "sandbox"
    ) async -> Response {
        let parts = path.split(separator: "?", maxSplits: 1).map(String.init)
        var request = World.request(
            method, "/twilio-verify/v2\(parts[0])", form, [Self.basic(of: client)],
            contentType: method == .post ? "application/x-www-form-urlencoded" : nil)
        request.rawQuery = parts.count == 2 ? parts[1] : ""
        return await self.client.send(request)
    }

    /// A service that is added, as the beginning of the paths below it.
    func addService(_ form: String = "FriendlyName=Shop", as client: String = "sandbox") async -> String {
        "/Services/" + (await call(.post, "/Services", form, as: client)).sid
    }

    func create(
        _ number: String = lorant, _ more: String = "", by channel: String = "sms", as client: String = "sandbox"
    ) async -> Response {
        await post("/Verifications", "To=\(Self.encoded(number))&Channel=\(channel)\(more)", as: client)
    }

    func check(_ code: String, _ number: String = lorant) async -> Response {
        await post("/VerificationCheck", "To=\(Self.encoded(number))&Code=\(code)")
    }

    func update(_ sid: String, _ status: String) async -> Response {
        await post("/Verifications/\(sid)", "Status=\(status)")
    }

    static func encoded(_ text: String) -> String { PercentCoding.encode(text) }
}

extension Response {
    /// Code of an error in the vendor's shape.
    var code: Int64? { json["code"]?.integer }
    var sid: String { json["sid"]?.string ?? "" }
    var state: String? { json["status"]?.string }
}
