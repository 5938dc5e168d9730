import HTTPServer
import Possession
import StrictJSON
import TestSupport

/// A Mobile Auth attempt as a client got it, and the hops that a phone makes with it: without token or cookie.
struct MobileAuthWalk: Sendable {
    let world: World
    let offer: JSONObject

    init(_ world: World, _ begun: Response) {
        self.world = world
        offer = begun.json
    }

    static let phone = PeerAddress(ipv4: (198, 51, 100, 7))
    static let otherPhone = PeerAddress(ipv4: (198, 51, 100, 8))

    var attempt: String { offer["attemptId"]?.string ?? "" }
    /// Path and query of `authUrl`, as they arrive at the server.
    private var target: [Substring] {
        let url = offer["authUrl"]?.string ?? ""
        guard url.hasPrefix(World.publicURL) else { return ["", ""] }
        return url.dropFirst(World.publicURL.utf8.count).split(separator: "?", maxSplits: 1)
    }
    var path: String { target.first.map(String.init) ?? "" }
    var query: String { target.last.map(String.init) ?? "" }
    /// As the operator gives it back.
    var state: String { "state-" + attempt }

    /// The first hop.
    func go(adding more: String = "", from peer: PeerAddress = phone) async -> Response {
        await world.hop(path, query + more, from: peer)
    }

    /// The return hop.
    func comeBack(_ outcome: String = "code=code-1", from peer: PeerAddress = phone) async -> Response {
        await world.hop("/ma/v1/cb", "\(outcome)&state=\(state)", from: peer)
    }

    /// Both hops of a native client; `nil` when they bring no fingerprint.
    func follow() async -> String? {
        guard await go().status == 302 else { return nil }
        return await comeBack().json["vfp"]?.string
    }

    func finishBody(_ fingerprint: String) -> String {
        let body: JSONObject = ["attemptId": .string(attempt), "vfp": .string(fingerprint)]
        return body.text
    }

    var giveUpBody: String { #"{"attemptId":"\#(attempt)","error":"timeout"}"# }
}

extension World {
    func hop(
        _ path: String, _ query: String, from peer: PeerAddress = MobileAuthWalk.phone,
        headers: [(name: String, value: String)] = []
    ) async -> Response {
        await client.send(
            Request(method: .get, path: path, rawQuery: query, headers: Headers(headers), peer: peer, id: "hop"))
    }

    /// A client in its session, redeemed as a native app with Mobile Auth in its plan.
    func native(_ body: String = World.mobile, key: FakeKey? = FakeKey(1), fallback: String? = "otp") async -> App {
        let app = App(self, await start(body), key: key)
        let declared = fallback.map { #","fallback":"\#($0)""# } ?? ""
        _ = await app.post("", #"{"platform":"ios"\#(declared)}"#)
        return app
    }

    static let mobile = #"{"possessionType":"mobile","phoneNumber":"2001004014"}"#
    static let mobileWithoutNumber = #"{"possessionType":"mobile"}"#
    static let lorant = PhoneNumber(e164: "+12001004014")!
    static let laney = PhoneNumber(e164: "+12001004015")!
}

extension App {
    func beginMobileAuth(_ body: String = "{}") async -> MobileAuthWalk {
        MobileAuthWalk(world, await post("/mobile-auth", body))
    }
}

extension JSONObject {
    var text: String { String(decoding: serialized(), as: UTF8.self) }
}
