import HTTPServer
import Possession
import StrictJSON
import TestSupport
import Testing
import Text
@testable import PreludeSurface
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Texts that a create names, and codes that are for one payment.
@Suite(.timeLimit(.minutes(60))) struct PreludeTemplateTests {
    private static let payment =
        #""variables":{"description":"Fluffy Unicorn","amount":"99999.99","currency":"EUR","recipient":"Rainbow LLC"}"#

    private static func paying(_ variables: String = payment) -> String {
        #","options":{"template_id":"prelude:psd2",\#(variables)}"#
    }

    private func world() async throws -> PreludeWorld {
        try await PreludeWorld.ofTheWorld { options in
            options.texts = MessageTexts(
                catalog: try! MessageCatalog(
                    defaultLocale: .english, entries: MessageCatalog.english.entries,
                    templates: [
                        ByteText("order"): CallTemplates([
                            .english: try! CallTemplate("{code} confirms the order {order} at {brand}."),
                            LanguageTag("de")!: try! CallTemplate("{code} bestätigt {order}. Gilt {minutes} Min."),
                        ])
                    ]), brand: "Shop")
        }
    }

    private func checked(_ prelude: PreludeWorld, _ code: String, _ psd2: String?) async -> String? {
        let more = psd2.map { #","psd2":\#($0)"# } ?? ""
        return await prelude.call(
            .post, "/v2/verification/check",
            #"{"target":{"type":"phone_number","value":"\#(PreludeWorld.stranger)"},"code":"\#(code)"\#(more)}"#
        ).json["status"]?.string
    }

    @Test func `a text of the operator is worded with the call's values, in its language`() async throws {
        let prelude = try await world()
        let options = #","options":{"template_id":"order","variables":{"order":"No. 7"}"#
        #expect(await prelude.create(PreludeWorld.stranger, options + "}").json["status"]?.string == "success")
        let code = try #require(prelude.codes.first)
        #expect(prelude.world.gateway.sent.first?.text == "\(code) confirms the order No. 7 at Shop.")
        #expect(await checked(prelude, code, nil) == "success")
        _ = await prelude.create(PreludeWorld.stranger, options + #","locale":"de-AT","code_size":4}"#)
        let german = try #require(prelude.codes.last)
        #expect(german.utf8.count == 4)
        #expect(prelude.world.gateway.sent.last?.text == "\(german) bestätigt No. 7. Gilt 10 Min.")
    }

    @Test func `the code of a payment passes for that payment only`() async throws {
        let prelude = try await world()
        #expect(await prelude.create(PreludeWorld.stranger, Self.paying()).json["method"]?.string == "message")
        let code = try #require(prelude.codes.first)
        let text = try #require(prelude.world.gateway.sent.first?.text)
        #expect(text.contains("99999.99 EUR") && text.contains("Rainbow LLC") && text.contains(code))
        for _ in 0..<6 { #expect(await checked(prelude, code, nil) == "transaction_missing", "and costs no check") }
        for other in [
            #"{"amount":99999.98,"currency":"EUR","recipient":"Rainbow LLC"}"#,
            #"{"amount":99999.99,"currency":"USD","recipient":"Rainbow LLC"}"#,
            #"{"amount":99999.99,"currency":"EUR","recipient":"Rainbow LTD"}"#, #"{"amount":99999.99}"#,
        ] {
            #expect(await checked(prelude, code, other) == "transaction_mismatch", "\(other)")
        }
        let own = #"{"amount":99999.990,"currency":"EUR","recipient":"Rainbow LLC"}"#
        #expect(await checked(prelude, code == "000000" ? "111111" : "000000", own) == "failure")
        #expect(await checked(prelude, code, own) == "success")
        #expect(await checked(prelude, code, own) == "expired_or_not_found")
    }

    @Test func `another payment begins another window, and the codes of the first are void`() async throws {
        let prelude = try await world()
        let first = await prelude.create(PreludeWorld.stranger, Self.paying()).json
        let same = await prelude.create(PreludeWorld.stranger, Self.paying()).json
        #expect(same["status"]?.string == "retry" && same["id"] == first["id"])
        let more = #""variables":{"amount":"5","currency":"EUR","recipient":"Rainbow LLC"}"#
        let other = await prelude.create(PreludeWorld.stranger, Self.paying(more)).json
        #expect(other["status"]?.string == "success" && other["id"] != first["id"])
        let codes = prelude.codes
        let five = #"{"amount":"5.00","currency":"EUR","recipient":"Rainbow LLC"}"#
        if codes[0] != codes[2] { #expect(await checked(prelude, codes[0], five) == "failure") }
        #expect(await checked(prelude, codes[2], five) == "success")
    }

    @Test func `a code that was for no payment approves none`() async throws {
        let prelude = try await world()
        _ = await prelude.create(PreludeWorld.stranger)
        let code = try #require(prelude.codes.first)
        let payment = #"{"amount":1,"currency":"EUR","recipient":"Rainbow LLC"}"#
        #expect(await checked(prelude, code, payment) == "transaction_mismatch")
        #expect(await checked(prelude, code, #"{"amount":"","currency":"","recipient":""}"#) == "success")
    }

    @Test func `a payment is never approved silently`() async throws {
        let prelude = try await PreludeWorld()
        await prelude.signals()
        let answer = await prelude.create(
            PreludeWorld.lorant, #","dispatch_id":"\#(PreludeWorld.dispatch)""# + Self.paying())
        #expect(answer.json["method"]?.string == "message")
    }

    @Test(arguments: [
        (#""template_id":"other""#, "invalid_template_id", "options.template_id"),
        (#""template_id":"order""#, "invalid_template_variables", "options.variables"),
        (
            #""template_id":"order","variables":{"order":"evil.example/x"}"#, "invalid_template_variables",
            "options.variables"
        ),
        (#""template_id":"order","variables":{"order":"1#"}"#, "invalid_template_variables", "options.variables"),
        (#""template_id":"prelude:psd2""#, "invalid_template_variables", "options.variables"),
        (
            #""template_id":"prelude:psd2","variables":{"amount":"-5","currency":"EUR","recipient":"A"}"#,
            "invalid_template_variables", "options.variables"
        ),
        (
            #""template_id":"prelude:psd2","variables":{"amount":"5","currency":"euro","recipient":"A"}"#,
            "invalid_template_variables", "options.variables"
        ),
    ]) func `names what is wrong with a template`(options: String, name: String, param: String) async throws {
        let prelude = try await world()
        let answer = await prelude.create(PreludeWorld.stranger, ",\"options\":{\(options)}")
        #expect(answer.status == 400 && code(of: answer) == name, "\(answer.text)")
        #expect(answer.json["param"]?.string == param && prelude.codes.isEmpty)
    }
}
