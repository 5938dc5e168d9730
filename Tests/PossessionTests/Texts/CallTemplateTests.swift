import Possession
import Testing

@Suite struct CallTemplateTests {
    private static let values = [(name: "amount", value: "1234567.50"), (name: "payee", value: "Rainbow LLC")]

    @Test func `fills its places, and leaves a run for the code`() throws {
        let template = try CallTemplate("{code}: {amount} to {payee}, {brand}, {minutes} min, {payee}.")
        let text = try template.worded(with: Self.values, brand: "Shop", minutes: 10, codeLength: 6)
        #expect(text.text == "######: 1234567.50 to Rainbow LLC, Shop, 10 min, Rainbow LLC.")
        #expect(text.filled(with: "123456").hasPrefix("123456: "))
    }

    @Test(arguments: [
        ("", CallTemplate.Defect.empty), (String(repeating: "x", count: 481), .tooLong(most: 480)),
        ("{code}\t", .hiddenCharacter), ("{code} \u{202E}", .hiddenCharacter),
        ("{code} https://x.example", .containsURL),
        ("{code} #", .hash), ("{code", .brace), ("code}", .brace), ("{code} {Amount}", .brace), ("{code} {}", .brace),
        ("{code} {\(String(repeating: "a", count: 33))}", .brace), ("no place", .code), ("{code} {code}", .code),
    ]) func `refuses a text that is not as it must be`(text: String, defect: CallTemplate.Defect) {
        #expect(throws: defect) { try CallTemplate(text) }
    }

    @Test(arguments: [
        ([], CallTemplate.Misfit.missing("a")), ([("a", "")], .missing("a")), ([("a", "x#")], .unfit("a")),
        ([("a", "www.x.example")], .unfit("a")), ([("a", "call 0800 1234567")], .unfit("a")),
        ([("a", "x\u{200B}")], .unfit("a")), ([("a", String(repeating: "x", count: 65))], .unfit("a")),
    ]) func `refuses values that do not fit`(values: [(String, String)], misfit: CallTemplate.Misfit) throws {
        let template = try CallTemplate("{code} {a}")
        #expect(throws: misfit) {
            try template.worded(
                with: values.map { (name: $0.0, value: $0.1) }, brand: "", minutes: 1, codeLength: 4)
        }
    }

    @Test(arguments: [
        ("12.50", "12.5"), ("012.5", "12.5"), ("0", "0"), ("0.00", "0"), ("000", "0"), ("5.", nil), (".5", nil),
        ("-1", nil), ("1e3", nil), ("1,5", nil), ("1.2.3", nil), ("", nil), ("\u{661}", nil),
        (String(repeating: "9", count: 24), String(repeating: "9", count: 24)),
        (String(repeating: "9", count: 25), nil),
    ]) func `reads amounts`(text: String, expected: String?) {
        #expect(Amount(text)?.text == expected)
    }

    @Test func `a payment is what all its parts say`() throws {
        let amount = try #require(Amount("5"))
        #expect(PaymentOrder(amount: amount, currency: "eur", payee: "A") == nil)
        #expect(PaymentOrder(amount: amount, currency: "EUR", payee: "") == nil)
        let order = try #require(PaymentOrder(amount: amount, currency: "EUR", payee: "A"))
        #expect(order == PaymentOrder(amount: try #require(Amount("5.00")), currency: "EUR", payee: "A"))
        #expect(order != PaymentOrder(amount: amount, currency: "EUR", payee: "B"))
    }
}
