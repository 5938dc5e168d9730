import Foundation
import SQLiteStorage
import Storage
import StrictJSON
import TestSupport
import Testing
import Text

@testable import Administration
@testable import Engine
@testable import Possession
@testable import Tokens
@testable import Wiring

/// Keys that apps are built with, from the operator's order to the call of an app.
@Suite struct ApplicationKeyTests {
    private let directory = ServerFixture.freshDirectory()
    private let shop = ClientID("shop")!
    private static let members = ["applicationKey", "applicationSecret", "masterPublicKey", "sdkConfiguration"]

    /// A sandbox whose client `sandbox` has an application with this secret; `nil`: it has none.
    private func configuration(secret: String? = nil) throws -> Configuration {
        let application = secret.map {
            """
            ,"application":{"key":"aG9sZGZhc3Qtc2FuZGJveA==","secret":"\($0)",
             "masterPrivateKey":"dGhlLXB1YmxpYy1tYXN0ZXIta2V5LW9mLXNhbmRib3g="}
            """
        }
        return try ConfigurationTests.read(
            """
            {"mode":"sandbox","server":{"host":"127.0.0.1","port":0,"loops":1},"data":{"directory":"\(directory)",
             "migrations":"\(ServerFixture.repository)/migrations"},
             "sandbox":{"usersFile":"\(ServerFixture.repository)/config/sandbox-users.json",
             "clients":{"sandbox":{"secret":"sandbox-secret"\(application ?? "")}}}}
            """)
    }

