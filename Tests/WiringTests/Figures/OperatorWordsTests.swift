import Foundation
import Engine
import Possession
import StrictJSON
import Testing
import Text

@testable import Administration
@testable import SQLiteStorage
@testable import Storage
@testable import Tokens
@testable import Observation
@testable import Wiring

/// Texts for operators: plain sentences, with nothing of the program's insides.
@Suite struct OperatorWordsTests {
    @Test func `faults are sentences`() {
        let texts = [
            "\(StorageFault.overloaded)", "\(StorageFault.corrupt(what: "sessions.state"))",
            "\(StorageFault.failed(code: 10, operation: "commit"))", "\(StorageFault.duplicate)",
            "\(TokenFault("not a sealed value"))", SigningKeyFault.token(TokenFault("not a sealed value")).advice,
            SigningKeyFault.storage(.overloaded).advice, "\(ControlClient.Failure.nobody)",
            "\(ControlClient.Failure.broken("permission denied"))", "\(Administrator.Refusal.burnt)",
            "\(EntropyFault())",
        ]
        for text in texts {
            for inside in ["(code", "(what", "(reason", "Fault", "broken(", "Optional"] {
                #expect(!text.contains(inside))
            }
            #expect(text.contains(" "), "\(text)")
        }
    }

    @Test func `a wrong master key is told in words that help`() async throws {
        let directory = ServerFixture.freshDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let configuration = try ServerFixture.configuration(directory)
        try await ServerFixture.withServer(configuration) { _, _ in }
        let key = directory + "/master.key"
        try FileManager.default.removeItem(atPath: key)
        _ = FileManager.default.createFile(
            atPath: key, contents: Data(repeating: 7, count: 32), attributes: [.posixPermissions: 0o600])
        let pipe = LogTests.Pipe()
        do {
            _ = try await Assembly(configuration, sink: LogSink(descriptor: pipe.write)) { _ in }
            Issue.record("a wrong key opened the store")
        } catch {
            #expect(error.description.contains("is the master key the one that this database was made with?"))
            #expect(!error.description.contains("TokenFault"))
        }
    }

    @Test func `a migration says what it did, or would do`() async throws {
        let directory = ServerFixture.freshDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let folder = ServerFixture.repository + "/migrations"
        let database = DataDirectory.databasePath(in: directory)
        let before = try MigrationPlan(database: database, migrations: folder)
        #expect(before.version == 0)
        #expect(before.pending.first == "0001_sessions.sql")
        let told = before.sentence(directory, isApplied: true)
        #expect(told.hasPrefix("applied 0001_sessions.sql\napplied 0002_tenants.sql\n"))
        #expect(told.hasSuffix("was at migration 0, is now at \(before.pending.count)"))
        #expect(before.sentence("/d", isApplied: false).hasPrefix("would apply 0001_sessions.sql\n"))

        let store = try await Store.open(try ServerFixture.configuration(directory))
        // Beside the process that has the directory.
        let after = try MigrationPlan(database: database, migrations: folder)
        await store.close()
        #expect(after == (try MigrationPlan(database: database, migrations: folder)))
        #expect(after.pending.isEmpty)
        #expect(
            after.sentence("/d", isApplied: true) == "/d is up to date at migration \(before.pending.count)")
    }

    @Test(arguments: [
        (["localhost"], "127.0.0.1"), (["0.0.0.0"], "127.0.0.1"), (["::"], "::1"), (["192.0.2.7"], "192.0.2.7"),
        (["::1", "127.0.0.1"], "::1"), ([], "127.0.0.1"),
    ])
    func `a health check asks an address that the server listens on`(hosts: [String], expected: String) {
        #expect(Configuration.Server.reachable(hosts) == expected)
    }

    @Test(arguments: [
        (#"{"port":9000}"#, "127.0.0.1", 9000), (#"{"port":9000,"operationsHost":"::"}"#, "::1", 8081),
        (#"{"port":9000,"operationsPort":9100}"#, "127.0.0.1", 9100),
        (#"{"port":9000,"operationsHost":"0.0.0.0","operationsPort":0}"#, "127.0.0.1", 9000),
    ])
    func `a health check asks the listener for operators where there is one`(
        server: String, host: String, port: UInt16
    ) throws {
        let text = #"{"mode":"sandbox","data":{"directory":"d"},"server":\#(server)}"#
        let target = try ConfigurationTests.read(text).server.probeAddress
        #expect(target?.host == host && target?.port == port)
    }

    @Test func `a health check knows no port that is any free one`() throws {
        let text = #"{"mode":"sandbox","data":{"directory":"d"},"server":{"port":0}}"#
        #expect(try ConfigurationTests.read(text).server.probeAddress == nil)
    }

    @Test func `a health check says who did not answer`() throws {
        #expect(throws: ControlClient.Failure.broken("example.com is no IP address")) {
            try ControlClient(host: "example.com", port: 1).exchange("GET", "/healthz")
        }
    }

    @Test func `what an operator did is noted without secrets and numbers`() throws {
        let shop = try #require(ClientID("shop"))
        let number = Target.number(try #require(PhoneNumber(e164: "+12015550123")))
        let orders: [any Order] = [
            AddClient(shop, TenantRules(), secret: Secret("secret-1")),
            UpdateClient(shop, ["displayName": "private-1", "mobileAuth": .bool(true)]),
            RotateClientSecret(shop, secret: Secret("secret-2")), RevokeClient(client: shop), RotateSigningKeys(),
            AddAPIKey(client: shop, kind: .api, name: "private-2"), RevokeAPIKey(id: APIKeyID(high: 1, low: 2)),
            AddApplicationKeys(client: shop), RotateApplicationKeys(client: shop, overlapDays: 7),
            ExportApplicationKeys(client: shop), BlockDevice(id: DeviceName(high: 1, low: 2)),
            EraseNumber(name: .target(number)), UnlockNumber(target: number),
        ]
        let notes = orders.compactMap(\.act)
        #expect(notes.count == orders.count)
        for hidden in ["secret-", "private-", "2015550123"] { #expect(!"\(notes)".contains(hidden)) }
        #expect(notes[1].context == ["client": "shop", "members": "displayName,mobileAuth"])
        #expect(ListClients().act == nil && ListSigningKeys().act == nil)
        #expect(ListAPIKeys(client: shop).act == nil && ListApplicationKeys(client: shop).act == nil)
        #expect(ListDevices(.client(shop)).act == nil)
        #expect(notes[8].context == ["client": "shop", "overlapDays": "7"])
        #expect(notes[10].context == ["device": "00000000-0000-0001-0000-000000000002"])
    }

    @Test func `the program names its version and its libraries`() {
        #expect(BuildInfo.line.hasPrefix("\(BuildInfo.version) (") && BuildInfo.line.contains("Swift 6."))
        #expect(BuildInfo.line.contains("SQLite 3.") && BuildInfo.line.contains("OpenSSL 3."))
        var text = MetricsText()
        BuildInfo.collect(&text)
        let metrics = String(decoding: text.bytes, as: UTF8.self)
        let sample = "holdfast_build_info{version=\"\(BuildInfo.version)\",commit=\"\(BuildInfo.commit)\",swift=\"6."
        #expect(metrics.contains(sample))
    }

    @Test func `the process knows when it started`() throws {
        let started = try #require(ProcessFigures.startedAt())
        let age = Date().timeIntervalSince1970 - started
        #expect(age > -2 && age < 86_400)
    }
}
