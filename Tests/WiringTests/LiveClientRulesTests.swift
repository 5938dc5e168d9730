import Foundation
import StrictJSON
import Testing

@testable import Administration
@testable import Possession
@testable import Wiring

/// Rights of an API client at a live server, as its configuration and the operator's orders set them.
@Suite struct LiveClientRulesTests {
    private let directory = ServerFixture.freshDirectory()

    private func cleanUp() { try? FileManager.default.removeItem(atPath: directory) }

    private func live() throws -> Configuration {
        try ConfigurationTests.read(
            """
            {"mode":"live","server":{"host":"127.0.0.1","port":0,"loops":1,"publicUrl":"https://a.example",
             "operationsPort":0},"data":{"directory":"\(directory)",
             "migrations":"\(ServerFixture.repository)/migrations"},"link":{"publicUrl":"https://l.example"},
             "mobileAuth":{"operators":{"one":{"authorizeUrl":"https://idp.one.example/authorize",
              "tokenUrl":"https://idp.one.example/token","apiUrl":"https://api.one.example/nv/v2","clientId":"us",
              "networks":["198.51.100.0/24"]}}},
             "reputation":{"operators":{"two":{"tokenUrl":"https://idp.two.example/token","clientId":"us",
              "prefixes":["+49"],"simSwapUrl":"https://api.two.example/sim-swap/v2"}}}}
            """)
    }

    private func withClient(
        _ body: (
            _ post: (_ path: String, _ body: String) throws -> ServerFixture.Answer,
            _ update: (JSONObject) throws -> Int
        ) throws -> Void
    ) async throws {
        let configuration = try live()
        try await ServerFixture.withServer(configuration) { _, port in
            let control = ControlClient(socket: Assembly.controlSocketPath(configuration))
            let shop = try #require(ClientID("shop"))
            let added = try control.send(AddClient(shop, TenantRules(callingCodes: ["US"])))
            let secret = try #require(added.object["secret"]?.string)
            let token = try ServerFixture.call(
                port, "POST", "/token", ["Content-Type: application/x-www-form-urlencoded"],
                body: "client_id=shop&client_secret=\(secret)&grant_type=client_credentials"
            ).member("access_token")
            try body(
                { path, body in
                    try ServerFixture.call(
                        port, "POST", path, ["Content-Type: application/json", "Authorization: Bearer \(token)"],
                        body: body)
                }, { try control.send(UpdateClient(shop, $0)).status })
        }
    }

    @Test func `codes of four digits need the operator's word`() async throws {
        defer { cleanUp() }
        try await withClient { post, update in
            func unify(_ text: String) throws -> ServerFixture.Answer {
                try post(
                    "/v3/unify", #"{"phoneNumber":"+16505553434","possessionType":"mobile","smsMessage":"\#(text)"}"#)
            }
            let refused = try unify("Code ####")
            #expect(refused.status == 400)
            #expect(
                refused.text.contains("field 'smsMessage' must give codes of at least 6 digits to this client"),
                "\(refused.text)")
            #expect(try unify("Code ######").status == 200)
            #expect(try update(["leastCodeDigits": .integer(4)]) == 200)
            #expect(try unify("Code ####").status == 200)
            #expect(try update(["leastCodeDigits": .null]) == 200)
            #expect(try unify("Code ####").status == 400)
        }
    }

    @Test func `statements are for third parties, and for those of the list where there is one`() async throws {
        defer { cleanUp() }
        try await withClient { post, update in
            let session = try post("/v3/unify", #"{"phoneNumber":"+16505553434","possessionType":"mobile"}"#)
                .member("correlationId")
            func status(_ audience: String) throws -> Int {
                try post("/v3/unify-status", #"{"correlationId":"\#(session)","statementAudience":"\#(audience)"}"#)
                    .status
            }
            for reserved in [
                "https://a.example", "https://a.example/v3", "https://A.example/token", "https://l.example/l/x",
                "https://idp.one.example/token", "https://idp.one.example", "https://idp.two.example/token", "*",
            ] {
                #expect(try status(reserved) == 400, "\(reserved)")
            }
            for partner in ["https://partner.example", "https://api.one.example", "partner"] {
                #expect(try status(partner) == 200, "\(partner)")
            }
            #expect(try update(["statementAudiences": ["https://partner.example"]]) == 200)
            #expect(try status("https://partner.example") == 200)
            #expect(try status("partner") == 400)
            #expect(try update(["statementAudiences": ["https://a.example/v3"]]) == 200)
            #expect(try status("https://a.example/v3") == 400, "no list opens this server's own")
        }
    }
}
