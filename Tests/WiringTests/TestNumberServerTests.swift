import Foundation
import HTTPServer
import StrictJSON
import TestSupport
import Testing

@testable import Administration
@testable import Clocks
@testable import Possession
@testable import Wiring

/// Test numbers of a live server: by the operator's orders, through the whole server, over a restart.
@Suite struct TestNumberServerTests {
    private static let number = PhoneNumber(e164: "+16505553434")!
    let directory = ServerFixture.freshDirectory()

    private func cleanUp() { try? FileManager.default.removeItem(atPath: directory) }

    private func live() throws -> Configuration {
        try ConfigurationTests.read(
            """
            {"mode":"live","server":{"host":"127.0.0.1","port":0,"loops":1,"publicUrl":"https://a.example",
             "operationsPort":0},"data":{"directory":"\(directory)",
             "migrations":"\(ServerFixture.repository)/migrations"}}
            """)
    }

    private func order(
        _ index: Int = 0, client: String? = nil, days: Int = 30, code: String = "987654"
    ) throws -> AddTestNumber {
        let number = index == 0 ? Self.number : try #require(PhoneNumber(e164: "+1650555\(1000 + index)"))
        return AddTestNumber(
            number: number, code: try #require(OTP(code)), days: days,
            client: try client.map { try #require(ClientID($0)) })
    }

    private func control(_ configuration: Configuration) -> ControlClient {
        ControlClient(socket: Assembly.controlSocketPath(configuration))
    }

    private func post(
        _ port: UInt16, _ path: String, _ token: String, _ body: String, by signer: ProofSigner? = nil
    ) throws -> ServerFixture.Answer {
        var headers = ["Content-Type: application/json"]
        if let signer {
            let proof = try signer.dpop("POST", "https://a.example" + path, accessToken: token, at: SystemClock.now())
            headers += ["Authorization: DPoP \(token)", "DPoP: \(proof)"]
        } else {
            headers.append("Authorization: Bearer \(token)")
        }
        return try ServerFixture.call(port, "POST", path, headers, body: body)
    }

    /// A session of the API client, up to its code; the answer to the send.
    private func send(_ port: UInt16, _ access: String, _ signer: ProofSigner) throws -> (token: String, status: Int) {
        let token = try post(
            port, "/v3/unify", access, #"{"phoneNumber":"\#(Self.number.e164)","possessionType":"mobile"}"#
        ).member("authToken")
        let path = "/client/v1/session"
        #expect(
            try post(port, path, token, #"{"platform":"web","sdk":"t","fallback":"otp"}"#, by: signer).status == 200)
        return (token, try post(port, path + "/otp", token, "{}", by: signer).status)
    }

    private func access(_ port: UInt16, _ control: ControlClient) throws -> String {
        let added = try control.send(
            AddClient(try #require(ClientID("shop")), TenantRules(callingCodes: ["US"])))
        let secret = try #require(added.object["secret"]?.string)
        return try ServerFixture.call(
            port, "POST", "/token", ["Content-Type: application/x-www-form-urlencoded"],
            body: "client_id=shop&client_secret=\(secret)&grant_type=client_credentials"
        ).member("access_token")
    }

    @Test func `logs in with the fixed code in live, where nothing can be sent`() async throws {
        defer { cleanUp() }
        let configuration = try live()
        let log = try await ServerFixture.withServerAndLog(configuration) { server, port in
            let control = control(configuration)
            let access = try access(port, control)
            let signer = try ProofSigner()
            #expect(try send(port, access, signer).status == 502, "there is no carrier")
            #expect(try control.send(try order()).status == 201)
            let (token, status) = try send(port, access, signer)
            #expect(status == 200)
            let answer = try post(
                port, "/client/v1/session/otp/verify", token, #"{"code":"987654"}"#, by: signer)
            #expect(answer.member("outcome") == "succeeded", "\(answer.text)")
            let operations = UInt16(try #require(server.boundOperationsAddress?.port))
            let metrics = try ServerFixture.call(operations, "GET", "/metrics").text
            for use in ["asked", "passed"] {
                #expect(metrics.contains("holdfast_test_numbers_used_total{use=\"\(use)\"} 1\n"))
            }
            #expect(!metrics.contains("holdfast_messages_total{kind=\"code\",country=\"1\",outcome=\"sent\"}"))
            #expect(!metrics.contains("holdfast_messages_converted_total{kind=\"code\",country=\"1\""))
            #expect(try control.send(RemoveTestNumber(number: Self.number)).status == 200)
        }.log
        let uses = log.filter { $0["message"] as? String == "a test number was used" }
        let contexts = uses.compactMap { $0["context"] as? [String: Any] }
        #expect(contexts.compactMap { $0["use"] as? String } == ["asked", "passed"])
        #expect(contexts.allSatisfy { $0["number"] as? String == "+1********34" })
        #expect(contexts.allSatisfy { $0["client"] as? String == "shop" })
        let orders = log.compactMap { $0["message"] as? String }.filter { $0.hasPrefix("test number ") }
        #expect(orders == ["test number added", "test number removed"])
        for line in log {
            #expect(!line.values.contains { "\($0)".contains("6505553434") || "\($0)".contains("987654") })
        }
    }

    @Test func `keeps test numbers over a restart, at most twenty, and lists them without number and code`()
        async throws
    {
        defer { cleanUp() }
        let configuration = try live()
        try await ServerFixture.withServer(configuration) { _, _ in
            let control = control(configuration)
            for index in 0..<20 { #expect(try control.send(try order(index, days: 90)).status == 201) }
            let full = try control.send(try order(20))
            #expect(full.status == 400)
            #expect(full.object["message"]?.string == "there are 20 test numbers: remove one first")
        }
        try await ServerFixture.withServer(configuration) { server, _ in
            let control = control(configuration)
            let listed = try #require(try control.send(ListTestNumbers()).object["testNumbers"]?.array)
            #expect(listed.count == 20)
            #expect(listed.first?.object?["phoneNumber"]?.string == "+1******3434")
            #expect(listed.first?.object?["passes"] == .bool(true))
            #expect(!"\(listed)".contains("987654") && !"\(listed)".contains("6505553434"))
            #expect(try control.send(RemoveTestNumber(number: Self.number)).status == 200)
            let again = try control.send(RemoveTestNumber(number: Self.number))
            #expect(again.status == 400 && again.object["message"]?.string == "this is no test number")
            #expect(try control.send(try order(20)).status == 201)
        }
    }

    @Test(arguments: [(0, "days: must be 1 to 90"), (91, "days: must be 1 to 90")])
    func `ends within ninety days`(days: Int, message: String) async throws {
        defer { cleanUp() }
        let store = try await Store.open(try live())
        let surface = ControlSurface(store.administrator { _ in })
        let answer = await surface.answer(try order(days: days))
        #expect(answer.status == 400 && answer.object["message"]?.string == message)
        #expect(await surface.answer(try order(days: 90)).status == 201)
        let twice = await surface.answer(try order())
        #expect(twice.object["message"]?.string == "this is a test number already: remove it first")
        await store.close()
    }

    @Test func `is for an API client that there is, and for live mode`() async throws {
        defer { cleanUp() }
        let store = try await Store.open(try live())
        let administrator = store.administrator { _ in }
        let surface = ControlSurface(administrator)
        #expect(await surface.answer(try order(client: "shop")).status == 404)
        let shop = try #require(ClientID("shop"))
        _ = try await administrator.addClient(shop, rules: TenantRules())
        let added = await surface.answer(try order(client: "shop"))
        #expect(added.status == 201 && added.object["clientId"]?.string == "shop")
        try await administrator.revokeClient(shop)
        #expect(await surface.answer(try order(1, client: "shop")).status == 409)
        await store.close()

        let other = ServerFixture.freshDirectory()
        let sandbox = try await Store.open(try ServerFixture.configuration(other))
        let refused = await ControlSurface(sandbox.administrator { _ in }).answer(try order())
        #expect(refused.status == 400)
        #expect(refused.object["message"]?.string?.hasPrefix("test numbers are for live mode") == true)
        await sandbox.close()
    }
}
