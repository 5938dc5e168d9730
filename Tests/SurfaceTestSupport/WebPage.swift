import ClientSurfaces
import OperationsSurfaces
import ProveSurfaces
import SandboxSurfaces
import ServerDescription
import SurfaceKit
import HTTPServer
import Locks
import StrictJSON

/// A browser that drives a Pre-Fill run by itself: keeps the cookie, and names its origin where it has one.
final class WebPage: Sendable {
    private let world: World
    private let origin: String?
    private let cookie = Locked<String?>(nil)
    private let started = Locked<World.Started?>(nil)

    init(_ world: World, origin: String? = nil) {
        self.world = world
        self.origin = origin
    }

    /// Reports to the server's log.
    var reports: [String] { world.reports.withLock { $0 } }
    var flowToken: String { cookie.withLock { $0 } ?? "" }
    var authID: String { started.withLock { $0 }?.authID ?? "" }

    func initialize(_ number: String, _ more: String = "") async -> Response {
        let answer = await post("/initialize", #"{"flowType":"mobile","phoneNumber":"\#(number)"\#(more)}"#)
        let token = answer.json["authToken"]?.string ?? ""
        cookie.withLock { $0 = answer.json["flowToken"]?.string }
        started.withLock { $0 = World.Started(correlationID: "", token: token) }
        return answer
    }

    /// Its client SDK.
    var app: App { App(world, started.withLock { $0 } ?? World.Started(correlationID: "", token: "")) }

    /// Its client SDK proves the number by a code.
    func prove() async {
        if let started = started.withLock({ $0 }) { await world.prove(started) }
    }

    /// With the cookie, if it has one.
    func post(
        _ path: String, _ body: String = "{}", _ headers: [(name: String, value: String)] = []
    ) async -> Response {
        var all = headers
        if let token = cookie.withLock({ $0 }) { all.append(("Cookie", "theme=dark; holdfast_flow=\(token)")) }
        if let origin { all.append(("Origin", origin)) }
        return await world.client.send(
            World.request(.post, path, body, all, contentType: body.isEmpty ? nil : "application/json"))
    }
}
