import Possession
import PostgresTestSupport
import Testing

@testable import PostgresStorage

@Suite(.enabled(if: TestedPostgres.address != nil, "scripts/with-postgres starts the PostgreSQL"))
struct ServerPlaceTests {
    private let address: PostgresAddress

    init() throws {
        address = try TestedPostgres.makeTables()
        // No process has the places of `makeSchema`.
        try PostgresSession(address).run("DELETE FROM servers", "places of servers")
    }

    private func enter(recordLevel: Int64, lifetime: Int64 = 600_000) throws(PostgresOpeningFault) -> ServerPlace {
        try ServerPlace(
            at: address, now: Timestamp(milliseconds: 0), isAlone: false, recordLevel: recordLevel,
            times: ServerPlace.Times(lifetime: lifetime), uptime: { 0 })
    }

    private func servers() throws -> String? {
        try PostgresSession(address).rows("SELECT count(*) FROM servers").first?.first ?? nil
    }

    @Test func `a server waits while one runs that writes other records`() throws {
        let first = try enter(recordLevel: 1)
        let second = try enter(recordLevel: 1)
        #expect(first.number != second.number)
        #expect(
            throws: PostgresOpeningFault.unavailable(
                "a server of another version runs, and it writes other records: stop it first")
        ) { try enter(recordLevel: 2) }
        #expect(try servers() == "2")
    }

    @Test func `a server does not wait for one that is silent`() throws {
        _ = try enter(recordLevel: 1, lifetime: -1)
        _ = try enter(recordLevel: 2)
        #expect(try servers() == "2")
    }
}
