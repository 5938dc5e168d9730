import Foundation
import Testing

@testable import Administration
@testable import Possession
@testable import Wiring

/// What a configuration names outside itself, each wrong by one thing (OPS-07).
@Suite struct StartChecksTests {
    let directory = ServerFixture.freshDirectory()

    private func cleanUp() { try? FileManager.default.removeItem(atPath: directory) }

    private func checks(_ environment: [String: String] = [:]) throws -> StartChecks {
        StartChecks(try ServerFixture.configuration(directory + "/data", environment))
    }

    private func make() throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    }

    private func write(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
        let path = directory + "/" + name
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    @Test func `find nothing wrong with what is right, and make nothing`() throws {
        defer { cleanUp() }
        try make()
        let checks = try checks()
        #expect(checks.mistakes.isEmpty)
        #expect(checks.warnings.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
    }

    @Test(arguments: [
        ("HOLDFAST_SANDBOX_USERS_FILE", "/none/users.json", "sandbox.usersFile: /none/users.json cannot be read"),
        ("HOLDFAST_DATA_MIGRATIONS", "/none/migrations", "data.migrations: migrations in /none/migrations"),
        ("HOLDFAST_DATA_DIRECTORY", "/none/data", "data.directory: data directory /none/data: cannot be made"),
        ("HOLDFAST_DATA_DIRECTORY", "/etc/hostname", "data.directory: data directory /etc/hostname: is no directory"),
        ("HOLDFAST_DATA_DIRECTORY", "/etc/hostname/x", "data.directory: data directory /etc/hostname/x: cannot be"),
        ("HOLDFAST_KEYS_MASTER_KEY_FILE", "/none/key", "keys.masterKeyFile: /none/key cannot be made"),
        ("HOLDFAST_SERVER_DEFAULT_REGION", "ZZ", "server.defaultRegion: there is no such region"),
        ("HOLDFAST_APP_CLIENT_ID", "nobody", "app.clientId: there is no API client nobody"),
    ])
    func `name a path, a region or a client that is not there`(variable: String, value: String, start: String) throws {
        defer { cleanUp() }
        try make()
        let mistakes = try checks([variable: value]).mistakes
        #expect(mistakes.count == 1)
        #expect(mistakes.first?.hasPrefix(start) == true, "\(mistakes)")
    }

    @Test func `name a missing secret of the identity service`() throws {
        defer { cleanUp() }
        try make()
        let mistakes = try checks([
            "HOLDFAST_IDENTITY_URL": "https://people.example.com/", "HOLDFAST_IDENTITY_SECRET_FILE": "/none/secret",
        ]).mistakes
        #expect(mistakes.count == 1)
        #expect(mistakes.first?.hasPrefix("identity.secretFile: key file /none/secret cannot be opened") == true)
    }

    @Test(arguments: [(0o600, 32, 0), (0o644, 32, 1), (0o600, 31, 1)])
    func `look at a master key that is there`(mode: Int, bytes: Int, mistakes: Int) throws {
        defer { cleanUp() }
        try make()
        let path = try write("key", String(repeating: "k", count: bytes), mode: mode)
        let found = try checks(["HOLDFAST_KEYS_MASTER_KEY_FILE": path]).mistakes
        #expect(found.count == mistakes, "\(found)")
        #expect(found.allSatisfy { $0.hasPrefix("keys.masterKeyFile: key file \(path) must") })
    }

    @Test func `name every mistake at once`() throws {
        defer { cleanUp() }
        try make()
        let users = try write("users.json", #"{"users":[{"number":"1","region":"NA"}]}"#)
        let mistakes = try checks([
            "HOLDFAST_SANDBOX_USERS_FILE": users, "HOLDFAST_DATA_MIGRATIONS": directory,
            "HOLDFAST_SERVER_DEFAULT_REGION": "ZZ", "HOLDFAST_APP_CLIENT_ID": "nobody",
        ]).mistakes
        #expect(mistakes.count == 4)
        #expect(mistakes.contains { $0.contains("users[0].number") })
    }

    @Test func `miss the key of a database that is there, and the other mode's data`() async throws {
        defer { cleanUp() }
        try make()
        try await Store.open(try ServerFixture.configuration(directory + "/data")).close()
        #expect(try checks().mistakes.isEmpty)
        try FileManager.default.removeItem(atPath: directory + "/data/master.key")
        _ = try write("data/mode", "live")
        let mistakes = try checks().mistakes
        #expect(mistakes.count == 2)
        #expect(mistakes.contains { $0.contains("belongs to the other mode") })
        #expect(mistakes.contains { $0.contains("the database needs it") })
    }

    @Test func `know the clients of the store, and warn of a revoked one`() async throws {
        defer { cleanUp() }
        try make()
        let configuration = try ServerFixture.configuration(
            directory + "/data", ["HOLDFAST_APP_CLIENT_ID": "web"])
        #expect(StartChecks(configuration).mistakes.count == 1)
        let store = try await Store.open(configuration)
        let web = try #require(ClientID("web"))
        let administration = store.administrator { _ in }
        _ = try await administration.addClient(web, rules: TenantRules())
        // Beside the process that has the store open.
        #expect(StartChecks(configuration).mistakes.isEmpty)
        #expect(StartChecks(configuration).warnings.isEmpty)
        try await administration.revokeClient(web)
        #expect(StartChecks(configuration).mistakes.isEmpty)
        #expect(StartChecks(configuration).warnings.first?.contains("the API client web is revoked") == true)
        await store.close()
    }

    @Test func `only warn of an unknown client in live mode, where it can be added at any time`() throws {
        defer { cleanUp() }
        try make()
        let text = """
            {"mode":"live","server":{"publicUrl":"https://a.example"},"app":{"clientId":"web"},
             "data":{"directory":"\(directory)/data","migrations":"\(ServerFixture.repository)/migrations"}}
            """
        let checks = StartChecks(try ConfigurationTests.read(text))
        #expect(checks.mistakes.isEmpty)
        #expect(checks.warnings.count == 2)
        #expect(checks.warnings.first?.contains("messaging.routesFile: is not set") == true)
        #expect(checks.warnings.last?.contains("holdfast clients add web") == true)
    }
}
