import HTTPServer
import Engine
import Possession
import ProveSurfaces
import Sandbox
import StrictJSON
import TestSupport
import Testing
import Text
@testable import HookSurface
@testable import SurfaceKit
@testable import SurfaceTestSupport

/// A server in memory with the surface on it, and the servers that call it.
struct HookWorld: Sendable {
    static let number = "+12065550123"
    static let description = VendorDescription(HookSurface.description, HookSurface.info)

    let world: World
    let client: InProcessClient

    /// - Parameter change: of a live server without limits.
    init(_ options: World.Options? = nil, _ change: (inout World.Options) -> Void = { _ in }) async throws {
        var options = options ?? World.Options()
        options.unknownNumbers = .simulate
        change(&options)
        world = try await World(options)
        let clock = world.clock
        let logins = ClientLogin(
            engine: world.engine, limitsFailures: options.platform.limitsFailedTokenCalls,
            rates: options.platform.requestsPerSecond > 0
                ? TenantRates(perSecond: options.platform.requestsPerSecond) : nil,
            addresses: ClientAddress(trustedProxies: AddressRanges()), certificates: .none, systemNow: { clock.now() })
        let surface = HookSurface(
            engine: world.engine, logins: logins, mac: { World.digest($0 + $1) }, systemNow: { clock.now() })
        client = try InProcessClient(
            surface.routes, manualClock: options.manualClock, check: Self.description.answers.check)
    }

    /// As `holdfast clients hook-secret` makes it of a secret of the client's.
    func secret(_ client: String = "sandbox", of own: String? = nil) -> [UInt8] {
        let id = ClientID(client)!
        return world.engine.crypto.keyed.hook(world.engine.crypto.keyed.secret(own ?? "\(client)-secret", id), id)
    }

    // MARK: Supabase Auth

    /// A signed call.
    /// - Parameters:
    ///   - secrets: of the sender, who signs with all of them, as they are given out.
    ///   - keys: that the sender signs with in their place.
    ///   - age: of the signature, in seconds.
    func supabase(
        _ body: String, as name: String = "sandbox", by secrets: [[UInt8]]? = nil,
        keys: [[UInt8]]? = nil, id: String = "m-1", age: Int64 = 0, sent: String? = nil
    ) async -> Response {
        let time = world.clock.now().seconds - age
        let message = Array("\(id).\(time).\(body)".utf8)
        let keys = keys ?? (secrets ?? [secret(name)]).map { HookSecret($0).keys[0] }
        let codes = keys.map { "v1," + Base64.encode(World.digest($0 + message)) }
        return await client.send(
            World.request(
                .post, "/hooks/supabase/\(name)", sent ?? body,
                [
                    ("webhook-id", id), ("webhook-timestamp", "\(time)"),
                    ("webhook-signature", codes.joined(separator: ", ")),
                ]))
    }

    static func supabaseBody(_ code: String = "123456", phone: String = "12065550123") -> String {
        #"{"metadata":{"uuid":"u","ip_address":"192.0.2.7"},"user":{"id":"u","phone":"","identities":[]},"#
            + #""sms":{"otp":"\#(code)","sms_type":"confirmation","phone":"\#(phone)"}}"#
    }

    // MARK: Zitadel, Ory Kratos

    func basic(_ name: String = "sandbox", _ secret: [UInt8]? = nil) -> (name: String, value: String) {
        basic(name, shown: HookSecret(secret ?? self.secret(name)).text)
    }

    func basic(_ name: String = "sandbox", shown: String) -> (name: String, value: String) {
        ("Authorization", "Basic " + Base64.encode(Array("\(name):\(shown)".utf8)))
    }

    func zitadel(_ body: String) async -> Response {
        await client.send(World.request(.post, "/hooks/zitadel", body, [basic()]))
    }

    static func zitadelBody(_ arguments: String = #""code":"123456""#) -> String {
        #"{"contextInfo":{"eventType":"user.human.phone.code.added","provider":{"id":"3"},"#
            + #""recipientPhoneNumber":"+12065550123"},"templateData":{"text":"Your code"},"args":{\#(arguments)}}"#
    }

    func kratos(
        _ code: String = "123456", to number: String = number, _ headers: [(name: String, value: String)]? = nil
    ) async -> Response {
        await client.send(
            World.request(
                .post, "/hooks/kratos", #"{"to":"\#(number)","code":"\#(code)"}"#, headers ?? [basic()]))
    }

    /// The codes that have left, in their order.
    var codes: [String] { world.gateway.sent.compactMap { $0.code?.text } }
}

extension Response {
    /// `http_code` of an error in the body, whatever the status is.
    var hookError: Int64? { json["error"]?.object?["http_code"]?.integer }
    var hookMessage: String { json["error"]?.object?["message"]?.string ?? "" }
}
