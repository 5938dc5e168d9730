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
@testable import Wiring

@Suite struct ControlTests {
    /// Each kind of token has keys of its own.
    private let kinds = StoredSigningKey.Purpose.ofTokens.count
    let directory = ServerFixture.freshDirectory()

    private func cleanUp() { try? FileManager.default.removeItem(atPath: directory) }

    private func token(_ port: UInt16, _ id: String, _ secret: String) throws -> ServerFixture.Answer {
        try ServerFixture.call(
            port, "POST", "/token", ["Content-Type: application/x-www-form-urlencoded"],
            body: "client_id=\(id)&client_secret=\(secret)&grant_type=client_credentials")
    }

    @Test func `adds, lists and revokes clients of a running server`() async throws {
        defer { cleanUp() }
        let configuration = try ServerFixture.configuration(directory)
        try await ServerFixture.withServer(configuration) { _, port in
            let control = ControlClient(socket: Assembly.controlSocketPath(configuration))
            let shop = try #require(ClientID("shop"))
            let added = try control.send(
                AddClient(shop, TenantRules(mobileAuth: true, finalTargetHosts: ["a.example"])))
            #expect(added.status == 201)
            let secret = try #require(added.object["secret"]?.string)
            // 256 bits in base64url.
            #expect(secret.utf8.count == 43 && secret.utf8.allSatisfy { $0.isLetterOrDigit })
            #expect(try control.send(AddClient(shop, TenantRules())).status == 409)

            let access = try token(port, "shop", secret)
            #expect(access.status == 200)
            #expect(try token(port, "shop", secret + "x").status == 401)
            #expect(try ServerFixture.unify(port, access.member("access_token")).status == 200)

            let listed = try #require(try control.send(ListClients()).object["clients"]?.array)
            #expect(listed.compactMap { $0.object?["id"]?.string } == ["sandbox", "shop"])
            #expect(listed.last?.object?["finalTargetHosts"] == ["a.example"])
            #expect(!"\(listed)".contains(secret))

            #expect(try control.send(RevokeClient(client: shop)).status == 200)
            #expect(try token(port, "shop", secret).status == 401)
            #expect(try ServerFixture.unify(port, access.member("access_token")).status == 401)
            #expect(try control.send(RevokeClient(client: try #require(ClientID("nobody")))).status == 404)
        }
    }

