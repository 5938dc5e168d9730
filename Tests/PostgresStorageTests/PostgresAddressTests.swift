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
}
