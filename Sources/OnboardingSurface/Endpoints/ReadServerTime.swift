internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /pa/v3/status`: the server's time. Apps set their clocks by it.
///
///     {}  ->  200 {"status":"OK","responseObject":{"serverTime":1767265200000,"application":{"name":"holdfast",...}}}
struct ReadServerTime: Sendable {
    struct ServerTime: Sendable {
        let time: Timestamp
        let version: String
    }

    let version: String
    let systemNow: Now

    static let call = Call(
        .post, OnboardingPath.protocol3 + "/status", id: "ReadServerTime", "The server's time",
        "By the machine's clock, also in a sandbox whose clock was moved. What is sent is not looked at.",
        demand: .reads, answer: "The time.")
    static let reply = Reply<ServerTime>.wrapping(
        example: """
            {"status":"OK","responseObject":{"serverTime":1767265200000,"application":{"name":"holdfast",\
            "displayName":"Holdfast","environment":"","version":"0.9.0"}}}
            """
    ) {
        ReplyMember.always("serverTime", .integer(0...Int.max), "Milliseconds since 1970.") {
            Int($0.time.milliseconds)
        }
        ReplyMember.always("application", .object(application), "This server.") { $0.version }
    }

    private static let application = Reply<String>(name: "ServerApplication") {
        ReplyMember.always("name", .text, "Always holdfast.") { _ in "holdfast" }
        ReplyMember.always("displayName", .text, "Always Holdfast.") { _ in "Holdfast" }
        ReplyMember.always("environment", .text, "Always empty.") { _ in "" }
        ReplyMember.always("version", .text, "The version of the server.") { $0 }
    }

    /// The endpoint in the API description.
    static var operations: [Operation] {
        [call.operation(.onboarding, answers: reply.answers(call), shape: .onboarding)]
    }

    var route: Route {
        Route.immediate(Self.call.method, Self.call.path) { _ in
            var response = Self.reply.response(ServerTime(time: systemNow(), version: version))
            response.add("Cache-Control", "no-store")
            return response
        }
    }
}
