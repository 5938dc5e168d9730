import HTTPServer
import Possession
import PreludeSurface
import Sandbox
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Verifications of e-mail addresses.
@Suite(.timeLimit(.minutes(60))) struct PreludeEmailTests {
    private static let ada = "ada@example.com"

    /// A sandbox: it has a way for e-mail.
    private static func sandbox(_ change: (inout World.Options) -> Void = { _ in }) async throws -> PreludeWorld {
        var options = World.Options()
        options.emails = SandboxEmails(World.users)
        change(&options)
        return try await PreludeWorld(options)
    }

    private static func target(_ address: String) -> String {
        #""target":{"type":"email_address","value":"\#(address)"}"#
    }

    private static func create(
        _ prelude: PreludeWorld, _ address: String = ada, _ more: String = "", as client: String = "sandbox"
    ) async -> Response {
        await prelude.call(.post, "/v2/verification", "{\(target(address))\(more)}", as: client)
    }

    private static func check(
        _ prelude: PreludeWorld, _ code: String, _ address: String = ada, as client: String = "sandbox"
    ) async -> String? {
        await prelude.call(
            .post, "/v2/verification/check", #"{\#(target(address)),"code":"\#(code)"}"#, as: client
        ).json["status"]?.string
    }

    @Test func `sends a drawn code to the address, which proves it`() async throws {
        let prelude = try await Self.sandbox()
        let created = await Self.create(prelude, Self.ada, #","metadata":{"correlation_id":"c"}"#)
        #expect(created.status == 200 && created.json["method"]?.string == "email")
        #expect(created.json["status"]?.string == "success" && created.json["channels"] == nil)
        let message = try #require(prelude.world.gateway.sent.first)
        #expect(message.to.text == Self.ada && message.channel == .email && message.country == nil)
        let code = try #require(prelude.codes.first)
        #expect(code.utf8.count == 6 && message.text.contains(code))
        #expect(message.forms.count == 1 && message.forms[0].subject?.isEmpty == false && message.forms[0].parts == 1)
        #expect(message.forms[0].subject?.contains(code) == false)
        #expect(await Self.check(prelude, "000000") == "failure")
        #expect(await Self.check(prelude, code) == "success")
        #expect(await Self.check(prelude, code) == "expired_or_not_found")
        let session = try #require(try await prelude.world.store.recentSessions(limit: 1).first)
        #expect(session.proof?.target.text == Self.ada && session.holderID == nil)
        #expect(session.request.policy.channels == [.email])
    }

    @Test func `another call in the window is a retry, in whatever case the address is written`() async throws {
        let prelude = try await Self.sandbox()
        let first = await Self.create(prelude).json
        let second = await Self.create(prelude, "ADA@Example.com").json
        #expect(second["status"]?.string == "retry" && second["id"] == first["id"])
        #expect(prelude.world.gateway.sent.map(\.to.text) == [Self.ada, Self.ada])
        // Any code of the window passes.
        #expect(await Self.check(prelude, try #require(prelude.codes.first), "Ada@example.com") == "success")
    }

    @Test func `a number and an address, and two tenants, have windows of their own`() async throws {
        let prelude = try await Self.sandbox()
        let ids = [
            await Self.create(prelude).json["id"], await prelude.create().json["id"],
            await Self.create(prelude, Self.ada, as: "sandbox-2").json["id"],
        ]
        #expect(Set(ids.compactMap { $0?.string }).count == 3)
        let foreign = try #require(prelude.codes.last)
        let own = try #require(prelude.codes.first)
        if foreign != own { #expect(await Self.check(prelude, foreign) == "failure") }
        #expect(await Self.check(prelude, own) == "success")
    }

    @Test(arguments: [
        "ada", "ada@example", "ada@@example.com", "a b@example.com", #"ada@example.com\r\nBcc: b@example.com"#,
        "ada@shop.example.com.invalid", "ada@gmail.com",
    ])
    func `names an address that it cannot write to`(address: String) async throws {
        let prelude = try await Self.sandbox()
        let answer = await Self.create(prelude, address)
        #expect(answer.status == 400 && answer.json["param"]?.string == "target.value")
        #expect(!String(decoding: answer.body, as: UTF8.self).contains("ada@"))
        #expect(prelude.world.gateway.sent.isEmpty)
    }

    @Test func `takes no address where nothing carries e-mail`() async throws {
        let prelude = try await PreludeWorld()
        for path in ["/v2/verification", "/v2/verification/check"] {
            let answer = await prelude.call(.post, path, #"{\#(Self.target(Self.ada)),"code":"123456"}"#)
            #expect(answer.status == 403 && code(of: answer) == "email_verification_not_allowed")
            #expect(answer.json["param"]?.string == "target.type")
        }
    }

    @Test func `calls about numbers take no address`() async throws {
        let prelude = try await Self.sandbox()
        let answer = await prelude.call(.post, "/v2/watch/predict", "{\(Self.target(Self.ada))}")
        #expect(answer.status == 403 && code(of: answer) == "email_verification_not_allowed")
    }

    @Test func `an address is in no history of phones`() async throws {
        let prelude = try await Self.sandbox()
        let id = try #require(await Self.create(prelude).json["id"]?.string)
        _ = await prelude.create()
        let list = await prelude.call(.get, "/v2/verification/phone/history").json["verifications"]?.array
        #expect(list?.count == 1)
        #expect(await prelude.call(.get, "/v2/verification/phone/history/\(id)").status == 404)
    }

    @Test func `a user's address has the user's code, and no code passes where the script says so`() async throws {
        let users = ["ada", "bob"].map { name in
            SandboxUser(
                digits: "200100401\(name.utf8.count)",
                number: PhoneNumber(e164: "+1200100401\(name.utf8.first! % 10)")!,
                emailAddress: EmailAddress("\(name)@shop.test"), name: name, region: .northAmerica,
                otp: name == "ada" ? .pass : .fail)
        }
        let prelude = try await Self.sandbox {
            $0.users = SandboxUsers(users)
            $0.emails = SandboxEmails(SandboxUsers(users))
        }
        _ = await Self.create(prelude, "ada@shop.test")
        #expect(await Self.check(prelude, "123456", "ADA@shop.test") == "success")
        _ = await Self.create(prelude, "bob@shop.test")
        #expect(prelude.codes == ["123456", "123456"])
        #expect(await Self.check(prelude, "123456", "bob@shop.test") == "failure")
    }

    @Test func `limits count an address as they count a number`() async throws {
        let prelude = try await Self.sandbox { $0.limits.overSessions = .init() }
        #expect(await Self.create(prelude).json["status"]?.string == "success")
        // Too soon after the first, however it is written. What another client does counts there.
        #expect(await Self.create(prelude, as: "sandbox-2").json["status"]?.string == "success")
        let again = await Self.create(prelude, "ADA@example.com", as: "sandbox-2").json
        #expect(again["status"]?.string == "blocked" && again["reason"]?.string == "repeated_attempts")
        #expect(await Self.create(prelude, "bob@example.com").json["status"]?.string == "success")
        for _ in 0..<4 { #expect(await Self.check(prelude, "000000") == "failure") }
        let held = try await prelude.world.store.tallies([
            LimitKey(.wrongCodes, Target(Self.ada)!, of: ClientID("sandbox")!)
        ])
        #expect(held.values.first?.entries.reduce(0) { $0 + $1.count } == 4)
    }

    @Test func `the budget holds for e-mail`() async throws {
        let prelude = try await Self.sandbox {
            var limits = Limits.OverSessions()
            limits.spend.perTenantPerDay = SpendGuard.unit
            $0.limits.overSessions = limits
        }
        #expect(await Self.create(prelude).status == 200)
        let second = await Self.create(prelude, "bob@example.com")
        #expect(second.status == 400 && code(of: second) == "spending_limit_exceeded")
    }
}
