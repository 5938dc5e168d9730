import HTTPServer
import Testing

@testable import Wiring

/// A web page that points its own name to this machine gets nothing (DNS rebinding).
@Suite struct HostNameWiringTests {
    let directory = ServerFixture.freshDirectory()

    /// The path of a route, with something in the place of each parameter.
    private static func path(_ route: Route) -> String {
        "/" + route.pattern.split(separator: "/").map { $0.hasPrefix("{") ? "x" : $0 }.joined(separator: "/")
    }

    private static func status(_ port: UInt16, _ route: Route, host: String) throws -> Int {
        try ServerFixture.call(port, route.method.text, path(route), host: host).status
    }

    @Test func `refuses every route of a sandbox but the probes under a foreign name`() async throws {
        let configuration = try ServerFixture.configuration(directory, ["HOLDFAST_SERVER_PUBLIC_DOCS": "true"])
        let (_, log) = try await ServerFixture.withServerAndLog(configuration) { server, port in
            let routes = server.servers.main.router.routes
            #expect(routes.count > 150)
            var open: [String] = []
            for route in routes where try Self.status(port, route, host: "evil.example:\(port)") != 421 {
                open.append(route.pattern)
            }
            #expect(open.sorted() == ["/healthz", "/readyz"])
            for path in ["/nothing", "/sandbox/nothing", "/l/x"] {
                #expect(try ServerFixture.call(port, "GET", path, host: "evil.example").status == 421)
            }
        }
        let warnings = log.filter { ($0["message"] as? String)?.contains("server.hostNames") == true }
        let host = (warnings.first?["context"] as? [String: Any])?["host"] as? String
        #expect(warnings.count == 1 && host?.hasPrefix("evil.example") == true)
    }

    @Test(arguments: ["localhost", "127.0.0.1", "10.1.2.3:80", "[::1]", "a.localhost", "holdfast:8080", "id.example"])
    func `takes its own names and those of the operator`(host: String) async throws {
        let configuration = try ServerFixture.configuration(
            directory, ["HOLDFAST_SERVER_HOST_NAMES": "Holdfast, id.example"])
        try await ServerFixture.withServer(configuration) { _, port in
            let answer = try ServerFixture.call(port, "GET", "/sandbox/clock", host: host)
            #expect(answer.status == 200)
        }
    }

    @Test func `has the names of its public addresses in live, on both listeners`() async throws {
        let configuration = try ConfigurationTests.read(
            """
            {"mode":"live","server":{"host":"127.0.0.1","port":0,"loops":1,"publicUrl":"https://a.example",
             "operationsPort":0},"link":{"publicUrl":"https://b.example"},"data":{"directory":"\(directory)",
             "migrations":"\(ServerFixture.repository)/migrations"}}
            """)
        try await ServerFixture.withServer(configuration) { server, port in
            let keys = "/.well-known/jwks.json"
            let operators = UInt16(try #require(server.boundOperationsAddress?.port))
            for (host, status) in [("a.example", 200), ("b.example:1", 200), ("c.example", 421)] {
                #expect(try ServerFixture.call(port, "GET", keys, host: host).status == status)
                #expect(try ServerFixture.call(operators, "GET", "/metrics", host: host).status == status)
            }
            for listener in [port, operators] {
                #expect(try ServerFixture.call(listener, "GET", "/readyz", host: "c.example").status == 200)
            }
        }
    }

    @Test(arguments: ["http://a.example", "a.example:80", "a b..c", "*.example"])
    func `names an entry that is no host name`(names: String) throws {
        let text = #"{"mode":"sandbox","data":{"directory":"d"},"server":{"hostNames":"\#(names)"}}"#
        let mistakes = ConfigurationTests.mistakes(text)
        #expect(mistakes.count == 1 && mistakes[0].hasPrefix("server.hostNames: the entry '"))
    }
}
