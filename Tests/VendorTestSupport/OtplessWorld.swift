import ClientSurfaces
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
@testable import OtplessSurface
@testable import SurfaceKit
@testable import SurfaceTestSupport

/// A sandbox in memory with the surface on it, and a backend that calls it.
struct OtplessWorld: Sendable {
    static let lorant = "+12001004014"
    static let right = "123456"
    /// Hash of an Android app.
    static let hash = "FA+9qCX9VSu"
    static let form = "application/x-www-form-urlencoded"

    let world: World
    let client: InProcessClient
    let idTokens = PlayedIDTokens()
    static let description = VendorDescription(OtplessSurface.description, OtplessSurface.info)

    init(
        _ options: World.Options = World.Options(),
        on shared: World? = nil, people: [SandboxPerson] = [],
        carries: @escaping @Sendable (OutgoingMessage.Channel) -> Bool = { _ in true }
    ) async throws {
        if let shared { world = shared } else { world = try await World(options) }
        let clock = world.clock
        let logins = ClientLogin(
            engine: world.engine, limitsFailures: options.platform.limitsFailedTokenCalls,
            rates: options.platform.requestsPerSecond > 0
                ? TenantRates(perSecond: options.platform.requestsPerSecond) : nil,
            addresses: ClientAddress(trustedProxies: AddressRanges()), certificates: .none, systemNow: { clock.now() })
        let platform = PlatformSurface(engine: world.engine, settings: options.platform, systemNow: { clock.now() })
        let surface = OtplessSurface(
            engine: world.engine,
            settings: OtplessSurface.Settings(
                publicURL: World.publicURL, isSandbox: true, trustedProxies: AddressRanges()),
            logins: logins, callers: platform.callers, idTokens: idTokens, isOriginListed: { _ in false },
            sha256: { World.digest($0) }, people: { people }, carries: carries)
        let links = LinkSurface(
            engine: world.engine, products: [.otpless], people: { people }, trustedProxies: AddressRanges(),
            sha256: { $0 })
        client = try InProcessClient(
            surface.routes + links.routes, manualClock: options.manualClock, check: Self.description.checkDescribed)
    }

    /// Any number of the world, with codes that are drawn.
    static func ofAnyNumber() async throws -> OtplessWorld {
        var options = World.Options()
        options.unknownNumbers = .simulate
        return try await OtplessWorld(options)
    }

    static func headers(_ client: String, _ secret: String) -> [(name: String, value: String)] {
        [("clientId", client), ("clientSecret", secret)]
    }

    /// - Parameter path: below `/otpless`.
    func post(_ path: String, _ json: String, as client: String = "sandbox") async -> Response {
        await self.client.send(
            World.request(.post, "/otpless\(path)", json, Self.headers(client, "\(client)-secret")))
    }