    /// `1` opens all of North America; a region opens its own numbers only (ABU-06).
    @Test(arguments: [(["US"], [200, 400]), (["CA"], [400, 200]), (["1"], [200, 200]), (["44"], [400, 400])])
    func `opens a country by its region`(opened: [String], expected: [Int]) async throws {
        defer { cleanUp() }
        let configuration = try ServerFixture.configuration(
            directory, ["HOLDFAST_SANDBOX_UNKNOWN_NUMBERS": "simulate"])
        try await ServerFixture.withServer(configuration) { _, port in
            let control = ControlClient(socket: Assembly.controlSocketPath(configuration))
            let shop = try #require(ClientID("shop"))
            let added = try control.send(AddClient(shop, TenantRules(callingCodes: opened)))
            let access = try token(port, "shop", try #require(added.object["secret"]?.string)).member("access_token")
            // New York and Toronto.
            let answers = try ["+12125550123", "+14165550123"].map { number in
                try ServerFixture.call(
                    port, "POST", "/v3/unify",
                    ["Authorization: Bearer \(access)", "Content-Type: application/json"],
                    body: #"{"phoneNumber":"\#(number)","possessionType":"mobile","clientRequestId":"r"}"#)
            }
            #expect(answers.map(\.status) == expected)
        }
    }

    @Test func `changes the rules that are named, and no others`() async throws {
        defer { cleanUp() }
        let configuration = try ServerFixture.configuration(directory)
        try await ServerFixture.withServer(configuration) { server, _ in
            let control = ControlClient(socket: Assembly.controlSocketPath(configuration))
            let shop = try #require(ClientID("shop"))
            let rules = TenantRules(mobileAuth: true, finalTargetHosts: ["a.example"], displayName: "Old")
            _ = try control.send(AddClient(shop, rules))
            let order: JSONObject = [
                "allowPhoneChange": .bool(true), "finalTargetHosts": ["b.example"], "displayName": .null,
                "leastCodeDigits": .integer(4), "statementAudiences": ["https://partner.example"],
                "requestsPerSecond": .integer(40), "budgetPerDay": .integer(5), "lineTypes": ["mobile"],
                "smartChannels": ["whatsapp", "sms"], "secondsPerChannel": .integer(30),
            ]
            let updated = try control.send(UpdateClient(shop, order))
            #expect(updated.status == 200)
            #expect(updated.object["mobileAuth"] == .bool(true))
            #expect(updated.object["allowPhoneChange"] == .bool(true))
            #expect(updated.object["finalTargetHosts"] == ["b.example"])
            #expect(updated.object["displayName"] == nil)
            #expect(updated.object["leastCodeDigits"] == .integer(4))
            #expect(updated.object["statementAudiences"] == ["https://partner.example"])
            #expect(updated.object["requestsPerSecond"] == .integer(40))
            #expect(updated.object["lineTypes"] == ["mobile"])
            #expect(updated.object["smartChannels"] == ["whatsapp", "sms"])
            #expect(updated.object["secondsPerChannel"] == .integer(30))
            #expect(server.engine.limits.own[shop]?.budgetPerDay == 5)
            let listed = try #require(try control.send(ListClients()).object["clients"]?.array)
            #expect(listed.last?.object == updated.object)

            let wrong = try control.send(UpdateClient(shop, ["displayName": .string(""), "mobileAuth": .bool(false)]))
            #expect(wrong.status == 400)
            #expect(wrong.object["message"]?.string?.hasPrefix("displayName: must be a text") == true)
            #expect(try control.send(UpdateClient(shop, ["secret": "s"])).status == 400)
            #expect(try control.send(ListClients()).object["clients"]?.array?.last?.object == updated.object)
            let nobody = try #require(ClientID("nobody"))
            #expect(try control.send(UpdateClient(nobody, order)).status == 404)
        }
    }

    @Test func `gives a client a new secret while the old one stays valid`() async throws {
        defer { cleanUp() }
        let configuration = try ServerFixture.configuration(directory)
        try await ServerFixture.withServer(configuration) { _, port in
            let control = ControlClient(socket: Assembly.controlSocketPath(configuration))
            let shop = try #require(ClientID("shop"))
            let own = Secret("own-secret-of-the-shop")
            let first = try control.send(AddClient(shop, TenantRules(), secret: own))
            #expect(first.object["secret"]?.string == own.text)
            let rotated = try control.send(RotateClientSecret(shop, overlapHours: 1))
            let second = try #require(rotated.object["secret"]?.string)
            #expect(second.utf8.count == 43 && second.utf8.allSatisfy { $0.isLetterOrDigit })
            #expect(rotated.object["oldSecretUntil"]?.string != nil)
            #expect(try token(port, "shop", own.text).status == 200)
            let access = try token(port, "shop", second)
            #expect(access.status == 200)

            let clock = ["Content-Type: application/json"]
            _ = try ServerFixture.call(port, "POST", "/sandbox/clock", clock, body: #"{"advanceSeconds":3600}"#)
            #expect(try token(port, "shop", own.text).status == 401)
            #expect(try token(port, "shop", second).status == 200)
            // Without an overlap the one before is gone at once.
            let third = try #require(
                try control.send(RotateClientSecret(shop, overlapHours: 0)).object["secret"]?.string)
            #expect(try token(port, "shop", second).status == 401)
            #expect(try token(port, "shop", third).status == 200)
            #expect(!"\(try control.send(ListClients()).object)".contains(third))

            #expect(try control.send(RotateClientSecret(shop, secret: Secret("short"))).status == 400)
            #expect(try control.send(RevokeClient(client: shop)).status == 200)
            #expect(try control.send(RotateClientSecret(shop)).status == 409)
            #expect(try control.send(UpdateClient(shop, ["mobileAuth": .bool(true)])).status == 409)
            let again = try control.send(AddClient(shop, TenantRules()))
            #expect(again.status == 409)
            #expect(again.object["message"]?.string?.contains("was revoked") == true)
        }
    }

    @Test func `tells of which clients messages go without an address, and what may still go`() async throws {
        defer { cleanUp() }
        let configuration = try ServerFixture.configuration(
            directory, ["HOLDFAST_LIMITS_ENFORCE_IN_SANDBOX": "true"])
        try await ServerFixture.withServer(configuration) { _, port in
            let control = ControlClient(socket: Assembly.controlSocketPath(configuration))
            func create(_ client: String, _ number: String, _ more: String = "") throws {
                let id = try #require(ClientID(client))
                _ = try control.send(AddClient(id, TenantRules()))
                let key = try #require(
                    try control.send(AddAPIKey(client: id, kind: .api, name: "")).object["key"]?.string)
                let answer = try ServerFixture.call(
                    port, "POST", "/prelude/v2/verification",
                    ["Authorization: Bearer \(key)", "Content-Type: application/json"],
                    body: #"{"target":{"type":"phone_number","value":"\#(number)"}\#(more)}"#)
                #expect(answer.status == 200, "\(answer.text)")
            }
            try create("shop", "+12001004014")
            try create("shop", "+12001004015")
            try create("bank", "+12001004014", #","signals":{"ip":"192.0.2.1"}"#)
            let lines = try #require(try control.send(ShowGuard()).object["guard"]?.array).compactMap(\.object)
            let told = lines.filter { $0["address"] != nil }
            #expect(told.count == 1)
            #expect(told.first?["client"]?.string == "shop" && told.first?["messagesLeft"]?.integer == 98)
            #expect(told.first?["openNumbersInAPrefix"]?.integer == 18 && told.first?["last"]?.string != nil)
            let metrics = try ServerFixture.call(port, "GET", "/metrics").text
            #expect(metrics.contains("holdfast_messages_without_address_total{client=\"shop\"} 2\n"))
            #expect(!metrics.contains("holdfast_messages_without_address_total{client=\"bank\"}"))
        }
    }

    @Test func `gives a client keys, shows each once, and ends one that is revoked`() async throws {
        defer { cleanUp() }
        let configuration = try ServerFixture.configuration(directory)
        try await ServerFixture.withServer(configuration) { _, port in
            let control = ControlClient(socket: Assembly.controlSocketPath(configuration))
            let shop = try #require(ClientID("shop"))
            #expect(try control.send(AddAPIKey(client: shop, kind: .api, name: "")).status == 404)
            #expect(try control.send(ListAPIKeys(client: shop)).status == 404)
            _ = try control.send(AddClient(shop, TenantRules()))
            let added = try control.send(AddAPIKey(client: shop, kind: .api, name: "checkout")).object
            let key = try #require(added["key"]?.string)
            #expect(key.hasPrefix("hf_test_") && key.utf8.count == 51)
            #expect(added["ending"]?.string == String(key.suffix(4)))
            let sdk = try #require(
                try control.send(AddAPIKey(client: shop, kind: .sdk, name: "")).object["key"]?.string)
            #expect(sdk.hasPrefix("sdk_") && sdk.utf8.count == 26)
            let listed = try control.send(ListAPIKeys(client: shop)).object
            #expect(listed["keys"]?.array?.count == 2)
            #expect(!"\(listed)".contains(key) && !"\(listed)".contains(sdk))

            func history(_ key: String) throws -> Int {
                try ServerFixture.call(
                    port, "GET", "/prelude/v2/verification/phone/history", ["Authorization: Bearer \(key)"]
                ).status
            }
            #expect(try history(key) == 200)
            #expect(try history(sdk) == 401)
            let id = try #require(added["id"]?.string.flatMap { APIKeyID($0) })
            #expect(try control.send(RevokeAPIKey(id: id)).status == 200)
            #expect(try history(key) == 401)
            #expect(try control.send(RevokeAPIKey(id: id)).status == 404)

            let other = try #require(
                try control.send(AddAPIKey(client: shop, kind: .api, name: "")).object["key"]?.string)
            #expect(try history(other) == 200)
            #expect(try control.send(RevokeClient(client: shop)).status == 200)
            #expect(try history(other) == 401)
            #expect(try control.send(AddAPIKey(client: shop, kind: .api, name: "")).status == 409)
        }
    }

    @Test func `refuses a third secret of a webhook endpoint, and one of a revoked client`() async throws {
        defer { cleanUp() }
        let configuration = try ServerFixture.configuration(directory)
        try await ServerFixture.withServer(configuration) { _, _ in
            let control = ControlClient(socket: Assembly.controlSocketPath(configuration))
            let shop = try #require(ClientID("shop"))
            #expect(try control.send(AddClient(shop, TenantRules())).status == 201)
            var wish = WebhookManager.Order()
            wish.url = "https://shop.example/h"
            wish.types = ["*"]
            let added = try control.send(AddWebhook(client: shop, wish: wish)).object["id"]?.string ?? ""
            let endpoint = try #require(WebhookEndpointID(name: added))
            let rotate = RotateWebhook(endpoint: endpoint)
            let end = try #require(try control.send(rotate).object["oldSecretUntil"]?.string)
            let refused = try control.send(rotate)
            #expect(refused.status == 409)
            #expect(
                refused.object["message"]?.string == "the keys before sign until \(end); with --force they end now")
            #expect(try control.send(RotateWebhook(endpoint: endpoint, isForced: true)).status == 200)

            #expect(try control.send(DisableWebhook(endpoint: endpoint)).status == 200)
            #expect(try control.send(RevokeClient(client: shop)).status == 200)
            for answer in [
                try control.send(EnableWebhook(endpoint: endpoint)), try control.send(TestWebhook(endpoint: endpoint)),
            ] {
                #expect(answer.status == 409)
                #expect(
                    answer.object["message"]?.string
                        == "the endpoint's client is revoked: nothing is sent for it any more")
            }
        }
    }

    @Test func `rotates keys without voiding a token`() async throws {
        defer { cleanUp() }
        let configuration = try ServerFixture.configuration(directory)
        try await ServerFixture.withServer(configuration) { _, port in
            let control = ControlClient(socket: Assembly.controlSocketPath(configuration))
            let before = try ServerFixture.token(port)
            let keys = try #require(try control.send(RotateSigningKeys()).object["keys"]?.array)
            #expect(keys.count == 2 * kinds)
            #expect(keys.count { $0.object?["signs"]?.bool == true } == kinds)
            // Those that sign now have successors, and so an end; they keep their private halves until then.
            #expect(keys.count { $0.object?["verifiesUntil"]?.string != nil } == kinds)
            #expect(keys.allSatisfy { $0.object?["privateHalf"] == "kept" })
            #expect(try ServerFixture.unify(port, before).status == 200)
            // Past the publication lead the new key signs; the old one still verifies.
            let clock = ["Content-Type: application/json"]
            _ = try ServerFixture.call(port, "POST", "/sandbox/clock", clock, body: #"{"advanceSeconds":301}"#)
            let after = try ServerFixture.token(port)
            #expect(after.prefix(90) != before.prefix(90))
            #expect(try ServerFixture.unify(port, before).status == 200)
            #expect(try ServerFixture.unify(port, after).status == 200)
        }
    }

    @Test func `works on the store itself when no server runs`() async throws {
        defer { cleanUp() }
        let configuration = try ServerFixture.configuration(directory)
        #expect(throws: ControlClient.Failure.nobody) {
            try ControlClient(socket: Assembly.controlSocketPath(configuration)).send(ListClients())
        }
        let store = try await Store.open(configuration)
        let surface = ControlSurface(store.administrator { _ in })
        let shop = try #require(ClientID("shop"))
        let added = await surface.answer(AddClient(shop, TenantRules()))
        let keys = await surface.answer(ListSigningKeys())
        await store.close()
        #expect(keys.object["keys"]?.array?.count == kinds)
        let secret = try #require(added.object["secret"]?.string)
        try await ServerFixture.withServer(configuration) { _, port in
            let answer = try token(port, "shop", secret)
            #expect(answer.status == 200)
        }
    }

    @Test func `shows and replaces the keys that protect what is stored`() async throws {
        defer { cleanUp() }
        let configuration = try ServerFixture.configuration(directory)
        let (_, log) = try await ServerFixture.withServerAndLog(configuration) { _, port in
            let control = ControlClient(socket: Assembly.controlSocketPath(configuration))
            let access = try ServerFixture.token(port)
            let before = try control.send(ShowKeyStatus()).object
            #expect(before["sealingKey"]?.object?["generation"] == 1 && before["sealingKey"]?.object?["left"] == 0)
            let replaced = try control.send(RotateMasterKey(newKeyFile: nil))
            let after = try control.send(RotateSealingKey()).object
            #expect(replaced.status == 200)
            #expect(after["masterKey"]?.object?["id"] == replaced.object["replaced"])
            #expect(before["masterKey"]?.object?["id"] == replaced.object["before"], "older backups need it")
            #expect(after["masterKey"]?.object?["id"] != before["masterKey"]?.object?["id"])
            #expect(after["sealingKey"]?.object?["generation"] == 2)
            #expect(after["sealingKey"]?.object?["older"] == [1])
            // Each kind of token has one key; the start, the two orders and the end of the old master key
            // stand in the audit log.
            #expect(after["sealingKey"]?.object?["left"] == .integer(Int64(kinds + 4)))
            #expect(try control.send(RotateMasterKey(newKeyFile: "/nowhere")).status == 400)
            #expect(try ServerFixture.unify(port, access).status == 200)
        }
        let messages = log.compactMap { $0["message"] as? String }
        #expect(messages.contains("master key rotated") && messages.contains("sealing key rotated"))
    }

    @Test func `replaces a sealing key once it is old enough, and no sooner`() async throws {
        defer { cleanUp() }
        let store = try await Store.open(try ServerFixture.configuration(directory))
        let administrator = store.administrator { _ in }
        let early = try await administrator.rotateSealing(olderThan: .seconds(86_400))
        let due = try await administrator.rotateSealing(olderThan: .zero)
        // The one before is still needed.
        let again = try await administrator.rotateSealing(olderThan: .zero)
        await store.close()
        #expect(!early && due && !again)
    }

    @Test func `shows and unlocks a number, on a running server or without one`() async throws {
        defer { cleanUp() }
        let configuration = try ServerFixture.configuration(directory)
        let number = try #require(PhoneNumber(e164: "+12015550123"))
        let store = try await Store.open(configuration)
        let session = Session(
            correlationID: CorrelationID(at: store.now(), random: 1), authID: AuthID(at: store.now(), random: 2),
            clientID: try #require(ClientID("shop")),
            request: SessionRequest(
                flow: .mobile, policy: .standard(), subject: .init(), options: .init(), references: .init()),
            at: store.now(), limits: Limits())
        let now = store.now()
        let tenant = Tenant(
            id: session.clientID, rules: TenantRules(), secretDigests: [SecretDigest([1])], createdAt: now)
        try await store.tenants.add(tenant)
        let key = LimitKey(.wrongCodes, number, of: tenant.id)
        let sent = LimitKey(.sendsToNumber, number, of: tenant.id)
        _ = try await store.sessions.insert(
            session, freshHolderID: HolderID(at: now, random: 3), counting: [key, sent]
        ) { tallies in
            for _ in 0..<100 { tallies.countFailure([key], by: .init(), at: now) }
            tallies.count([sent], by: .init(), at: now)
            return nil
        }
        let surface = ControlSurface(store.administrator { _ in })
        let shown = await surface.answer(ShowNumber(target: .number(number)))
        await store.close()
        #expect(
            shown.object["checks"] == [
                ["client": "shop", "limit": "sends_per_number", "counted": 1, "failuresInARow": 0],
                ["client": "shop", "limit": "wrong_codes", "counted": 100, "failuresInARow": 100],
            ])
        try await ServerFixture.withServer(configuration) { _, _ in
            let control = ControlClient(socket: Assembly.controlSocketPath(configuration))
            let (unlock, show) = (UnlockNumber(target: .number(number)), ShowNumber(target: .number(number)))
            let answers = try [control.send(unlock), control.send(unlock), control.send(show)].map(\.object)
            #expect(answers[0]["forgotten"] == 1 && answers[1]["forgotten"] == 0)
            #expect(answers[2]["checks"]?.array?.count == 1, "messages stay counted")
        }
    }
}
