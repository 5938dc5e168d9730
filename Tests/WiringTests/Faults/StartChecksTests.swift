import Foundation
import Testing

@testable import Administration
@testable import Possession
@testable import Wiring

/// Everything outside itself that a configuration names, each wrong by one thing (OPS-07).
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

    @Test func `name a country that is open to a client and that no route reaches`() async throws {
        defer { cleanUp() }
        try make()
        let routes = try write(
            "routes.json",
            #"{"gateways":{"main":{"specification":{"request":{"url":"https://b.example"}}}},"routes":["#
                + #"{"countries":["US"],"gateways":["main"]},{"prefixes":["+49"],"gateways":["main"]},"#
                + #"{"countries":["FR"],"clients":["other"],"gateways":["main"]}]}"#)
        let text = """
            {"mode":"live","server":{"publicUrl":"https://a.example"},"messaging":{"routesFile":"\(routes)"},
             "data":{"directory":"\(directory)/data","migrations":"\(ServerFixture.repository)/migrations"}}
            """
        let configuration = try ConfigurationTests.read(text)
        let store = try await Store.open(configuration)
        var rules = TenantRules()
        // One by its region, by a prefix of its numbers, by a calling code; none for the rest.
        rules.callingCodes = ["US", "DE", "1", "FR", "44"]
        _ = try await store.administrator { _ in }.addClient(try #require(ClientID("web")), rules: rules)
        #expect(
            StartChecks(configuration).warnings == [
                "messaging.routesFile: no route takes text messages of the API client web to what is open to it: FR, 44"
            ])
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

    // MARK: Texts of messages

    private static let texts = """
        {"defaultLocale":"en","texts":[
         {"purpose":"code","channel":"sms","locale":"en","text":"{code} %@"},
         {"purpose":"link","channel":"sms","locale":"en","text":"{link}"}]}
        """

    private func texts(_ more: String) throws -> String {
        try write("texts.json", Self.texts.replacingOccurrences(of: "%@", with: more), mode: 0o644)
    }

    @Test func `count the parts of every text`() throws {
        defer { cleanUp() }
        try make()
        let checks = try checks(["HOLDFAST_MESSAGING_TEXTS_FILE": try texts("is your code")])
        #expect(checks.mistakes.isEmpty && checks.warnings.isEmpty)
        #expect(checks.texts == ["code en: GSM-7, 1 part, 23 of 160", "link en: GSM-7, 1 part, 47 of 160"])
        #expect(try self.checks().texts.count == 2, "the program's own")
    }

    @Test func `name a file of texts that is not there, every error of one that is, and a missing brand`() throws {
        defer { cleanUp() }
        try make()
        let missing = try checks(["HOLDFAST_MESSAGING_TEXTS_FILE": "/none/texts.json"]).mistakes
        #expect(missing.first?.hasPrefix("messaging.textsFile: /none/texts.json cannot be read") == true)
        let path = try texts("{name}")
        let wrong = try checks(["HOLDFAST_MESSAGING_TEXTS_FILE": path]).mistakes
        #expect(wrong.count == 1)
        #expect(wrong.first?.hasPrefix("messaging.textsFile: \(path):\n    texts[0].text: has an unknown") == true)
        let nameless = try checks(["HOLDFAST_MESSAGING_TEXTS_FILE": try texts("{brand}")]).mistakes
        #expect(nameless == ["messaging.brand: missing; texts[0] of messaging.textsFile names it"])
        let long = try checks([
            "HOLDFAST_MESSAGING_TEXTS_FILE": try texts("{brand}" + String(repeating: "ж", count: 65)),
            "HOLDFAST_MESSAGING_BRAND": String(repeating: "a", count: 64),
        ]).mistakes
        #expect(long.first?.contains("texts[0].text: is 3 parts in UCS-2") == true)
    }

    @Test func `warn of a character that doubles the price, and of an API client's name that does`() async throws {
        defer { cleanUp() }
        try make()
        let environment = [
            "HOLDFAST_MESSAGING_TEXTS_FILE": try texts("it\u{2019}s {brand}" + String(repeating: "a", count: 90)),
            "HOLDFAST_MESSAGING_BRAND": "A",
        ]
        #expect(try checks(environment).warnings.count == 2)
        #expect(try checks(environment).warnings.last?.contains("bytes with an app hash") == true)
        #expect(try checks(environment).warnings.first?.contains("(U+2019) makes it UCS-2") == true)
        let store = try await Store.open(try ServerFixture.configuration(directory + "/data"))
        _ = try await store.administrator { _ in }.addClient(
            try #require(ClientID("web")), rules: TenantRules(displayName: String(repeating: "ж", count: 32)))
        let checks = try checks(environment)
        #expect(checks.mistakes.isEmpty)
        #expect(checks.warnings.count == 3)
        #expect(checks.warnings.last?.contains("of an API client, texts[0].text: is 3 parts") == true)
        await store.close()
    }
}