    func initiate(_ number: String = lorant, _ more: String = "") async -> Response {
        await post("/auth/v1/initiate/otp", #"{"phoneNumber":"\#(number)"\#(more)}"#)
    }

    func register(hash: String, by client: String = "sandbox") async throws {
        let id = try #require(ClientID(client))
        #expect(try await world.store.updateTenant(id) { $0.rules.appHashes = [hash] } != nil)
    }

    /// The token of a request that has just succeeded.
    func token(_ number: String = lorant, as client: String = "sandbox") async -> String {
        let id = await post("/auth/v1/initiate/otp", #"{"phoneNumber":"\#(number)"}"#, as: client).requestID
        _ = await verify(Self.right, id, as: client)
        return await status(id, as: client).json["token"]?.string ?? ""
    }

    func status(_ id: String, as client: String = "sandbox") async -> Response {
        await post("/auth/v1/status", #"{"requestId":"\#(id)"}"#, as: client)
    }

    func validate(_ token: String, as client: String = "sandbox") async -> Response {
        await post("/auth/v1/validate/token", #"{"token":"\#(token)"}"#, as: client)
    }

    func userInfo(
        _ form: String, _ headers: [(name: String, value: String)] = [], type: String? = form
    ) async -> Response {
        await client.send(World.request(.post, "/otpless/auth/userInfo", form, headers, contentType: type))
    }

    /// - Parameter target: below `/otpless`, with its query.
    func get(_ target: String, _ headers: [(name: String, value: String)] = []) async -> Response {
        let parts = target.split(separator: "?", maxSplits: 1)
        var request = World.request(.get, "/otpless\(parts[0])", "", headers)
        request.rawQuery = parts.count > 1 ? String(parts[1]) : ""
        request.peer = PeerAddress(ipv4: (198, 51, 100, 1))
        return await client.send(request)
    }

    func verify(_ code: String, _ id: String, as client: String = "sandbox") async -> Response {
        await post("/auth/v1/verify/otp", #"{"requestId":"\#(id)","otp":"\#(code)"}"#, as: client)
    }

    // MARK: Links

    static let page = "https://app.example/done?lang=de&step=1"

    /// Sends a link.
    func sendLink(
        _ number: String = lorant, _ more: String = "", by call: String = "magiclink", as client: String = "sandbox"
    ) async -> Response {
        await post(
            "/auth/v1/initiate/\(call)", #"{"phoneNumber":"\#(number)","redirectURI":"\#(Self.page)"\#(more)}"#,
            as: client)
    }

    /// Opens the newest link.
    func openLink(_ method: HTTPServer.Method = .get, _ path: String? = nil) async -> Response {
        await client.send(Request(method: method, path: path ?? world.newestLink, peer: World.phone, id: "l"))
    }

    /// - Parameter decision: and what stands behind it in the form.
    func tap(_ decision: String = "approve", _ path: String? = nil) async -> Response {
        await client.send(
            Request(
                method: .post, path: path ?? world.newestLink, headers: Headers([("Content-Type", Self.form)]),
                body: Array("decision=\(decision)".utf8), peer: World.phone, id: "l"))
    }

    /// The code that a tap on the newest link gives.
    func tapped() async -> String { await tap().givenCode ?? "" }

    func verifyCode(_ code: String, _ more: String = "", as client: String = "sandbox") async -> Response {
        await post("/auth/v1/verify/code", #"{"code":"\#(code)"\#(more)}"#, as: client)
    }

    func exchange(_ form: String, _ headers: [(name: String, value: String)] = []) async -> Response {
        await client.send(World.request(.post, "/otpless/auth/token", form, headers, contentType: Self.form))
    }

    /// - Parameter query: of which each `+` is written as `%2B`.
    func authorize(_ query: String, _ method: HTTPServer.Method = .get) async -> Response {
        await client.send(
            Request(method: method, path: "/otpless/auth/v1/authorize", rawQuery: query, peer: World.phone, id: "a"))
    }

    /// Codes that were sent, the oldest first.
    var sentCodes: [String?] { world.gateway.sent.map(\.code?.text) }
}

/// Signs by saying what it signs.
final class PlayedIDTokens: IDTokenIssuer {
    let signed = Locked<[IDToken]>([])

    func issueIDToken(_ token: IDToken, at now: Timestamp) async throws(TokenFault) -> String {
        signed.withLock { $0.append(token) }
        return "signed-\(token.subject)"
    }

    func idTokenKeySet(at now: Timestamp) -> [UInt8]? {
        signed.withLock { $0.isEmpty }
            ? nil : Array(#"{"keys":[{"kty":"RSA","n":"AA","e":"AQAB","use":"sig","alg":"RS256","kid":"k"}]}"#.utf8)
    }
}

extension Response {
    /// Code of an error in the vendor's shape.
    var errorCode: String? { json["errorCode"]?.string }
    var requestID: String { json["requestId"]?.string ?? "" }
    /// In the query of the page that a browser is sent to.
    var givenCode: String? {
        guard let page = headers.first(where: { $0.name == "Location" })?.value,
            let code = page.split(whereSeparator: { "?&".contains($0) }).last, code.hasPrefix("code=")
        else { return nil }
        return String(code.dropFirst(5))
    }
    var orderID: String { json["orderId"]?.string ?? "" }
}
