internal import Dispatch
internal import HTTPServer
internal import StrictJSON

/// The product's HTTP engine and JSON under a route that the server does not have: what comes in as an object goes out
/// as one.
///
///     Echo PORT
@main
struct Echo {
    static func main() throws {
        guard let port = CommandLine.arguments.dropFirst().first.flatMap({ Int($0) }) else {
            print("usage: Echo PORT")
            return
        }
        try serve(on: port)
    }

    private static func serve(on port: Int) throws {
        let health = json(Array(#"{"status":"ok"}"#.utf8))
        let routes = [
            Route.immediate(.get, "/healthz") { _ in health },
            Route.immediate(.post, "/echo") { request in
                guard let message = try? JSONObject.parse(request.body) else { return Response(status: 400) }
                return json(message.serialized())
            },
        ]
        var limits = Limits()
        limits.maxConnectionsPerAddress = limits.maxConnections
        let server = try Server(
            limits: limits, loops: 2, router: Router(routes),
            failureResponse: { Response(status: $0.status) }, observe: { _ in })
        _ = try server.start(on: [.tcp(host: "127.0.0.1", port: port)])
        withExtendedLifetime(server) { dispatchMain() }
    }

    private static func json(_ body: [UInt8]) -> Response {
        Response(status: 200, headers: [("Content-Type", "application/json")], body: body)
    }
}
