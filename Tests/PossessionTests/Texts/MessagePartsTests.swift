@testable import Possession
import Testing

/// TS 23.038 and TS 23.040, at their borders.
@Suite struct MessagePartsTests {
    @Test(arguments: [(0, 1), (160, 1), (161, 2), (306, 2), (307, 3), (459, 3), (460, 4)])
    func `counts septets by 160, then by 153`(length: Int, count: Int) {
        let parts = MessageParts(String(repeating: "a", count: length))
        #expect(parts.count == count)
        #expect(parts.units == length)
        #expect(parts.alphabet == .gsm7)
        #expect(parts.foreign == nil)
    }

    @Test(arguments: [(1, 1), (70, 1), (71, 2), (134, 2), (135, 3), (201, 3), (202, 4)])
    func `counts units of UTF-16 by 70, then by 67`(length: Int, count: Int) {
        let parts = MessageParts(String(repeating: "ж", count: length))
        #expect(parts.count == count)
        #expect(parts.units == length)
        #expect(parts.alphabet == .ucs2)
    }

    @Test(arguments: ["^", "{", "}", "\\", "[", "]", "~", "|", "€", "\u{0C}"])
    func `counts a character behind an escape twice`(character: String) {
        #expect(MessageParts(character).units == 2)
        #expect(MessageParts(String(repeating: "a", count: 158) + character).count == 1)
        #expect(MessageParts(String(repeating: "a", count: 159) + character).count == 2)
    }

    /// 152 septets, then an escape pair: one septet of the first part stays free. So 305 septets of text are three parts
    /// where 306 without the pair are two.
    @Test func `does not split an escape from what it escapes`() {
        let split = String(repeating: "a", count: 152) + "€" + String(repeating: "a", count: 151)
        #expect(MessageParts(split).units == 305)
        #expect(MessageParts(split).count == 2)
        #expect(MessageParts(split + "a").count == 3)
        #expect(MessageParts(String(repeating: "a", count: 306)).count == 2)
    }

    @Test func `does not split a surrogate pair`() {
        let split = String(repeating: "ж", count: 66) + "😀" + String(repeating: "ж", count: 65)
        #expect(MessageParts(split).units == 133)
        #expect(MessageParts(split).count == 2)
        #expect(MessageParts(split + "ж").count == 3)
        #expect(MessageParts(String(repeating: "ж", count: 134)).count == 2)
        #expect(MessageParts(String(repeating: "😀", count: 35)).count == 1)
        #expect(MessageParts(String(repeating: "😀", count: 36)).count == 2)
    }

    @Test(arguments: ["ç", "á", "ą", "’", "😀", "е", "`", "\t", "e\u{301}"])
    func `names the character that GSM-7 does not have`(character: String) {
        let parts = MessageParts("plain \(character) text")
        #expect(parts.alphabet == .ucs2)
        #expect(parts.foreign.map { String($0) }?.unicodeScalars.first == parts.foreign)
        #expect(character.unicodeScalars.contains(parts.foreign ?? "a"))
    }

    @Test func `has all of the basic table`() {
        let all = "@£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCXYZÄÖÑÜ§¿abcxyzäöñüà\n\r"
        #expect(MessageParts(all).alphabet == .gsm7)
        #expect(MessageParts(all).units == all.unicodeScalars.count)
    }

    @Test func `counts a message that goes out by SMS`() {
        let text = String(repeating: "ж", count: 71)
        #expect(OutgoingMessage.Form(.sms, text: text).parts == 2)
        #expect(OutgoingMessage.Form(.voice, text: text).parts == 1)
    }
}
