import Engine
import Possession
import Testing

/// Numbers as people type them (contract section 9).
@Suite struct NumberSpellingTests {
    private static let live = PlannedNumbers { PhoneNumber(e164: $0).map { PlannedNumber($0) } }

    @Test func `all spellings of a number are one number, so they share its limits`() throws {
        let spellings = ["+12065550100", "+1 206 555 0100", "+1-206-555-0100", "+1 (206) 555.0100"]
        #expect(Set(try spellings.map { try Self.live.read($0).number }).count == 1)
    }

    @Test(arguments: [
        "", "+", "()-. ", "123", "++12065550100", "1+2065550100", "+1206555010x", "+12065550100;ext=1", "+1206/5550100",
        "+1\u{00A0}2065550100", "２００１００４０１４", "+1234567890123456", "+12065550100" + String(repeating: " ", count: 21),
    ]) func `letters, other signs and too many bytes are no number`(text: String) {
        #expect(throws: NumberRefusal.malformed) { try Self.live.read(text) }
    }

    @Test func `thirty-two bytes are read, one more is not`() throws {
        let number = "+12065550100"
        #expect(throws: Never.self) { try Self.live.read(number + String(repeating: "-", count: 20)) }
        #expect(throws: NumberRefusal.malformed) {
            try Self.live.read(number + String(repeating: "-", count: 21))
        }
    }

    @Test func `a number that the plan gives no kind is taken, or refused with the plan's reason`() throws {
        let plan: @Sendable (String) -> PlannedNumber? = { text in
            let isKnown = text.utf8.last == UInt8(ascii: "1")
            return PhoneNumber(e164: text).map { PlannedNumber($0, kind: isKnown ? .mobile : nil, region: "US") }
        }
        let taking = PlannedNumbers(refusesKinds: true, plan: plan)
        #expect(try taking.read("+12065559999").number.e164 == "+12065559999")
        #expect(taking.mayMessage(try taking.read("+12065559999").number, by: TenantRules(callingCodes: ["US"])))
        let refusing = PlannedNumbers(refusesKinds: true, unknownRange: { "is in no range" }, plan: plan)
        #expect(throws: NumberRefusal.refusedKind(reason: "is in no range")) { try refusing.read("+12065559999") }
        #expect(try refusing.read("+12065559991").number.e164 == "+12065559991")
    }
}
