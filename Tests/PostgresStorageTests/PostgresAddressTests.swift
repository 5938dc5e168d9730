import Testing

@testable import PostgresStorage

/// Connection URIs of a configuration.
@Suite struct PostgresAddressTests {
    @Test(arguments: [
        "postgresql://holdfast@db/holdfast", "postgresql://holdfast@db1:5433,db2/holdfast",
        "postgresql://holdfast@[::1]:5432/holdfast", "postgresql:///holdfast?user=holdfast&host=/run/postgresql",
    ])
    func `takes a role, hosts and a database`(uri: String) {
        #expect(PostgresAddress.defect(of: uri) == nil)
        #expect(PostgresAddress(uri).role == "holdfast")
    }

    @Test(arguments: [
        ("mysql://holdfast@db/holdfast", "must be postgresql://"), ("host=db", "must be postgresql://"),
        ("postgresql://holdfast@db:port/x%", "must be postgresql://"),
        ("postgresql://holdfast:secret@db/holdfast", "must not have a password; set database.passwordFile"),
        ("postgresql://db/holdfast", "must name a role"), ("postgresql://holdfast@db", "must name a database"),
        ("postgresql://holdfast@db/holdfast?sslmode=disable", "must not set sslmode: the server sets it"),
        ("postgresql://holdfast@/holdfast?hostaddr=10.0.0.5", "must not set hostaddr: the server sets it"),
        ("postgresql://holdfast@db/holdfast?options=-cfsync%3Doff", "must not set options: the server sets it"),
    ])
    func `refuses others, and quotes no password`(uri: String, reason: String) throws {
        let defect = try #require(PostgresAddress.defect(of: uri))
        #expect(defect.hasPrefix(reason))
        #expect(!defect.contains("secret"))
    }

    @Test(arguments: ["postgresql://a@%2Fnone,%2Fnone/a", "postgresql://a@%2Fnone,%2Fnone:5433/a"])
    func `a host without a port has the usual one, also beside others`(uri: String) {
        do throws(PostgresFailure) {
            _ = try PostgresAddress(uri).connect()
            Issue.record("there is no such socket")
        } catch { #expect(error.operation.contains("/none/.s.PGSQL.5432")) }
    }

    private static func refusal(_ timeline: SharedTimeline, _ system: String, _ number: String) -> String? {
        do throws(PostgresFailure) {
            try timeline.raise(to: Timeline(system: system, number: number))
            return nil
        } catch { return error.operation }
    }

    @Test func `refuses a timeline older than the newest, and another system in the same run`() {
        let timeline = SharedTimeline()
        #expect(Self.refusal(timeline, "7", "00000009") == nil)
        #expect(Self.refusal(timeline, "7", "0000000A") == nil)
        #expect(Self.refusal(timeline, "7", "00000009")?.hasPrefix("connect: a former primary") == true)
        #expect(Self.refusal(timeline, "8", "0000000B") == "connect: another database system")
        #expect(timeline.newest?.text == "7 0000000A")
    }

    @Test func `refuses a timeline older than that of the run before, and accepts another system`() {
        let timeline = SharedTimeline(earlier: Timeline("7 0000000A\n"))
        #expect(Self.refusal(timeline, "7", "00000009") != nil)
        #expect(Self.refusal(timeline, "8", "00000001") == nil)
        #expect(Self.refusal(timeline, "7", "0000000B") == "connect: another database system")
        #expect(Timeline("7") == nil && Timeline("7 1") == nil && Timeline("") == nil)
    }
}
