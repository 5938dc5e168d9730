import HTTPServer
import StrictJSON
import Testing

@testable import SurfaceTestSupport

@Suite struct `The sandbox's receiver of webhooks` {
    private static let path = "/sandbox/webhooks/receiver"

    private static func tell(
        _ world: World, _ query: String, id: String? = "evt_1", body: String = #"{"type":"ping"}"#
    ) async -> Response {
        let headers: [(name: String, value: String)] =
            [("Content-Type", "application/json"), ("webhook-signature", "v1,c2ln"), ("Cookie", "a=b")]
            + (id.map { [("Webhook-Id", $0)] } ?? [])
        return await world.client.send(
            Request(
                method: .post, path: path, rawQuery: query, headers: Headers(headers), body: Array(body.utf8), id: "q"))
    }

    private static func taken(_ world: World) async -> [JSONObject] {
        await world.get(path).json["requests"]?.array?.compactMap(\.object) ?? []
    }

    @Test func `takes any body and shows it as it came`() async throws {
        let world = try await World()
        #expect(await Self.tell(world, "", body: "no JSON").status == 204)
        let shown = try #require(await Self.taken(world).first)
        #expect(shown["body"]?.string == "no JSON")
        #expect(shown["attempt"]?.integer == 1)
        #expect(shown["answered"]?.integer == 204)
        let headers = try #require(shown["headers"]?.object)
        #expect(headers["webhook-id"]?.string == "evt_1")
        #expect(headers["webhook-signature"]?.string == "v1,c2ln")
        #expect(headers["cookie"] == nil)
    }

    @Test func `fails so many attempts of each event as the query says`() async throws {
        let world = try await World()
        var statuses: [Int] = []
        for _ in 0..<3 { statuses.append(await Self.tell(world, "failures=2").status) }
        statuses.append(await Self.tell(world, "failures=2", id: "evt_2").status)
        #expect(statuses == [500, 500, 204, 500])
        #expect(await Self.taken(world).compactMap { $0["attempt"]?.integer } == [1, 3, 2, 1])
    }

    @Test(arguments: [307, 400, 401, 403, 404, 410, 429, 500, 502, 503, 504])
    func `fails with the status that the query names`(status: Int) async throws {
        let world = try await World()
        #expect(await Self.tell(world, "failures=1&status=\(status)").status == status)
        #expect(await Self.tell(world, "failures=1&status=\(status)").status == 204)
        #expect(await Self.tell(world, "status=\(status)").status == 204)
    }

    @Test func `tells what a failure asks for`() async throws {
        let world = try await World()
        let failed = await Self.tell(world, "failures=1&status=429&retryAfter=7&abort=true")
        #expect(failed.header("retry-after") == "7")
        #expect(failed.header("webhook-delivery") == "abort-message")
        #expect(await Self.tell(world, "failures=9&status=307").header("location") == Self.path)
        let success = await Self.tell(world, "failures=0&retryAfter=7&abort=true")
        #expect(success.header("retry-after") == nil)
        #expect(success.header("webhook-delivery") == nil)
    }

    @Test(arguments: [
        ("failures=101", "field 'failures' must be a whole number from 0 to 100"),
        ("status=200", "field 'status' must be one of 307, 400, 401, 403, 404, 410, 429, 500, 502, 503, 504"),
        ("delay=21", "field 'delay' must be at most 20"),
        ("abort=1", "field 'abort' must be true or false"),
        ("retryAfter=x", "field 'retryAfter' must be a whole number from 0 to 86400"),
    ])
    func `refuses a script that it cannot play`(query: String, reason: String) async throws {
        let world = try await World()
        let answer = await Self.tell(world, query)
        #expect(answer.status == 400)
        #expect(answer.json["message"]?.string == reason)
        #expect(await Self.taken(world).isEmpty)
    }

    @Test func `keeps the last hundred, and takes no body over its bound`() async throws {
        let world = try await World()
        for index in 0..<101 { _ = await Self.tell(world, "", id: nil, body: "\(index)") }
        let bodies = await Self.taken(world).compactMap { $0["body"]?.string }
        #expect(bodies.count == 100)
        #expect(bodies.first == "100")
        #expect(bodies.last == "1")
        let large = await Self.tell(world, "", body: String(repeating: "a", count: 65_537))
        #expect(large.status == 413)
    }
}
