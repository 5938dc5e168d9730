import HTTPServer
import StrictJSON
import Testing
import Text

@testable import OperationsSurfaces
@testable import SurfaceKit
@testable import SurfaceTestSupport

/// The web library over HTTP: any page may load it, check it and keep it.
@Suite struct WebLibraryTests {
    private func get(_ world: World, _ path: String, _ headers: [(name: String, value: String)] = []) async -> Response
    {
        await world.client.send(Request(method: .get, path: path, headers: Headers(headers), id: "w"))
    }

    @Test func `lists its files, and each is there under a path of its own`() async throws {
        let world = try await World()
        let index = await get(world, "/sdk")
        #expect(index.status == 200 && index.header("access-control-allow-origin") == "*")
        let version = try #require(index.json["version"]?.string)
        let files = try #require(index.json["files"]?.array).compactMap(\.object)
        #expect(files.compactMap { $0["name"]?.string } == ["holdfast.js", "holdfast.global.js", "holdfast.d.ts"])
        for file in files {
            let (name, path) = (try #require(file["name"]?.string), try #require(file["path"]?.string))
            #expect(path == "/sdk/\(version)/\(name)")
            let pinned = await get(world, path)
            let latest = await get(world, "/sdk/" + name)
            #expect(pinned.status == 200 && pinned.body == latest.body && !pinned.body.isEmpty)
            #expect(file["integrity"]?.string == "sha256-" + Base64.encode(World.digest(pinned.body)))
            #expect(file["bytes"] == .integer(Int64(pinned.body.count)))
            #expect(pinned.header("cache-control") == "public, max-age=31536000, immutable")
            #expect(latest.header("cache-control") == "public, max-age=300")
            for answer in [pinned, latest] {
                let type = name == "holdfast.d.ts" ? "text/plain" : "text/javascript"
                #expect(answer.header("content-type") == type + "; charset=utf-8")
                #expect(answer.header("access-control-allow-origin") == "*")
                #expect(answer.header("cross-origin-resource-policy") == "cross-origin")
                #expect(answer.header("x-content-type-options") == "nosniff")
            }
        }
    }

    @Test func `whoever has the newest gets nothing again`() async throws {
        let world = try await World()
        let tag = try #require(await get(world, "/sdk/holdfast.js").header("etag"))
        let again = await get(world, "/sdk/holdfast.js", [("If-None-Match", tag)])
        #expect(again.status == 304 && again.body.isEmpty && again.header("etag") == tag)
        #expect(again.header("access-control-allow-origin") == "*", "or the page may not use what it kept")
        #expect(await get(world, "/sdk/holdfast.js", [("If-None-Match", #""other""#)]).status == 200)
    }

    @Test func `is compressed for whoever takes gzip, and is another representation then`() async throws {
        let world = try await World()
        for name in ["holdfast.js", "holdfast.global.js"] {
            let plain = await get(world, "/sdk/" + name)
            let small = await get(world, "/sdk/" + name, [("Accept-Encoding", "gzip, deflate, br")])
            #expect(plain.header("content-encoding") == nil && small.header("content-encoding") == "gzip")
            #expect(plain.header("vary") == "Accept-Encoding" && small.header("vary") == "Accept-Encoding")
            #expect(small.header("content-type") == "text/javascript; charset=utf-8")
            // RFC 1952: gzip by deflate, without name and time, so that every build makes the same bytes. The end tells
            // how long the file is.
            #expect(small.body.starts(with: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0]))
            let length = small.body.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            #expect(length == plain.body.count && small.body.count < plain.body.count / 2)

            let tag = try #require(small.header("etag"))
            #expect(tag != plain.header("etag"))
            let kept = await get(world, "/sdk/" + name, [("Accept-Encoding", "gzip"), ("If-None-Match", tag)])
            #expect(kept.status == 304 && kept.body.isEmpty && kept.header("vary") == "Accept-Encoding")
            #expect(kept.header("etag") == tag && kept.header("content-encoding") == nil)
            #expect(await get(world, "/sdk/" + name, [("If-None-Match", tag)]).status == 200, "other bytes")
        }
        let version = try #require(await get(world, "/sdk").json["version"]?.string)
        let pinned = await get(world, "/sdk/\(version)/holdfast.js", [("Accept-Encoding", "gzip")])
        #expect(pinned.header("content-encoding") == "gzip")
        #expect(pinned.header("cache-control") == "public, max-age=31536000, immutable")
    }

    @Test(arguments: [
        "/sdk/holdfast.css", "/sdk/AAAAAAAAAAAA/holdfast.js", "/sdk/../migrations", "/sdk/holdfast.js/holdfast.js",
    ]) func `has nothing else`(path: String) async throws {
        #expect(await get(try await World(), path).status == 404)
    }
}