    /// The keys of an app in an answer.
    private func texts(_ object: JSONObject) throws -> [String] {
        try Self.members.map { try #require(object[$0]?.string, "\($0)") }
    }

    @Test func `gives a client keys, exports them, and serves those before for the overlap`() async throws {
        let configuration = try configuration()
        let (secrets, log) = try await ServerFixture.withServerAndLog(configuration) { server, port in
            let control = ControlClient(socket: Assembly.controlSocketPath(configuration))
            _ = try control.send(AddClient(shop, TenantRules()))
            #expect(try control.send(ListApplicationKeys(client: shop)).object["keys"]?.array == [])

            let added = try control.send(AddApplicationKeys(client: shop))
            #expect(added.status == 201)
            let first = try texts(added.object)
            #expect(try texts(try control.send(ExportApplicationKeys(client: shop)).object) == first)
            #expect(try await server.engine.application(ofKey: first[0])?.tenant.id == shop)

            let rotated = try control.send(RotateApplicationKeys(client: shop, overlapDays: 2))
            let second = try texts(rotated.object)
            #expect(Set(first + second).count == 8, "every text is new")
            #expect(try texts(try control.send(ExportApplicationKeys(client: shop)).object) == second)
            let listed = try #require(try control.send(ListApplicationKeys(client: shop)).object["keys"]?.array)
            #expect(listed.compactMap { $0.object?["applicationKey"]?.string } == [second[0], first[0]])
            #expect(listed.compactMap { $0.object?["standing"]?.string } == ["current", "previous"])
            #expect(listed.last?.object?["until"] == rotated.object["previousUntil"])
            for secret in [first[1], first[3], second[1], second[3]] { #expect(!"\(listed)".contains(secret)) }

            for texts in [first, second] {
                let found = try #require(try await server.engine.application(ofKey: texts[0]))
                #expect(try server.store.devices.credentials(of: found.keys).applicationSecret.text == texts[1])
            }
            let days = #"{"advanceSeconds":172801}"#
            _ = try ServerFixture.call(port, "POST", "/sandbox/clock", ["Content-Type: application/json"], body: days)
            #expect(try await server.engine.application(ofKey: first[0]) == nil)
            #expect(try await server.engine.application(ofKey: second[0]) != nil)
            let ended = try #require(try control.send(ListApplicationKeys(client: shop)).object["keys"]?.array)
            #expect(ended.last?.object?["standing"] == "ended")

            let now = try texts(try control.send(RotateApplicationKeys(client: shop, overlapDays: 0)).object)
            #expect(try await server.engine.application(ofKey: second[0]) == nil)
            _ = try control.send(RevokeClient(client: shop))
            #expect(try await server.engine.application(ofKey: now[0]) == nil)

            let lines = try await server.store.audit.lines(after: 0, limit: 100).map {
                String(decoding: $0.text, as: UTF8.self)
            }
            let events = ["application_keys_added", "application_keys_rotated", "application_keys_exported"]
            #expect(events.map { event in lines.count { $0.contains(event) } } == [1, 2, 2])
            let secrets = [first[1], first[3], second[1], second[3], now[1], now[3]]
            for secret in secrets { #expect(!"\(lines)".contains(secret)) }
            return secrets
        }
        #expect(log.contains { $0["message"] as? String == "application keys rotated" })
        for secret in secrets { #expect(!"\(log)".contains(secret)) }
    }

    @Test func `says why an order cannot be carried out`() async throws {
        let configuration = try configuration(secret: "cHVibGljLXNlY3JldC0wMQ==")
        try await ServerFixture.withServer(configuration) { _, _ in
            let control = ControlClient(socket: Assembly.controlSocketPath(configuration))
            func refusal(_ wish: any Order) throws -> String {
                let answer = try control.send(wish)
                return "\(answer.status) \(answer.object["message"]?.string ?? "")"
            }
            let (add, export) = (AddApplicationKeys(client: shop), ExportApplicationKeys(client: shop))
            let rotate = RotateApplicationKeys(client: shop, overlapDays: 1)
            let all: [any Order] = [add, rotate, ListApplicationKeys(client: shop), export]
            for wish in all { #expect(try refusal(wish) == "404 no such client") }
            _ = try control.send(AddClient(shop, TenantRules()))
            for wish in [rotate, export] as [any Order] {
                #expect(try refusal(wish) == "400 this client has no application keys: add them first")
            }
            #expect(try control.send(AddApplicationKeys(client: shop)).status == 201)
            #expect(try refusal(add) == "400 this client has application keys: rotate or export them")
            let sandbox = try #require(ClientID("sandbox"))
            #expect(
                try refusal(RotateApplicationKeys(client: sandbox, overlapDays: 1))
                    == "400 the application keys of this client stand in the configuration file: change them there")
            _ = try control.send(RevokeClient(client: shop))
            for wish in [add, rotate, export] as [any Order] {
                #expect(try refusal(wish) == "409 this client is revoked")
            }
        }
    }

    @Test func `shows a sandbox's application, also where no server has run`() async throws {
        let configuration = try configuration(secret: "cHVibGljLXNlY3JldC0wMQ==")
        let sandbox = try #require(ClientID("sandbox"))
        let store = try await Installation(configuration).openStore()
        let exported = await ControlSurface(store.administrator).answer(ExportApplicationKeys(client: sandbox))
        await store.close()
        let texts = try texts(exported.object)
        #expect(Array(texts[..<2]) == ["aG9sZGZhc3Qtc2FuZGJveA==", "cHVibGljLXNlY3JldC0wMQ=="])
        // By another implementation of the curve, from the private number in the file.
        #expect(
            texts[2] == "BCcrGXuPAvpgc9livfoYFiA0iEjm3HhXmPEtGklcbQfociN/AgbONv5UqQiklAWICI7XbGcj59mtSx15NCHB8nE=")

        let keys = try await ServerFixture.withServer(configuration) { server, port in
            let control = ControlClient(socket: Assembly.controlSocketPath(configuration))
            #expect(try self.texts(try control.send(ExportApplicationKeys(client: sandbox)).object) == texts)
            let users = try JSONObject.parse(try ServerFixture.call(port, "GET", "/sandbox/users").body)
            let shown = try #require(users["applications"]?.array?.first?.object)
            #expect(try self.texts(shown) == texts && shown["clientId"] == "sandbox")
            return try #require(try await server.engine.application(ofKey: texts[0])).keys
        }
        // A start with the same file writes nothing, one with another secret does.
        try await ServerFixture.withServer(configuration) { server, _ in
            let stored = try await server.engine.application(ofKey: texts[0])
            #expect(stored?.keys == keys)
        }
        let other = try self.configuration(secret: "cHVibGljLXNlY3JldC0wMg==")
        try await ServerFixture.withServer(other) { server, _ in
            let changed = try #require(try await server.engine.application(ofKey: texts[0])).keys
            #expect(
                try server.store.devices.credentials(of: changed).applicationSecret.text == "cHVibGljLXNlY3JldC0wMg==")
        }
        try await ServerFixture.withServer(try self.configuration()) { server, port in
            let stored = try await server.engine.application(ofKey: texts[0])
            #expect(stored == nil)
            #expect(try !ServerFixture.call(port, "GET", "/sandbox/users").text.contains("applications"))
        }
    }

    /// The third client is that of Twilio Verify alone.
    @Test func `the configuration of the repository has an application for each client of apps`() throws {
        let path = ServerFixture.repository + "/config/sandbox.json"
        let file = try Data(contentsOf: URL(filePath: path))
        let configuration = try Configuration(
            ConfigurationSources(environment: [:], file: (path: path, text: Array(file))))
        let clients = try #require(configuration.sandbox?.clients)
        let applications = clients.compactMap(\.application)
        #expect(clients.count == 3 && applications.count == 2)
        #expect(applications.contains { $0.key.isSame(as: "aG9sZGZhc3Qtc2FuZGJveA==") })
        let printed = String(decoding: configuration.settings.serialized(), as: UTF8.self)
        for application in applications {
            #expect(printed.contains(application.key))
            #expect(!printed.contains(application.secret.text) && !printed.contains(application.masterPrivateKey.text))
        }
    }

    @Test func `live takes no application of a file`() {
        let mistakes = ConfigurationTests.mistakes(
            """
            {"mode":"live","server":{"publicUrl":"https://a.example"},"data":{"directory":"d"},
             "sandbox":{"clients":{"a":{"secret":"long enough","application":{}}}}}
            """)
        #expect(mistakes.contains { $0.hasPrefix("sandbox.clients") }, "\(mistakes)")
    }
}
