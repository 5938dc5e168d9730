import HTTPServer
import Possession
import Sandbox
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Codes to e-mail addresses.
@Suite(.timeLimit(.minutes(60))) struct OtplessEmailTests {
    private static func sandbox(
        carries: @escaping @Sendable (OutgoingMessage.Channel) -> Bool = { _ in true }
    ) async throws -> OtplessWorld {
        var options = World.Options()
        options.emails = SandboxEmails(World.users)
        return try await OtplessWorld(options, carries: carries)
    }

    private static func initiate(_ otpless: OtplessWorld, _ members: String) async -> Response {
        await otpless.post("/auth/v1/initiate/otp", "{\(members)}")
    }

    @Test(arguments: ["", #","channels":["EMAIL"]"#, #","channels":[],"phoneNumber":null"#])
    func `sends a code to an address, which is checked by its request`(more: String) async throws {
        let otpless = try await Self.sandbox()
        let begun = await Self.initiate(otpless, #""email":"Ada@Example.com","expiry":60\#(more)"#)
        #expect(begun.status == 200)
        let message = try #require(otpless.world.gateway.sent.first)
        #expect(message.to.text == "Ada@example.com" && message.forms.map(\.channel) == [.email])
        let code = try #require(message.code?.text)
        #expect(await otpless.verify(code == "000000" ? "111111" : "000000", begun.requestID).errorCode == "7118")
        let checked = await otpless.verify(code, begun.requestID)
        #expect(checked.status == 200 && checked.json["isOTPVerified"] == true)
        #expect(await otpless.verify(code, begun.requestID).errorCode == "7115")
    }

    @Test(arguments: [
        (#""email":"ada""#, "7104"), (#""email":"ada@gmail.com""#, "7104"),
        (#""email":"ada@example.com","channels":["SMS"]"#, "7103"),
        (#""email":"ada@example.com","channels":["EMAIL","SMS"]"#, "7103"),
        (#""phoneNumber":"+12001004014","channels":["EMAIL"]"#, "7103"), (#""channels":["EMAIL"]"#, "7106"),
    ])
    func `names what is wrong`(members: String, errorCode: String) async throws {
        let otpless = try await Self.sandbox()
        let answer = await Self.initiate(otpless, members)
        #expect(answer.status == 400 && answer.errorCode == errorCode)
        #expect(otpless.world.gateway.sent.isEmpty)
    }

    @Test func `a number comes before an address`() async throws {
        let otpless = try await Self.sandbox()
        #expect(await Self.initiate(otpless, #""email":"ada@example.com","phoneNumber":"+12001004014""#).status == 200)
        #expect(otpless.world.gateway.sent.map(\.to.text) == ["+12001004014"])
    }

    @Test func `without a way for e-mail, and by the older call, an address is refused`() async throws {
        let none = try await OtplessWorld()
        #expect(await Self.initiate(none, #""email":"ada@example.com","channels":["EMAIL"]"#).errorCode == "7105")
        let sandbox = try await Self.sandbox()
        #expect(await sandbox.post("/auth/otp/v1/send", #"{"email":"ada@example.com"}"#).errorCode == "7105")
    }
}
