import BuiltInFiles
import HTTPServer
import Testing

@testable import SandboxSurfaces
@testable import SurfaceKit
@testable import SurfaceTestSupport

/// The demo's files over HTTP. `Tests/EndToEnd` plays it in a browser.
@Suite struct DemoTests {
    private func get(_ world: World, _ path: String) async -> Response {
        await world.client.send(Request(method: .get, path: path, id: "d", host: "localhost"))
    }

    @Test func `is a page with a policy, its style and its scripts`() async throws {
        let world = try await World()
        let files = BuiltInFile.all(in: "demo").map(\.name)
        #expect(files.contains("demo.html") && files.contains("demo.css") && files.contains("demo.js"))
        for name in files {
            let answer = await get(world, name == "demo.html" ? "/demo" : "/demo/" + name)
            #expect(answer.status == 200 && !answer.body.isEmpty, "\(name)")
            let type = name.hasSuffix(".js") ? "text/javascript" : name.hasSuffix(".css") ? "text/css" : "text/html"
            #expect(answer.header("content-type") == type + "; charset=utf-8")
            #expect(answer.header("cache-control") == "no-cache", "a newer server has newer files")
            let policy = try #require(answer.header("content-security-policy"))
            #expect(policy.hasPrefix("default-src 'none'; script-src 'self';") && !policy.contains("unsafe"))
            #expect(answer.header("x-content-type-options") == "nosniff")
        }
    }

    @Test(arguments: ["/demo/demo.html", "/demo/other.js", "/demo/..", "/demo/sdk"])
    func `has nothing else`(path: String) async throws {
        #expect(await get(try await World(), path).status == 404)
    }
}
