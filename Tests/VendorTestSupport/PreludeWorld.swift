import HTTPServer
import Engine
import Possession
@testable import PreludeSurface
@testable import SurfaceTestSupport
import ProveSurfaces
import StrictJSON
import SurfaceKit
import TestSupport
import Testing
import Text

/// A sandbox with the Prelude surface, and calls as its SDKs make them.
struct PreludeWorld: Sendable {
    let world: World
    var lists: InMemoryLists { world.lists }
    let client: InProcessClient

    static let description = VendorDescription(PreludeSurface.description, PreludeSurface.info)
    static let lorant = "+12001004014"
    /// A number of the world, where no sandbox user is.
    static let stranger = "+12015550123"

    init(
        _ options: World.Options = World.Options(), on shared: World? = nil, app: String? = "sandbox"
    ) async throws {
        if let shared { world = shared } else { world = try await World(options) }
        let platform = PlatformSurface(
            engine: world.engine, settings: options.platform, systemNow: { [clock = world.clock] in clock.now() })
        var settings = PreludeSurface.Settings(
            publicURL: World.publicURL, isSandbox: options.isSandbox, trustedProxies: AddressRanges())
        settings.appClient = app.flatMap { ClientID($0) }
        settings.appOrigins = ["https://shop.example"]
        let surface = PreludeSurface(
            engine: world.engine, settings: settings,
            logins: platform.logins, callers: platform.callers, webhookKeys: PlayedWebhookKeys(),
            isOriginListed: { $0.isSame(as: "https://app.example") })
        client = try InProcessClient(
            surface.routes, manualClock: options.manualClock,
            check: { response, request in
                // The same call by another path, which is not described.
                guard request.routePattern?.isSame(as: NoteSignals.joinedPath) != true else { return }
                Self.description.answers.check(response, to: request)
            })
    }

    /// Codes are drawn, and every number of the plan is served.
    static func ofTheWorld(_ change: (inout World.Options) -> Void = { _ in }) async throws -> PreludeWorld {
        var options = World.Options()
        options.users = nil
        options.rules.callingCodes = ["1"]
        change(&options)
        return try await PreludeWorld(options)
    }

    static func key(_ client: String = "sandbox") -> (name: String, value: String) {
        ("Authorization", "Bearer hf_test_\(client)")
    }

    func call(
        _ method: Method, _ path: String, _ body: String = "", as client: String = "sandbox",
        headers: [(name: String, value: String)] = [], query: String = ""
    ) async -> Response {
        var request = World.request(
            method, "/prelude" + path, body, [Self.key(client)] + headers,
            contentType: body.isEmpty ? nil : "application/json")
        request.rawQuery = query
        return await self.client.send(request)
    }

    /// Creates a verification. `more` has the members of the body behind `target`.
    func create(
        _ number: String = lorant, _ more: String = "", as client: String = "sandbox",
        headers: [(name: String, value: String)] = []
    ) async -> Response {
        await call(
            .post, "/v2/verification", #"{"target":{"type":"phone_number","value":"\#(number)"}\#(more)}"#,
            as: client, headers: headers)
    }

    func check(_ code: String, _ number: String = lorant, as client: String = "sandbox") async -> Response {
        await call(
            .post, "/v2/verification/check",
            #"{"target":{"type":"phone_number","value":"\#(number)"},"code":"\#(code)"}"#, as: client)
    }

    /// The status of a check.
    func checked(_ code: String, _ number: String = lorant, as client: String = "sandbox") async -> String? {
        await check(code, number, as: client).json["status"]?.string
    }

    /// The codes of all messages, in order.
    var codes: [String] { world.gateway.sent.compactMap { $0.code?.text } }

    // MARK: phones

    static let dispatch = "123e4567-e89b-12d3-a456-426614174000"

    /// A call as the SDK on a phone sends it.
    func signal(
        _ method: Method, key: String = "sdk_sandbox", dispatch: String = dispatch, features: String? = "1",
        more: [(name: String, value: String)] = [], body: [UInt8] = [], path: String = "/prelude/v1/signals"
    ) async -> Response {
        var headers = [(name: "X-SDK-Key", value: key), (name: "X-SDK-DispatchID", value: dispatch)] + more
        if let features { headers.append((name: "X-SDK-Implemented-Features", value: features)) }
        return await client.send(
            Request(method: method, path: path, headers: Headers(headers), body: body, id: "s"))
    }

    /// Both that a phone sends where it has two networks.
    func signals(dispatch: String = dispatch) async {
        _ = await signal(.post, dispatch: dispatch, body: [0x78, 0x9C, 1, 2])
        _ = await signal(.options, dispatch: dispatch)
    }

    /// Follows the chain over the played operator to its last address.
    func follow(_ url: String) async throws -> String {
        let first = await hop(url)
        #expect(first.status == 302)
        let location = try #require(first.header("location"))
        #expect(location.hasPrefix("https://operator.example/authorize?state="))
        let state = try #require(location.split(separator: "=").dropFirst().first?.split(separator: "&").first)
        let back = await hop("\(World.publicURL)/ma/v1/cb?code=code-1&state=\(state)")
        #expect(back.status == 303)
        return try #require(back.header("location"))
    }

    /// One hop of a chain, whichever surface has it.
    func hop(_ url: String, from peer: PeerAddress = MobileAuthWalk.phone) async -> Response {
        guard url.hasPrefix(World.publicURL) else { return Response(status: 599) }
        let parts = url.dropFirst(World.publicURL.utf8.count).split(separator: "?", maxSplits: 1).map(String.init)
        let request = Request(
            method: .get, path: parts[0], rawQuery: parts.count > 1 ? parts[1] : "", peer: peer, id: "hop")
        return parts[0].hasPrefix("/prelude/") ? await client.send(request) : await world.client.send(request)
    }
}

/// Signs by saying what it signs.
struct PlayedWebhookKeys: WebhookKeyPair {
    func signWebhook(_ message: [UInt8], at now: Timestamp) throws(TokenFault) -> String {
        "signed-\(message.count)"
    }

    func webhookPublicKey(at now: Timestamp) -> String? { "key" }
    func nextWebhookPublicKey(at now: Timestamp) -> String? { nil }
}

/// The stable name of a refused call.
func code(of response: Response) -> String? { response.json["code"]?.string }
