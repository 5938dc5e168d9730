import HTTPServer
import Locks
import Engine
import Possession
import ProveSurfaces
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport

/// How often an API client may change what the audit log keeps.
@Suite struct AuditedRateTests {
    /// Stores the entry of each call for which the test has said that it changes something.
    private final class Audit: AuditLog {
        let changes = Locked(true)
        let entries = Locked(0)

        func add(_ entry: AuditEntry) async throws(StorageFault) {}
        func submit(_ entry: AuditEntry) {}
        func auditing<Value: Sendable>(
            _ entry: AuditEntry, _ work: () async -> Value
        ) async -> (Value, isStored: Bool) {
            let value = await work()
            let changes = changes.withLock { $0 }
            if changes { entries.withLock { $0 += 1 } }
            return (value, changes)
        }
    }

    private static func world(_ audit: Audit, perMinute: Int = 10) async throws -> World {
        var options = World.Options()
        options.platform.auditedCallsPerMinute = perMinute
        options.audit = audit
        return try await World(options)
    }

    private static let endpoint = #"{"url":"https://a.example/h","types":["*"]}"#

    private static func turn(_ world: World, _ path: String, _ count: Int) async -> [Int] {
        var statuses: [Int] = []
        for number in 0..<count {
            statuses.append(await world.call(.post, path + (number % 2 == 0 ? "/disable" : "/enable")).status)
        }
        return statuses
    }

    @Test func `ten changes pass in a minute, and then one in six seconds`() async throws {
        let audit = Audit()
        let world = try await Self.world(audit)
        let path = "/v1/webhooks/\(await world.post("/v1/webhooks", Self.endpoint).json["id"]?.string ?? "")"
        let statuses = await Self.turn(world, path, 100)
        #expect(statuses.count { $0 == 200 } == 9 && statuses.count { $0 == 429 } == 91)
        #expect(audit.entries.withLock { $0 } == 10)
        let refused = await world.call(.post, path + "/rotate")
        #expect(refused.status == 429 && refused.json["code"] == 8004, "\(refused.text)")
        #expect(refused.header("retry-after") == "6")
        #expect(
            refused.json["message"]?.string
                == "too many requests (limit: changes by this client); try again after the time in Retry-After")
        #expect(world.hits.withLock { $0.last } == .auditedCalls)
        // Another client, and calls that change nothing of the kind.
        #expect(await world.post("/v1/webhooks", Self.endpoint, as: "sandbox-2").status == 200)
        #expect(await world.call(.get, path).status == 200)
        #expect(await world.post("/v3/unify", #"{"possessionType":"mobile","phoneNumber":"2001004014"}"#).status == 200)
        _ = world.clock.advance(seconds: 6)
        #expect(await world.call(.post, path + "/rotate").status == 200)
        #expect(await world.call(.post, path + "/rotate").status == 429)
    }

    @Test func `a call that changes nothing counts for nothing`() async throws {
        let audit = Audit()
        let world = try await Self.world(audit)
        let path = "/v1/webhooks/\(await world.post("/v1/webhooks", Self.endpoint).json["id"]?.string ?? "")"
        audit.changes.withLock { $0 = false }
        for _ in 0..<50 { #expect(await world.call(.post, path + "/disable").status == 200) }
        for _ in 0..<50 { #expect(await world.call(.post, "/v1/webhooks/we_1/disable").status == 404) }
        audit.changes.withLock { $0 = true }
        #expect(await Self.turn(world, path, 20).count { $0 == 200 } == 9)
    }

    @Test func `identities, devices and domains share the rate`() async throws {
        let world = try await Self.world(Audit(), perMinute: 1)
        let id = await world.enrol("2001004014")
        #expect(await world.post("/v3/identity/\(id)/deactivate", "{}").status == 200)
        #expect(await world.post("/v3/identity/\(id)/activate", "{}").status == 429)
        #expect(await world.call(.delete, "/v3/identity/\(id)").status == 429)
        #expect(await world.post("/v1/webhooks", Self.endpoint).status == 429)
    }

    @Test func `without a limit all pass`() async throws {
        let world = try await Self.world(Audit(), perMinute: 0)
        let path = "/v1/webhooks/\(await world.post("/v1/webhooks", Self.endpoint).json["id"]?.string ?? "")"
        #expect(await Self.turn(world, path, 100) == [Int](repeating: 200, count: 100))
    }
}
