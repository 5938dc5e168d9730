import HTTPServer
import Possession
import Sandbox
import StrictJSON
import TestSupport
import Testing
import Text

@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Surfaces whose vendor takes E.164: digits that have lost their `+` are not read as a number of the server's own region.
/// `6582345678` is a number of Singapore without it, and would be one of the United States.
@Suite(.timeLimit(.minutes(60))) struct InternationalNumberTests {
    private static let bare = "6582345678"
    private static let twilioForm = "application/x-www-form-urlencoded"

    /// The number as a caller may write it by mistake: without `+`, and with the blank that a form makes of a `+`.
    private static let mistakes = [bare, " " + bare]

    private func isNamed(_ text: String, _ number: String) -> Bool {
        number.hasPrefix(" ") ? text.contains("%2B") : text.contains("E.164")
    }

    @Test(arguments: mistakes) func `Twilio Verify refuses it in every call`(number: String) async throws {
        let twilio = try await TwilioWorld.ofAnyNumber()
        let coded = TwilioWorld.encoded(number)
        let refused = [
            await twilio.create(number), await twilio.create(number, by: "call"),
            await twilio.post("/Verifications", "To=\(number.replacing(" ", with: "+"))&Channel=sms"),
            await twilio.check("123456", number),
            await twilio.post(
                "/VerificationCheck", "VerificationSid=VE\(String(repeating: "0", count: 32))&To=\(coded)&Code=123456"),
        ]
        for (index, answer) in refused.enumerated() {
            #expect(answer.status == 400 && answer.code == 60200, "\(index): \(answer.text)")
            #expect(answer.text.contains("`To`") && isNamed(answer.text, number), "\(index): \(answer.text)")
        }
        let attempts = await twilio.client.send(
            Request(
                method: .get, path: "/twilio-verify/v2/Attempts", rawQuery: "ChannelData.To=\(coded)",
                headers: Headers([TwilioWorld.basic(of: "sandbox")]), id: "q"))
        #expect(attempts.code == 60200 && attempts.text.contains("ChannelData.To") && isNamed(attempts.text, number))
        // A path finds nothing, also not the verification of the number in its right spelling.
        #expect(await twilio.create("+" + Self.bare).status == 201)
        #expect(await twilio.get("/Verifications/\(coded)").code == 20404)
        #expect(await twilio.update(coded, "canceled").code == 20404)
        #expect(await twilio.update("+" + Self.bare, "canceled").status == 200)
        #expect(twilio.world.gateway.sent.map(\.to.text) == ["+" + Self.bare])
    }

    @Test(arguments: mistakes) func `hooks of servers that send E164 refuse it, and name their own member`(
        number: String
    ) async throws {
        let hooks = try await HookWorld()
        let kratos = await hooks.kratos("123456", to: number)
        #expect(kratos.status == 400 && kratos.hookMessage.contains("'to'") && isNamed(kratos.hookMessage, number))
        let zitadel = await hooks.zitadel(HookWorld.zitadelBody().replacing("+12065550123", with: number))
        #expect(zitadel.status == 400 && zitadel.hookMessage.contains("'contextInfo.recipientPhoneNumber'"))
        #expect(isNamed(zitadel.hookMessage, number) && hooks.codes.isEmpty)
    }

    /// Supabase Auth keeps numbers without `+`, always with the country code.
    @Test func `digits of Supabase Auth are an international number`() async throws {
        let hooks = try await HookWorld()
        #expect(await hooks.supabase(HookWorld.supabaseBody(phone: Self.bare)).status == 200)
        #expect(hooks.world.gateway.sent.map(\.to.text) == ["+" + Self.bare])
        let none = await hooks.supabase(HookWorld.supabaseBody(phone: "1"))
        #expect(none.hookMessage.contains("'sms.phone'"), "\(none.hookMessage)")
    }

    @Test(arguments: mistakes) func `CAMARA refuses it in every call`(number: String) async throws {
        let camara = try await CamaraWorld { $0.unknownNumbers = .simulate }
        let sent = await camara.send(await camara.token(), to: number)
        #expect(sent.status == 400 && sent.text.contains("phoneNumber") && sent.text.contains("+"), "\(sent.text)")
        let token = await camara.ask(about: "tel:" + number, "tel")
        #expect(token.status == 400, "\(token.text)")
        let proof = await camara.ask(about: "tel:+" + Self.bare, "proof").json["access_token"]?.string ?? ""
        let verified = await camara.verifyNumber(#"{"phoneNumber":"\#(number)"}"#, proof)
        #expect([400, 403].contains(verified.status), "\(verified.text)")
        #expect(camara.world.gateway.sent.isEmpty)
    }

    @Test(arguments: mistakes) func `Prelude refuses it in every call`(number: String) async throws {
        var options = World.Options()
        options.unknownNumbers = .simulate
        let prelude = try await PreludeWorld(options)
        let coded = PercentCoding.encode(number)
        #expect(await prelude.create(number).json["status"] == "blocked")
        let refused = [
            await prelude.check("123456", number),
            await prelude.call(.get, "/v2/lookup/\(coded)"),
            await prelude.call(.get, "/v2/verification/phone/history", query: "phone_number=\(coded)"),
            await prelude.call(
                .post, "/v2/verification/management/phone-numbers/block", #"{"phone_number":"\#(number)"}"#),
            await prelude.call(
                .delete, "/v2/verification/management/phone-numbers/block", #"{"phone_number":"\#(number)"}"#),
            await prelude.call(.post, "/app/verify", #"{"phone_number":"\#(number)"}"#),
            await prelude.call(.post, "/app/check", #"{"phone_number":"\#(number)","verification_code":"123456"}"#),
        ]
        for (index, answer) in refused.enumerated() {
            #expect(answer.status == 400, "\(index): \(answer.text)")
        }
        #expect(isNamed(refused[1].text, number) && isNamed(refused[2].text, number), "\(refused[2].text)")
        #expect(prelude.world.gateway.sent.isEmpty)
    }

    /// Its callers always give the country code, and may leave `+` out.
    @Test func `digits of OTPLESS are an international number`() async throws {
        let otpless = try await OtplessWorld.ofAnyNumber()
        for number in ["6582345678", "+6582345679"] {
            #expect(await otpless.initiate(number).status == 200)
        }
        #expect(otpless.world.gateway.sent.map(\.to.text) == ["+6582345678", "+6582345679"])
    }

    /// The sandbox's users are found by their bare digits on the platform (contract section 8), and not here: a call that
    /// passes in the sandbox passes in live.
    @Test func `a user of the sandbox needs the plus as well`() async throws {
        let twilio = try await TwilioWorld()
        for number in ["2001004014", "12001004014"] { #expect(await twilio.create(number).code == 60200) }
        #expect(await twilio.create().status == 201)
        let hooks = try await HookWorld()
        for number in ["2001004014", "12001004014"] { #expect(await hooks.kratos(to: number).status == 400) }
    }
}
